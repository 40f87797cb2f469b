from collections import Counter, OrderedDict, defaultdict
from string import Template
for f in (lambda: OrderedDict()["x"], lambda: OrderedDict().popitem(), lambda: Counter().popitem(), lambda: defaultdict(None)["q"], lambda: {}[("a", 1)], lambda: OrderedDict(a=1).pop("b"),
          lambda: Template("$n").substitute(), lambda: OrderedDict().move_to_end("k"), lambda: {1}.remove(2), lambda: [].pop(), lambda: {}.popitem(), lambda: set().pop()):
    try:
        print(f())
    except (KeyError, IndexError) as e:
        print(type(e).__name__, e, e.args)
d = OrderedDict(a=1)
try:
    del d["zz"]
except KeyError as e:
    print(repr(e), f"{e!s}", e.args[0] == "zz")
