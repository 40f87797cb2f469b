from enum import Enum, IntEnum, unique, auto
class S(str, Enum):
    A = "a"
    B = "b"
    def __str__(self): return self.value
class I(int, Enum):
    X = 1
print(S.A == "a", S.A.upper(), S("b") is S.B, "a" in [S.A], f"{S.A}", I.X + 1, I.X == 1, sorted([S.B, S.A])[0].name, isinstance(S.A, str))
class T(Enum):
    LOW = ("low", 1)
    HIGH = ("high", 2)
    def __init__(self, label, rank):
        self.label = label
        self.rank = rank
    def __lt__(self, o): return self.rank < o.rank
print(T.LOW.label, T.HIGH.rank, T.LOW < T.HIGH, max(T), T["LOW"], [t.label for t in T], T.LOW.value)
print(T.__members__.keys() if hasattr(T, "__members__") else None)
try: T("x")
except ValueError as e: print(e)
try: T["x"]
except KeyError as e: print(e)
class P(IntEnum):
    A = auto()
    B = auto()
print(P.A < P.B, P(2), int(P.B), P.B.name, repr(P.A), list(P), f"{P.A:>3}", str(P.A), "%d" % P.B)
Color = Enum("Color", "RED GREEN")
print(Color.RED, Color.GREEN.value, list(Color))
match P.A:
    case P.A: print("matched")
