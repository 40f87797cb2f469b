from dataclasses import dataclass, field, asdict, astuple, replace, fields, KW_ONLY, InitVar, is_dataclass, FrozenInstanceError
from typing import NamedTuple, TypedDict, Optional, ClassVar, Protocol, runtime_checkable, Generic, TypeVar, Literal, Union, Any, Final
from collections import namedtuple
from abc import ABC, abstractmethod
import json
@dataclass(order=True)
class V:
    major: int
    minor: int = 0
    tags: list = field(default_factory=list, compare=False)
    _c: int = field(default=0, repr=False, init=False)
    total: ClassVar[int] = 0
    def __post_init__(self): self._c = self.major * 10; V.total += 1
a, b = V(1, 2), V(1, 3, ["x"])
print(a < b, a == V(1, 2, ["z"]), a, asdict(b), astuple(b), replace(a, minor=9), [f.name for f in fields(V)], V.total, sorted([b, a])[0].minor, a._c)
@dataclass(frozen=True)
class F:
    x: int
    y: int = 5
    def moved(self, dx): return replace(self, x=self.x + dx)
    @property
    def area(self): return self.x * self.y
f = F(2)
try: f.x = 3
except FrozenInstanceError as e: print("frozen", e)
print({f: 1}[F(2)], hash(f) == hash(F(2)), f.moved(3), f.area)
@dataclass
class K:
    a: int
    _: KW_ONLY
    b: int = 2
    c: InitVar[int] = 3
    def __post_init__(self, c): self.cc = c
print(K(1, b=5, c=7).cc, K(1))
try: K(1, 2)
except TypeError as e: print(e)
@dataclass(slots=True)
class Sl: x: int
try: Sl(1).y = 2
except AttributeError as e: print(e)
@dataclass
class Base: id: int; name: str = "n"
@dataclass
class Child(Base): extra: Optional[dict] = None
print(Child(1, extra={"a": 1}), asdict(Child(2)), isinstance(Child(1), Base))
@dataclass
class Nest: items: list[Base]; m: dict[str, Base] = field(default_factory=dict)
print(json.dumps(asdict(Nest([Base(1)], {"k": Base(2)}))))
class P(NamedTuple):
    x: int
    y: int = 0
    def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    @classmethod
    def origin(cls): return cls(0, 0)
p = P(3, 4); print(p, p.norm(), p.x, p[1], p._asdict(), p._replace(x=1), P._fields, tuple(p), p == (3, 4), P.origin(), isinstance(p, tuple), {p: 1}[(3, 4)], P._make([1, 2]), len(p), p + (1,), max(P(1, 2), P(2, 1)), [*p])
x, y = p; print(x, y)
N = namedtuple("N", "a b c", defaults=[9]); n = N(1, 2); print(n, n.c, n._asdict(), N._fields, n._replace(a=5), n == (1, 2, 9), N(**{"a": 1, "b": 2}), {n: 1}.get((1, 2, 9)))
class N2(namedtuple("N2", ["w", "h"])):
    __slots__ = ()
    @property
    def area(self): return self.w * self.h
    def __str__(self): return f"{self.w}x{self.h}"
q = N2(2, 3); print(q.area, str(q), repr(q), q._replace(w=5).area, q == (2, 3), json.dumps(q), sorted([N2(2, 1), N2(1, 5)]))
class T(TypedDict, total=False): a: int; b: str
t: T = {"a": 1}; print(t, T(a=2), T(a=1)["a"])
@runtime_checkable
class HasLen(Protocol):
    def __len__(self) -> int: ...
class Speaker(Protocol):
    def speak(self) -> str: ...
print(isinstance([], HasLen), isinstance(5, HasLen))
class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...
    @abstractmethod
    def name(self): ...
    def describe(self): return f"{self.name()} {self.area}"
class Sq(Shape):
    def __init__(self, s): self.s = s
    @property
    def area(self): return self.s ** 2
    def name(self): return "sq"
print(Sq(3).describe())
try: Shape()
except TypeError as e: print(e)
class Part(Shape):
    def name(self): return "p"
try: Part()
except TypeError as e: print(e)
TT = TypeVar("TT")
class Stack(Generic[TT]):
    def __init__(self) -> None: self.items: list[TT] = []
    def push(self, i: TT) -> "Stack[TT]": self.items.append(i); return self
s = Stack[int](); s.push(1).push(2); print(s.items)
Mode = Literal["r", "w"]
def op(m: Mode, z: Union[int, None] = None, *a: Any) -> Final: return m
print(op("r"))
from functools import cached_property
class CP:
    n = 0
    @cached_property
    def v(self): CP.n += 1; return 5
c = CP(); c.v; c.v; print(CP.n, c.__dict__); del c.v; c.v; print(CP.n)
