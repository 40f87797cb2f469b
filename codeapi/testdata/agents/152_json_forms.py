import json
payload = '{"items": [{"sku": "A-1", "qty": 2, "price": 9.99}, {"sku": "B-2", "qty": 1, "price": 100}], "meta": {"ok": true, "note": null, "u": "caf\\u00e9"}}'
doc = json.loads(payload)
total = sum(i["qty"] * i["price"] for i in doc["items"])
print(json.dumps(doc, indent=2, sort_keys=True))
print(json.dumps(doc, ensure_ascii=False, separators=(",", ":")))
try:
    json.loads("{bad json}")
except json.JSONDecodeError as e:
    print(type(e).__name__, e.msg, e.lineno, e.colno, e.pos)
print(json.dumps({"a": (1, 2), 3: None, "t": True, "f": 1e20, "n": float("inf")}), json.dumps("é\n\"x\""))
print(json.dumps({"s": {2, 1}}, default=list))
result = round(total, 2)
