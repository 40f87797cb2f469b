def show(f):
    try:
        print(repr(f()))
    except Exception as e:
        print(type(e).__name__, e)


l = [5, 3, 8, 1]
show(lambda: l[0] + l[-1])
show(lambda: l[10])
show(lambda: l["a"])
show(lambda: l[1:3] + l[:2] + l[::2] + l[::-1] + l[-2:] + l[5:] + l[3:0:-1])
show(lambda: sorted(l) + sorted(l, reverse=True) + sorted(l, key=lambda x: -x))
show(lambda: l.index(8))
show(lambda: l.index(99))
show(lambda: l.count(3))
l2 = l.copy()
l2.append(9)
l2.extend([1, 2])
l2.extend("ab")
l2.insert(1, "x")
l2.insert(-1, "y")
l2.insert(100, "z")
print(l2, l2.pop(), l2.pop(0), l2)
l2.remove("x")
show(lambda: l2.remove("nope"))
l2.reverse()
print(l2)
l3 = [3, 1, 2]
l3.sort()
print(l3, l3.sort(reverse=True), l3)
l3.sort(key=lambda x: x % 3)
print(l3)
l3.clear()
show(lambda: l3.pop())
l4 = list(range(10))
l4[2:5] = ["a"]
print(l4)
l4[::2] = [0] * len(l4[::2])
print(l4)
del l4[0]
del l4[1:3]
print(l4)
l4[1:1] = [7, 7]
l4 += (1, 2)
l4 *= 2
print(l4)
show(lambda: [1, [2, [3]]] == [1, [2, [3]]])
show(lambda: [1, 2] < [1, 3])
show(lambda: [] or "empty")
show(lambda: [0] * 3 + [None] * 2)
show(lambda: [[0] * 2 for _ in range(2)])
show(lambda: [x for x in range(20) if x % 2 if x % 3])
show(lambda: [(x, y) for x in range(3) for y in range(x)])
show(lambda: {x: y for x, y in [("a", 1), ("b", 2)]})
show(lambda: {x % 3 for x in range(10)})
show(lambda: [[y * 2 for y in x] for x in [[1, 2], [3]]])
show(lambda: list(x * 2 for x in range(3)))
show(lambda: tuple(x for x in "ab"))
t = (1, 2, 3)
show(lambda: t + (4,))
show(lambda: t[1:])
show(lambda: t.index(2) + t.count(1))
show(lambda: ())
show(lambda: (1,))
show(lambda: hash((1, 2)) == hash((1, 2)))
a, b, c = t
print(a, b, c)
a, *b = t
print(a, b)
*a, b = t
print(a, b)
a, *b, c = "hello"
print(a, b, c)
(a, b), c = (1, 2), 3
print(a, b, c)
[a, [b, c]] = [1, [2, 3]]
print(a, b, c)
a, b = b, a
print(a, b)
show(lambda: [*range(3), *"ab", 9])
show(lambda: (*[1], *[2]))
show(lambda: {**{"a": 1}, "b": 2, **{"a": 3}})
show(lambda: {*[1, 2], *[2, 3]})


def unpack2(v):
    a, b = v
    return a, b


for v in [[1, 2], (1, 2), "ab", {"x": 1, "y": 2}, [1], [1, 2, 3], 5, range(2)]:
    show(lambda: unpack2(v))
d = {"b": 1, "a": 2}
d["c"] = 3
d["b"] = 10
print(d, len(d), "a" in d, "z" in d, list(d), list(d.values()), list(d.items()))
show(lambda: d["zz"])
show(lambda: d.get("zz"))
show(lambda: d.get("zz", 0))
show(lambda: d.pop("a"))
show(lambda: d.pop("a"))
show(lambda: d.pop("a", None))
show(lambda: d.setdefault("q", []))
show(lambda: d)
d.update({"x": 1}, y=2)
d.update([("p", 1)])
print(d)
show(lambda: d.popitem())
del d["x"]
show(lambda: d)
show(lambda: d.keys())
show(lambda: d.values())
show(lambda: d.items())
show(lambda: dict(a=1, b=2))
show(lambda: dict([("a", 1)], b=2))
show(lambda: dict.fromkeys("ab", 0))
show(lambda: {"a": 1} | {"b": 2})
show(lambda: {"a": 1} == {"a": 1.0})
show(lambda: {"a": 1, "b": 2} == {"b": 2, "a": 1})
show(lambda: {[]: 1})
show(lambda: {"a": {}}["a"])
show(lambda: sorted({"b": 1, "a": 2}))
show(lambda: sorted({"b": 1, "a": 2}.items(), key=lambda kv: kv[1]))
show(lambda: max({"b": 1, "a": 2}, key={"b": 1, "a": 2}.get))
show(lambda: {"a": 1}.keys() & {"a": 2, "b": 3}.keys())
show(lambda: list({"a": 1, "b": 2}.keys() - {"a"}))
show(lambda: {1: "a"}.items() == {1: "a"}.items())
show(lambda: {(1, 2): "t"}[1, 2])
show(lambda: {None: 1, 1.5: 2, "a": 3})
for k in d:
    d[k] = 0
