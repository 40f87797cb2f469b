from abc import ABC, abstractmethod
from dataclasses import dataclass, field, asdict, replace, astuple, fields
from enum import Enum
from typing import Any, Optional, NamedTuple, TypedDict


class Base:
    count = 0
    items = []

    def __init__(self, name="x"):
        self.name = name
        Base.count += 1

    def hello(self):
        return f"hello {self.name}"

    @property
    def upper(self):
        return self.name.upper()

    @upper.setter
    def upper(self, v):
        self.name = v.lower()

    @staticmethod
    def add(a, b):
        return a + b

    @classmethod
    def make(cls, *args):
        return cls(*args)

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"

    def __eq__(self, other):
        return isinstance(other, Base) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __lt__(self, other):
        return self.name < other.name

    def __len__(self):
        return len(self.name)

    def __getitem__(self, i):
        return self.name[i]

    def __contains__(self, c):
        return c in self.name

    def __iter__(self):
        return iter(self.name)

    def __call__(self, x):
        return self.name + x

    def __add__(self, other):
        return Base(self.name + other.name)

    def __bool__(self):
        return self.name != ""


class Child(Base):
    def __init__(self, name, extra):
        super().__init__(name)
        self.extra = extra

    def hello(self):
        return super().hello() + "!" + self.extra


b = Base("bob")
c = Child("cat", "?")
print(b, c, b.hello(), c.hello(), Base.count, Child.count)
print(b.upper, Base.add(1, 2), b.add(3, 4), Base.make("z"), Child.make("a", "b"))
b.upper = "NEW"
print(b.name, b == Base("new"), b != Base("new"), b < c, sorted([c, b]), max([b, c]))
print(len(b), b[0], b[1:], "n" in b, list(b), b("!"), b + c, bool(Base("")), {b: 1}[Base("new")])
print(isinstance(c, Base), isinstance(b, Child), issubclass(Child, Base), type(c).__name__, c.__class__.__name__, type(c) is Child)
print(hasattr(b, "name"), hasattr(b, "nope"), getattr(b, "nope", 1), getattr(b, "name"))
setattr(b, "dyn", 5)
print(b.dyn, b.__dict__, vars(c))
del b.dyn
try:
    b.dyn
except AttributeError as e:
    print(e)
try:
    b.nope()
except AttributeError as e:
    print(e)
try:
    Base(1, 2, 3)
except TypeError as e:
    print("TypeError")
Base.items.append(1)
print(c.items, b.items is c.items)
x, y, z = b
print(x, y, z)


class Stack:
    def __init__(self):
        self._data = []
        self.__secret = 1

    def push(self, v):
        self._data.append(v)
        return self

    def pop(self):
        if not self._data:
            raise IndexError("empty stack")
        return self._data.pop()

    def secret(self):
        return self.__secret


s = Stack().push(1).push(2)
print(s.pop(), s.pop(), s.secret())
try:
    s.pop()
except IndexError as e:
    print(e)


class Counter:
    def __init__(self):
        self.counts = {}

    def add(self, k):
        self.counts[k] = self.counts.get(k, 0) + 1

    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, t, v, tb):
        print("exit", t.__name__ if t else None, v)
        return t is ValueError

    def __iter__(self):
        for k in self.counts:
            yield k


with Counter() as cn:
    cn.add("a")
    cn.add("a")
print(cn.counts, list(cn))
with Counter():
    raise ValueError("swallowed")
try:
    with Counter() as q:
        raise KeyError("out")
except KeyError as e:
    print("caught", e)


def use():
    with Counter() as c1, Counter() as c2:
        return "from with"


print(use())


class It:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


print(list(It(3)), [v for v in It(2)], sum(It(4)))


