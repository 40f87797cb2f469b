from __future__ import annotations
import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from nowhere import Nothing


def star_return(a, b):
    return *a, b


print(star_return([1, 2], 3))
for x in *[1, 2], 3:
    print(x, end=" ")
print()
fs = []
for i in range(3):
    try:
        fs.append(lambda: i)
    finally:
        pass
print([f() for f in fs])


def nest():
    total = 0

    def add(x):
        nonlocal total
        try:
            total += x
            return total
        finally:
            total += 100
    return add(1), add(2), total


print(nest())


class Cfg:
    __slots__ = ("a",)
    x: int
    y: int = 5
    try:
        z = int("7")
    except ValueError:
        z = 0
    names = [n for n in ("p", "q")]
    for n in names:
        pass
    table = {}
    table["k"] = y

    def __init__(self):
        self.a = 1

    def get(self):
        return self.a + self.y


c = Cfg()
print(c.get(), Cfg.z, Cfg.names, Cfg.n, Cfg.table)


def gen_with_try():
    for i in range(3):
        try:
            if i == 1:
                raise ValueError(i)
            yield i
        except ValueError as e:
            yield f"err {e}"
        finally:
            yield "f"


print(list(gen_with_try()))


def loop_in_try():
    out = []
    for i in range(5):
        try:
            for j in range(3):
                if j == 1:
                    continue
                if i == 3:
                    break
                if i == 4:
                    return out
                out.append((i, j))
            else:
                out.append("else")
        except Exception:
            pass
        else:
            out.append("ok")
    return out


print(loop_in_try())
x = 10


def shadow():
    x = 1

    def inner():
        global x
        x = 99
        return x
    return inner(), x


print(shadow(), x)


def unbound():
    try:
        print(q)
    except NameError as e:
        print(type(e).__name__, e)
    q = 1


unbound()


def del_local():
    v = 1
    del v
    try:
        return v
    except UnboundLocalError as e:
        return str(e)


print(del_local())
try:
    e = 5
    raise KeyError("k")
except KeyError as e:
    pass
try:
    print(e)
except NameError as err:
    print("NameError", err)


def outer(n):
    if n == 0:
        raise ValueError("deep")
    try:
        return outer(n - 1)
    except ValueError as ex:
        raise RuntimeError(f"level {n}") from ex


try:
    outer(3)
except RuntimeError as r:
    chain = []
    while r:
        chain.append(str(r))
        r = r.__cause__
    print(chain)
print([(lambda n: n * f)(2) for f in range(3)], (lambda *a, k=1, **kw: (a, k, kw))(1, 2, k=3, z=4))
print([[i * j for j in range(i)] for i in range(4)], [x for x in (y for y in range(3)) if x])
m = {"a": {"b": [1, 2, {"c": 3}]}}
m["a"]["b"][2]["c"] += 1
m["a"]["b"][0], m["a"]["n"] = m["a"]["b"][1], len(m)
print(m)
a = [1, 2, 3]
b = a
b += [4]
a = a + [5]
print(a, b)
t = (1, [2])
try:
    t[1] += [3]
except TypeError as ex:
    print("TypeError", ex, t)
print(1 if True else 2 if False else 3, not True == False, 1 < 2 == True, -2 ** 2, 2 ** -1, 7 % -3)
print("%s" % (1,), "%s" % [1], "%%", "%5.1f|%-5d|" % (1.25, 3), "a" "b" f"{1}" "c")
print(*(i for i in range(3)), sep=",")
print(sorted({"b": 1, "a": 2}.items(), key=lambda kv: kv[1], reverse=True)[0][0], max({"x": 3, "y": 7}.items(), key=lambda kv: kv[1]))


@dataclass
class Node:
    val: int
    children: list[Node] = field(default_factory=list)
    parent: Optional[Node] = None

    def depth(self):
        return 1 + max((c.depth() for c in self.children), default=0)


root = Node(1, [Node(2, [Node(3)]), Node(4)])
print(root.depth(), root.children[1], root == Node(1, [Node(2, [Node(3)]), Node(4)]))


class Chain:
    def __init__(self):
        self.ops = []

    def __getattr__(self, name):
        def op(*a):
            self.ops.append((name, a))
            return self
        return op


print(Chain().select("a").where(1, 2).ops)


class Money:
    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v < o.v

    def __eq__(self, o):
        return isinstance(o, Money) and self.v == o.v

    def __add__(self, o):
        return Money(self.v + (o.v if isinstance(o, Money) else o))

    __radd__ = __add__

    def __repr__(self):
        return f"${self.v}"

    def __format__(self, spec):
        return f"<{self.v:{spec or 'd'}}>"

    def __bool__(self):
        return self.v != 0


ms = [Money(3), Money(1), Money(2)]
print(sorted(ms), min(ms), sum(ms), f"{Money(5)} {Money(5):04d}", Money(1) in ms, ms.index(Money(2)), [bool(m) for m in (Money(0), Money(1))], Money(2) > Money(1))
if Money(0):
    print("no")
else:
    print("empty")
while not Money(0):
    break


async def agather():
    async def one(i):
        await asyncio.sleep(0)
        return i
    res = {}
    for i, r in zip("ab", await asyncio.gather(one(1), one(2))):
        res[i] = r
    t1 = asyncio.create_task(one(5))
    await asyncio.sleep(0)
    return res, await t1, t1.done()


print(asyncio.run(agather()))
s = "abc"
print(s[::-1], s * 2, s[-2:], "".join(sorted(s, reverse=True)), s.find("z"), s[5:], s[:100])
items = [("a", 1), ("b", 2)]
for i, (name, num) in enumerate(items):
    print(i, name, num)
print({name: num for name, num in items}, [n for _, n in items], dict(items), list(zip(*items)))
print(any(x > 1 for _, x in items), all(isinstance(n, str) for n, _ in items), sum(x for _, x in items), next((n for n, x in items if x == 2), None))
big = {i: str(i) for i in range(300)}
print(len(big), big[299], sum(len(v) for v in big.values()))
args = list(range(300))
print(max(*args), len((lambda *a: a)(*args)))
nested = [1, [2, [3, [4, [5]]]]]


def flat(x):
    return [x] if not isinstance(x, list) else [z for y in x for z in flat(y)]


print(flat(nested))
print([*"ab", *{"k": 1}, *range(2)], {**{"a": 1}, **{}}, (*[], 1))
val = 5
match val:
    case 1 | 2:
        print("small")
    case n if n > 3:
        print("big", n)
i = 0
while True:
    i += 1
    if i % 2:
        continue
    if i > 6:
        break
    print(i, end=";")
print()
print(f"{'nested':>{10}}|{3.14159:{'.2f'}}|{val!r:>4}|{val:=+5}|{'{}'}|{{}}")
print(f"{m['a']['n']} {len(items)=} {val + 1 = }")
print(round(1e15 + 0.3), 1e-4, 1e-5, 123456789.123, 1e15, 1e16, 100000000000000000000.0, 0.1 + 0.7)
raise SystemExit
