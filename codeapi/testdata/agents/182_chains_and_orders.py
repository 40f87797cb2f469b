from collections import ChainMap, UserDict
from functools import cached_property, singledispatch, total_ordering, wraps
from types import SimpleNamespace

defaults = {"color": "red", "user": "guest"}
config = ChainMap({"user": "ann"}, {"debug": True, "color": "blue"}, defaults)
print(config["user"], config["color"], config.get("missing", 0), "debug" in config, len(config))
print(sorted(config.items()), list(config), dict(config))
child = config.new_child({"color": "green"})
child["user"] = "bob"
del child["color"]
print(child["color"], child.maps[0], child.parents == config, child)
try:
    child["nope"]
except KeyError as e:
    print("KeyError", e)
try:
    del child["debug"]
except KeyError as e:
    print("KeyError", e)
config.update(color="black")
print(config.maps[0], config.pop("color"), config.setdefault("size", 3), {**config}, bool(ChainMap()))
for key, value in config.items():
    print(key, value)


@total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(int(p) for p in text.split("."))

    def __eq__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self.parts == other.parts

    def __lt__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self.parts < other.parts

    def __repr__(self):
        return "v" + ".".join(map(str, self.parts))


a, b = Version("1.2"), Version("1.10")
print(a < b, a <= b, a > b, a >= b, a == b, a != b, max(a, b), sorted([b, a]), a >= Version("1.2"))
try:
    print(a >= 3)
except TypeError as e:
    print(e)


class Report:
    def __init__(self, values):
        self.values = values
        self.computed = 0

    @cached_property
    def mean(self):
        self.computed += 1
        return sum(self.values) / len(self.values)


r = Report([1, 2, 6])
print(r.mean, r.mean, r.computed, "mean" in vars(r))


@singledispatch
def show(x):
    return f"? {x}"


@show.register(int)
def _(x):
    return f"int {x}"


@show.register(list)
def _(x):
    return "list " + ", ".join(show(y) for y in x)


print(show(3), show(True), show([1, "a", [2]]), show(None))


def logged(fn):
    @wraps(fn)
    def inner(*args, **kwargs):
        inner.calls += 1
        return fn(*args, **kwargs)
    inner.calls = 0
    return inner


@logged
def area(w, h=1):
    """Multiplies."""
    return w * h


print(area(2), area(2, h=3), area.__name__, area.__doc__, area.calls, area.__wrapped__(5))


class Lower(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)


d = Lower({"A": 1}, B=2)
d["Cc"] = 3
print(d, dict(d), "cc" in d, len(d), list(d.items()), d.get("zz"))
point = SimpleNamespace(x=1, label="p")
point.y = 2
print(point, point == SimpleNamespace(x=1, label="p", y=2), vars(point))