print(d)


def grow():
    e = {1: 1}
    for k in e:
        e[k + 1] = 1


show(grow)
s = {3, 1, 2}
show(lambda: s)
s.add(5)
s.discard(99)
show(lambda: s.remove(99))
show(lambda: s | {7})
show(lambda: s & {1, 2, 100})
show(lambda: s - {1})
show(lambda: s ^ {1, 50})
show(lambda: s <= {1, 2, 3, 5, 6})
show(lambda: s < s)
show(lambda: {1, 2} == {2, 1})
show(lambda: set("aab") == {"a", "b"})
show(lambda: len(set([1, 1, 2])))
show(lambda: sorted(set("hello")))
show(lambda: frozenset([1, 2]) | {3})
show(lambda: {frozenset([1]): 1})
show(lambda: {[1]})
show(lambda: set())
show(lambda: s.union([9, 10], (11,)))
show(lambda: s.issubset(range(10)))
show(lambda: s.isdisjoint([100]))
show(lambda: {1, 2, 3}.intersection([2, 3, 4]))
show(lambda: {1, 2, 3}.symmetric_difference([2, 3, 4]))
show(lambda: {10, 5, 20, 15, 1000, 33})
show(lambda: set(range(20, 0, -3)))
show(lambda: {x * x % 17 for x in range(30)})
show(lambda: list({1.5, 2, -1, 0}))
show(lambda: sum({1, 2, 3}))
u = {1, 2}
u |= {3}
u -= {1}
u &= {2, 3, 4}
u.update([8], {9})
print(u)
r = range(2, 20, 3)
show(lambda: list(r))
show(lambda: r[1])
show(lambda: r[-1])
show(lambda: r[1:3])
show(lambda: len(r))
show(lambda: 5 in r)
show(lambda: 6 in r)
show(lambda: r)
show(lambda: range(3) == range(0, 3))
show(lambda: list(range(5, 0, -2)))
show(lambda: range(0))
show(lambda: range(1.5))
show(lambda: range(1, 2, 0))
show(lambda: list(enumerate("ab", 1)))
show(lambda: list(zip([1, 2, 3], "ab")))
show(lambda: list(map(lambda x, y: x + y, [1, 2], [3, 4])))
show(lambda: list(filter(None, [0, 1, "", "a"])))
show(lambda: list(reversed([1, 2, 3])))
show(lambda: any([]) or all([]))
show(lambda: next(iter([1])))
show(lambda: next(iter([]), "dflt"))
show(lambda: next(iter([])))
show(lambda: next(x for x in [1, 2, 3] if x > 1))
show(lambda: list(zip(*[(1, "a"), (2, "b")])))
show(lambda: [i for i, x in enumerate("abc") if x != "b"])
show(lambda: len(zip([1], [2])))
show(lambda: [1, 2, 3][True])
x = [1, 2]
x.append(x)
print(x)
dd = {}
dd["self"] = dd
print(dd)
nested = {"users": [{"name": "A", "tags": ["x"]}, {"name": "B", "tags": []}]}
nested["users"][0]["tags"].append("y")
nested["users"][1]["n"] = nested["users"][1].get("n", 0) + 1
print(nested)
m = [[1, 2], [3, 4]]
m[0][1] += 10
m[1][0], m[1][1] = m[1][1], m[1][0]
print(m, [list(r) for r in zip(*m)], [sum(r) for r in m])
it = iter([1, 2, 3])
print(next(it), list(it), list(it))
lst = [1, 2, 3, 4, 5, 6]
for v in lst:
    if v % 2 == 0:
        lst.remove(v)
print(lst)
for v in lst[:]:
    lst.append(v * 10)
print(lst)
print([1, 2] is [1, 2], None is None, [] == (), (1, 2) == [1, 2])
print(1 if [] else 2, bool({}), bool(()), bool("0"), bool(0.0), bool(None))
print(isinstance([], list), isinstance({}, (list, dict)), isinstance("", str), isinstance(set(), set))
print(type([]), type({}), type(()), type(""), type(set()), type(lambda: 1).__name__, type(print).__name__)
