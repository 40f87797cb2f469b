from contextlib import contextmanager, suppress, nullcontext
import contextlib, copy
from dataclasses import dataclass, field
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
l = [1]; l.append(l); m = copy.deepcopy(l); print(m[1] is m, m is l, len(m))
s = [[0]] * 2; u = copy.deepcopy(s); u[0].append(1); print(u, s, copy.copy((1, [2])), copy.deepcopy(({"a": {1, 2}}, None, 1.5, "s")))
class Odd:
    def __init__(self, n): self.n = n
    def __copy__(self): return Odd(self.n + 1)
    def __deepcopy__(self, memo): return Odd(copy.deepcopy(self.n, memo) * 10)
print(copy.copy(Odd(1)).n, copy.deepcopy([Odd(2)])[0].n)
class Loop: pass
x = Loop(); x.me = [x]; y = copy.deepcopy(x); print(y.me[0] is y, y is x)
try:
    copy.deepcopy(i for i in [1])
except TypeError as e:
    print(e)
@contextmanager
def twice():
    yield 1
    yield 2
try:
    with twice(): pass
except RuntimeError as e:
    print(e)
class Base:
    kinds = []
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Base.kinds.append(cls.__name__)
class A(Base): pass
class B(A): pass
print(Base.kinds)
