from functools import cached_property
class Typed:
    def __init__(self, typ): self.typ = typ
    def __set_name__(self, owner, name): self.name = name; self.key = "_" + name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return getattr(obj, self.key, None)
    def __set__(self, obj, v):
        if not isinstance(v, self.typ):
            raise TypeError(f"{self.name} must be {self.typ.__name__}")
        setattr(obj, self.key, v)
    def __delete__(self, obj): delattr(obj, self.key)
class P:
    age = Typed(int); name = Typed(str)
    def __init__(self, n, a): self.name = n; self.age = a
p = P("a", 3)
print(p.name, p.age, p.__dict__)
try: p.age = "x"
except TypeError as e: print(e)
del p.age; print(p.age, P.age.name, isinstance(P.age, Typed))
p.age = 4; p.age += 1; print(p.age)
class NonData:
    def __get__(self, obj, owner): return "nd"
class Q: x = NonData()
q = Q(); print(q.x, Q.x); q.x = 1; print(q.x)
class T:
    def __init__(self): self._t = 1
    @property
    def t(self):
        "doc t"
        return self._t
    @t.setter
    def t(self, v): self._t = v
    @t.deleter
    def t(self): del self._t
    @cached_property
    def heavy(self): print("computing"); return 42
    size = property(lambda self: 9)
    def _g(self): return self._v
    def _s(self, v): self._v = v
    v = property(_g, _s, doc="dd")
t = T(); t.t = 5; print(t.t, t.heavy, t.heavy, t.size); t.v = 3; print(t.v, T.t.__doc__, T.v.__doc__)
t.t += 2; print(t.t)
del t.t
try: t.t
except AttributeError as e: print(e)
try: t.size = 3
except AttributeError as e: print(e)
try: del t.size
except AttributeError as e: print(e)
class Sl:
    __slots__ = ("a", "b")
    def __init__(self): self.a = 1
s = Sl(); s.b = 2; print(s.a, s.b)
class G:
    def __getattr__(self, n):
        if n.startswith("x"): return n * 2
        raise AttributeError(n)
    def __setattr__(self, n, v): object.__setattr__(self, n, v + 1)
    def __delattr__(self, n): print("del", n); super().__delattr__(n)
g = G(); g.k = 1; print(g.k, g.xy, hasattr(g, "nope"), getattr(g, "nope", 3)); del g.k; print(hasattr(g, "k"))
class GA:
    def __init__(self): self.a = 1
    def __getattribute__(self, n):
        if n == "secret": return "s"
        return object.__getattribute__(self, n)
x = GA(); print(x.a, x.secret)
class K:
    def __init__(s, a): s.a = a
    def __eq__(s, o): return isinstance(o, K) and s.a == o.a
    def __hash__(s): return hash(s.a)
    def __call__(s, *a, **k): return (s.a, a, k)
    def __contains__(s, x): return x == s.a
    def __iter__(s): s.i = 0; return s
    def __next__(s):
        s.i += 1
        if s.i > 3: raise StopIteration
        return s.i
    def __len__(s): return 3
    def __bool__(s): return False
    def __getitem__(s, i): return i
    def __reversed__(s): return iter([3,2,1])
    def __enter__(s): print("in"); return s
    def __exit__(s, t, v, tb): print("out", t.__name__ if t else None, v); return True
    def __format__(s, spec): return f"<{spec}>"
    def __index__(s): return 2
    def __int__(s): return 7
    def __float__(s): return 1.5
    def __neg__(s): return "neg"
    def __invert__(s): return "inv"
    def __abs__(s): return "abs"
    def __matmul__(s, o): return "mm"
    def __divmod__(s, o): return ("dm", o)
    def __rsub__(s, o): return ("rsub", o)
    def __pow__(s, o): return ("pow", o)
    def __lshift__(s, o): return "<<"
    def __round__(s, n=None): return ("round", n)
    def __trunc__(s): return 3
    def __copy__(s): return "copied"
    def __deepcopy__(s, memo): return "deep"
    def __bytes__(s): return b"by"
    def __length_hint__(s): return 3
k = K(1)
print({k: 1}[K(1)], k(1, z=2), 1 in k, list(k), bool(k), k[5], k[1:2], list(reversed(k)), f"{k:abc}", [1,2,3][k], int(k), float(k), -k, ~k, abs(k), k @ 1, divmod(k, 2), 5 - k, k ** 2, k << 1, round(k), round(k, 1))
import copy, math
print(copy.copy(k), copy.deepcopy(k), bytes(k), math.trunc(k))
with k as z: raise ValueError("boo")
print("end", hex(k), "abc"[k], k in [K(1)], K(1) in {K(1)}, len({K(1), K(1), K(2)}))
