import json, datetime
from dataclasses import dataclass, asdict, is_dataclass
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (datetime.datetime, datetime.date)):
            return o.isoformat()
        if isinstance(o, set): return sorted(o)
        if is_dataclass(o): return asdict(o)
        return super().default(o)
@dataclass
class P:
    x: int
    s: set
print(json.dumps({"d": datetime.date(2024,1,2), "p": P(1, {3,2})}, cls=Enc, indent=2, sort_keys=True))
try:
    json.dumps({"a": object}, cls=Enc)
except TypeError as e: print(e)
try:
    json.dumps(object())
except TypeError as e: print(e)
print(Enc(indent=1).encode({"a": {1}}), json.JSONEncoder().encode([1, "é"]))
print(json.dumps({"a": {1}}, default=list), json.dumps([1.5, None, True], separators=(",", ":")))
print("".join(json.JSONEncoder().iterencode({"a": [1]})))
print(json.loads('{"a": 1.5}', parse_float=str), json.loads('{"a": {"b": 1}}', object_hook=lambda d: {k.upper(): v for k, v in d.items()}))
print(json.loads('{"a":1,"b":2}', object_pairs_hook=lambda p: p))
d = json.JSONDecoder()
print(d.decode("[1]"), d.raw_decode('{"a":1} rest'))
try: json.loads('{"a":')
except json.JSONDecodeError as e: print(e, e.msg, e.pos, e.lineno, e.colno)
print(json.dumps({"k": "ü"}, ensure_ascii=False), json.dumps({1: 2, None: 3, True: 4}), json.dumps(float("nan")))
