x = 10
def outer():
    x = 20
    def inner():
        global x
        x += 1
        return x
    return inner(), x
print(outer(), x)
def make(n):
    return [lambda i=i: i * n for i in range(3)]
print([f() for f in make(5)], [f() for f in [lambda: i for i in range(3)]])
def defaults(a, acc=[]):
    acc.append(a); return acc
print(defaults(1), defaults(2))
try:
    print(y_undefined_later)
except NameError as e:
    print("NameError", e)
y_undefined_later = 1
for i in range(3): pass
print(i, [i * 2 for i in range(2)], i)
a = b = []
a.append(1); print(b, a is b)
a, b = b, a
t = (1, [2]); t[1].append(3); print(t)
try:
    t[0] = 5
except TypeError as e:
    print(e)
print(type(1).__name__, type("a") is str, type([]) == list, type(None).__name__, isinstance(True, int), callable(print), isinstance(3, (str, int)), int.__name__)
print(*[1, 2], sep=", ", end="!\n"); print("a", "b", sep=""); print()
print(repr("it's"), repr('say "hi"'), str([1, 'a', None, 2.0]), repr({"k": (1,)}), {1, 2} | {3}, frozenset([1]), set(), {True: 1, 1: 2})
print(sorted({"b": 1, "a": 2}), sorted("hello"), sorted([3, 1, 2], reverse=True), sorted(["B", "a"], key=str.lower), max("abc", "abd"), min([3, 1], default=0), max([], default="none"), sum([0.1] * 3), sum([[1], [2]], []))
print(list(range(10, 0, -3)), range(5)[-1], 3 in range(5), len(range(0, 10, 3)), list(zip(*[[1, 2], [3, 4]])), dict([("a", 1)]), list("abc"), tuple([1]), bool("False"), int("  42 "), float("-1.5e3"), str(1e6), 1e22, 1.0, 100000000000000000.0, -0.0, 1 / 3, 2 / 1)
print(10 % 3, -10 % 3, 10.5 // 2, 2 ** 0.5, 1_000_000, 0xff, 0b11, 1e3, "é".encode(), len("日本"), "日本"[1], "\u00e9" == "é", "a\tb\\n", r"raw\n", "multi" "part")
del a
try:
    a
except NameError as e:
    print(e)
assert 1 + 1 == 2, "math"
try:
    assert False, f"because {x}"
except AssertionError as e:
    print("assert", e)
match {"type": "circle", "r": 2}:
    case {"type": "square", "side": s}: print("sq", s)
    case {"type": "circle", "r": r} if r > 1: print("circle", r)
    case _: print("other")
def describe(v):
    match v:
        case 0 | 1: return "small"
        case int(n) if n < 0: return f"neg {n}"
        case [a, b, *rest]: return f"seq {a} {b} {rest}"
        case str() as s: return f"str {s}"
        case None: return "none"
        case _: return "?"
print([describe(v) for v in (1, -3, [1, 2, 3], (9, 8), "x", None, 4.5)])
