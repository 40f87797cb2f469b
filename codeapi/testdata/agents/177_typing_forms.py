from typing import Iterable, Callable, TypeVar, Generic, Protocol, Literal, Union, TypedDict
from dataclasses import dataclass, field, replace, fields, astuple
from abc import ABC, abstractmethod
T = TypeVar("T")
class Movie(TypedDict, total=False):
    title: str
    year: int
class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []
    def push(self, item: T) -> "Stack[T]":
        self._items.append(item)
        return self
    def pop(self) -> T:
        if not self._items:
            raise IndexError("pop from empty stack")
        return self._items.pop()
    def __len__(self) -> int: return len(self._items)
s: Stack[int] = Stack()
s.push(1).push(2)
print(s.pop(), len(s))
@dataclass(frozen=True, order=True)
class V:
    major: int
    minor: int = 0
    notes: tuple = field(default=(), compare=False)
    def bump(self): return replace(self, minor=self.minor + 1)
v = V(1, 2)
print(v.bump(), v < V(1, 3), {v: "x"}[V(1, 2)], sorted([V(2), V(1, 9), V(1)]), [f.name for f in fields(v)], astuple(v))
try:
    v.major = 3
except Exception as e:
    print(type(e).__name__, e)
class Handler(ABC):
    @abstractmethod
    def handle(self, x): ...
    def __call__(self, x): return self.handle(x)
class Up(Handler):
    def handle(self, x): return x.upper()
print(Up()("abc"))
try:
    Handler()
except TypeError as e:
    print("abstract:", "instantiate" in str(e))
def apply(fs: Iterable[Callable[[int], int]], x: int) -> int:
    for f in fs: x = f(x)
    return x
print(apply([lambda x: x + 1, lambda x: x * 10, abs], -5))
m: Movie = {"title": "x"}
print(m, Movie(title="a", year=1))
def kw(*, mode: Literal["a", "b"] = "a", n: Union[int, None] = None) -> str: return f"{mode}{n}"
result = [kw(), kw(mode="b", n=2)]
