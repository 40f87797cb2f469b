class Config(dict):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.loaded = True
    def __getattr__(self, n):
        try:
            return self[n]
        except KeyError:
            raise AttributeError(n)
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v)
    def merge(self, o):
        for k, v in o.items():
            if isinstance(v, dict) and isinstance(self.get(k), dict):
                self[k].update(v)
            else:
                self[k] = v
        return self
c = Config(a=1, b={"x": 1})
c["C"] = 3
c.merge({"b": {"y": 2}})
print(c, c.a, c.c, len(c), list(c), c.loaded, isinstance(c, dict), c == {"a": 1, "b": {"x": 1, "y": 2}, "c": 3}, type(c).__name__)
try:
    c.zzz
except AttributeError as e: print("AE", e)
for k, v in c.items(): print(k, v)
print("a" in c, c.get("q", 0), c.pop("a"), dict(c), {**c}, c | {"r": 1})
class Def(dict):
    def __missing__(self, k):
        self[k] = k * 2
        return self[k]
d = Def()
print(d["ab"], d, d.get("zz"))
class Stack(list):
    def push(self, x): self.append(x); return self
    def peek(self): return self[-1]
    def __repr__(self): return f"Stack({list(self)})"
s = Stack([1,2]).push(3)
print(s, s.peek(), len(s), s[0], s[1:], sorted(s, reverse=True), sum(s), [x*2 for x in s], s == [1,2,3], isinstance(s, list), bool(Stack()), s + [4], 2 in s)
s.sort(reverse=True); print(s); s[0] = 10; print(s.index(10), s.pop(), s)
class Up(str):
    def shout(self): return self.upper() + "!"
u = Up("hey")
print(u, u.shout(), len(u), u + "x", u == "hey", isinstance(u, str), f"{u:>5}|", u[0], {u: 1}["hey"], repr(u))
class Money(int):
    def __add__(self, o): return Money(int(self) + int(o))
    def __repr__(self): return f"${int(self)}"
m = Money(5) + Money(6)
print(m, repr(m), m * 2, m > 3, isinstance(m, int), sum([Money(1), Money(2)]))
class Pt(tuple):
    def __new__(cls, x, y): return super().__new__(cls, (x, y))
    @property
    def x(self): return self[0]
p = Pt(1, 2); print(p, p.x, p[1], len(p)); a, b = p; print(a, b)
class S2(set):
    def addall(self, *xs): self.update(xs); return self
z = S2().addall(3, 1, 2); print(sorted(z), len(z), 3 in z, z & {1, 5})
class F(float):
    pass
print(F(1.5) + 1, F("2.5"))
