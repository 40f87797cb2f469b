from enum import Enum, IntEnum, Flag, IntFlag, auto, unique, StrEnum
class Perm(Flag):
    R = auto(); W = auto(); X = auto()
    RW = R | W
p = Perm.R | Perm.W
print(p, repr(p), p == Perm.RW, Perm.R in p, Perm.X in p, p & Perm.R, ~Perm.R, bool(p & Perm.X), p.value, list(p), p ^ Perm.R, Perm(5), Perm(0), Perm.RW.name, len(p))
class I(IntFlag):
    A = 1; B = 2
print(I.A | I.B, int(I.A | I.B), I.A + 1, I.A | 4, repr(I.A|I.B))
class C(Enum):
    RED = 1; GREEN = "g"
    @property
    def label(self): return self.name.title()
    @classmethod
    def parse(cls, s): return cls[s.upper()]
    def __str__(self): return f"C:{self.value}"
print(C.RED, C.RED.label, C.parse("green"), C("g"), repr(C.RED), list(C), len(C), C.RED in C, C["RED"], C.RED.name, C.__members__)
for n, m in C.__members__.items(): print(n, m)
class Col(str, Enum):
    A = "a"; B = "b"
d = {Col.A: 1}
print(d["a"], d.get("b"), "a" in d, {"a": 5}[Col.A], Col.A == "a", f"{Col.A}", str(Col.A), Col.A.upper(), "x" + Col.A, Col("a") is Col.A, sorted([Col.B, Col.A]), "a" in {Col.A}, Col.A in {"a"}, [Col.A].index("a"))
print(Col.A in ("a", "b"), {Col.A: 1} == {"a": 1}, hash(Col.A) == hash("a"))
class S(StrEnum):
    X = auto(); Y = "yy"
print(S.X, S.Y, f"{S.X}", "x" == S.X, {S.X: 1}["x"])
class N(IntEnum):
    LOW = 1; HIGH = 3
print(N.LOW < N.HIGH, N.HIGH + 1, max(N), N(3), [10, 20, 30, 40][N.HIGH], {N.LOW: "l"}[1], sorted(N, reverse=True), f"{N.LOW}", N.LOW == 1, "%d" % N.HIGH, isinstance(N.LOW, int))
try: C(99)
except ValueError as e: print(e)
try: C["NO"]
except KeyError as e: print(e)
try: C.NO
except AttributeError as e: print(e)
class Planet(Enum):
    E = (5.9, 6.3); M = (6.4, 3.3)
    def __init__(self, mass, r): self.mass = mass; self.r = r
    @property
    def g(self): return round(self.mass / self.r, 2)
print(Planet.E.g, Planet.M.mass, Planet((5.9, 6.3)))
class O(Enum):
    def _generate_next_value_(name, start, count, last): return name.lower()
    A = auto(); B = auto()
print([o.value for o in O])
class W(Enum):
    A = 1
    @classmethod
    def _missing_(cls, v): return cls.A
print(W(7))
try:
    @unique
    class U(Enum):
        A = 1; B = 1
except ValueError as e: print(e)
print(C.RED is C(1), C.RED != C.GREEN, {C.RED: 1}[C.RED], type(C.RED), isinstance(C.RED, C), issubclass(N, int))
match C.RED:
    case C.RED: print("red")
    case _: print("other")
class Ord(Enum):
    LOW = 1; HIGH = 2
    def __lt__(self, o): return self.value < o.value
print(sorted([Ord.HIGH, Ord.LOW]), max(Ord))
