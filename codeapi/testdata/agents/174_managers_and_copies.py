from contextlib import contextmanager, suppress, nullcontext
import contextlib, copy
from dataclasses import dataclass, field
from collections import defaultdict, deque, Counter
@contextmanager
def guard(name, swallow=False):
    print("open", name)
    try:
        yield {"name": name}
    except ValueError as e:
        print("saw", e)
        if not swallow:
            raise
    else:
        print("clean")
    finally:
        print("close", name)
with guard("a") as g:
    print(g["name"])
with guard("b", swallow=True):
    raise ValueError("one")
try:
    with guard("c"):
        raise ValueError("two")
except ValueError as e:
    print("outer", e)
try:
    with guard("d"):
        raise KeyError("k")
except KeyError as e:
    print("outer", repr(e))
with guard("x") as x, guard("y") as y:
    print(x, y)
class Timer:
    def __init__(self): self.log = []
    @contextmanager
    def step(self, label):
        self.log.append("+" + label)
        yield self
        self.log.append("-" + label)
t = Timer()
with t.step("one") as tt:
    tt.log.append("body")
print(t.log)
with nullcontext(5) as five, suppress(KeyError, IndexError):
    [][five]
with contextlib.suppress(Exception):
    raise RuntimeError("x")
def bad():
    with suppress(KeyError):
        return 1 / 0
try:
    bad()
except ZeroDivisionError as e:
    print("zde", e)
def f():
    with guard("ret"):
        return "value"
print(f())
@dataclass
class Cfg:
    name: str
    opts: dict = field(default_factory=dict)
    kids: list = field(default_factory=list)
a = Cfg("a", {"x": [1]}, [Cfg("k")])
b = copy.copy(a); c = copy.deepcopy(a)
a.opts["x"].append(2); a.kids[0].name = "changed"; a.name = "A"
print(a, b, c, sep="\n")
d = defaultdict(list, {"p": [1]}); e = copy.deepcopy(d); f2 = copy.copy(d); d["p"].append(9); e["new"].append(1)
print(d, e, f2)
l = [1]; l.append(l); m = copy.deepcopy(l); print(m[1] is m, m is l, len(m))
s = [[0]] * 2; u = copy.deepcopy(s); u[0].append(1); print(u, s, copy.copy((1, [2])), copy.deepcopy(({"a": {1, 2}}, None, 1.5, "s")))
q = deque([[1], [2]], maxlen=5); r = copy.deepcopy(q); q[0].append(7); print(q, r, copy.deepcopy(Counter("aab")))
