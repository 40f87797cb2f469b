from dataclasses import dataclass
from enum import Enum
class C(Enum): R = 1; G = 2
@dataclass
class P: x: int; y: int = 0
class Q:
    __match_args__ = ("a", "b")
    def __init__(s, a, b): s.a, s.b = a, b
def f(v):
    match v:
        case None: return "none"
        case True: return "true"
        case 0 | 1: return "01"
        case int(n) if n > 100: return f"big {n}"
        case int(): return "int"
        case "a" | "b" as s: return f"ab {s}"
        case str(): return "str"
        case []: return "empty"
        case [x]: return f"one {x}"
        case [1, 2, *rest]: return f"12 {rest}"
        case (a, [b, *_], *c): return f"nest {a} {b} {c}"
        case {"type": "add", "args": [l, r]}: return l + r
        case {"k": k, **rest}: return f"k {k} {rest}"
        case {}: return "dict"
        case P(0, y=yy): return f"P0 {yy}"
        case P(x=px, y=py): return f"P {px} {py}"
        case Q(a, b): return f"Q {a}{b}"
        case C.R: return "red"
        case float() as fl: return f"float {fl}"
        case set(): return "set"
        case _: return "other"
for v in [None, True, 0, 1, 500, 7, "a", "zz", [], [9], [1, 2, 3, 4], (5, [6, 7], 8, 9), {"type": "add", "args": [1, 2]}, {"k": 1, "z": 2}, {"q": 1}, P(0, 5), P(1, 2), Q(1, 2), C.R, C.G, 1.5, {1}, b"x", -1]:
    print(f(v))
def cmd(s):
    match s.split():
        case ["go", ("north" | "south") as d]: return d
        case ["drop", *items] if items: return items
        case [first, *_, last]: return (first, last)
        case _: return None
print(cmd("go north"), cmd("drop a b"), cmd("x y z"), cmd("q"))
match = 5; case = 6; type = 3
print(match, case, type)