@dataclass
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict, repr=False)

    def dist(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5


p = Point(3, 4)
print(p, p.dist(), p == Point(3, 4), p != Point(1), asdict(p), replace(p, x=1), astuple(p))
p.tags.append("t")
p.x += 1
print(p, Point(1).tags, [f.name for f in fields(p)])
try:
    Point()
except TypeError as e:
    print(e)
try:
    {p: 1}
except TypeError as e:
    print(e)


@dataclass(frozen=True, order=True)
class Ver:
    major: int
    minor: int = 0


print(Ver(1, 2) < Ver(1, 3), sorted([Ver(2), Ver(1, 5)]), {Ver(1): "a"}[Ver(1)])
try:
    Ver(1).major = 2
except AttributeError as e:
    print(type(e).__name__, e)


@dataclass
class Derived(Point):
    z: Optional[int] = None

    def __post_init__(self):
        self.sum = self.x + self.y


print(Derived(1, 2, z=3), Derived(1).sum)


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    def describe(self):
        return f"{self.__class__.__name__} {self.area():.2f}"


class Sq(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s ** 2


print(Sq(2).describe())
try:
    Shape()
except TypeError as e:
    print("abstract")


class Color(Enum):
    RED = 1
    GREEN = "g"

    def label(self):
        return self.name.lower()


print(Color.RED, repr(Color.RED), Color.RED.name, Color.GREEN.value, Color("g"), Color["RED"], [c.label() for c in Color], Color.RED == Color.RED, Color.RED in {Color.RED: 1})
try:
    Color(5)
except ValueError as e:
    print(e)


class Pt(NamedTuple):
    x: int
    y: int = 2


q = Pt(1)
print(q, q.x, q[1], list(q), q == (1, 2), q._asdict())
qa, qb = q
print(qa, qb)


class Movie(TypedDict):
    title: str
    year: int


mv: Movie = {"title": "t", "year": 1}
print(mv, Movie(title="x", year=2))


class Temp:
    def __init__(self, c):
        self.c = c

    def __eq__(self, o):
        return self.c == o.c

    def __str__(self):
        return f"{self.c}C"


print(Temp(1) == Temp(1), str(Temp(2)), f"{Temp(3)}", "%s" % Temp(4), [Temp(1)] == [Temp(1)])


class Vec:
    def __init__(self, *v):
        self.v = list(v)

    def __add__(self, o):
        return Vec(*[a + b for a, b in zip(self.v, o.v)])

    def __mul__(self, k):
        return Vec(*[a * k for a in self.v])

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __repr__(self):
        return f"Vec{tuple(self.v)}"

    def __setitem__(self, i, x):
        self.v[i] = x

    def __getitem__(self, i):
        return self.v[i]

    def __iadd__(self, o):
        self.v = [a + b for a, b in zip(self.v, o.v)]
        return self

    def __getattr__(self, name):
        if name == "magic":
            return 42
        raise AttributeError(name)


v = Vec(1, 2)
v[0] = 5
v += Vec(1, 1)
print(v + Vec(1, 1), v * 2, 3 * v, -v, v[0], v.magic)
try:
    v.other
except AttributeError as e:
    print("no", e)
print(Vec.__name__, Vec.__add__(Vec(1), Vec(2)))


class Meta:
    registry = {}

    def register(self, f):
        self.registry[f.__name__] = f
        return f


m = Meta()


@m.register
def handler(x):
    return x * 2


def twice(f):
    def inner(*args, **kw):
        return f(*args, **kw) * 2
    return inner


def scaled(k):
    def deco(f):
        def inner(x):
            return f(x) * k
        return inner
    return deco


@twice
@scaled(10)
def base(x):
    return x + 1


print(m.registry["handler"](4), base(1))


class Node:
    def __init__(self, val, left=None, right=None):
        self.val, self.left, self.right = val, left, right

    def walk(self):
        if self.left:
            yield from self.left.walk()
        yield self.val
        if self.right:
            yield from self.right.walk()


tree = Node(2, Node(1), Node(3))
print(list(tree.walk()), sum(tree.walk()))
