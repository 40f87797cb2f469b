from functools import singledispatch, singledispatchmethod, total_ordering, lru_cache, cache, partial, reduce, wraps, cmp_to_key, partialmethod
@singledispatch
def f(x): return "obj"
@f.register
def _(x: int): return "int"
@f.register
def _(x: list) -> str: return "list"
@f.register(str)
def _(x): return "str"
@f.register(float)
@f.register(dict)
def _(x): return "fd"
class A: pass
class B(A): pass
@f.register
def _(x: A): return "A"
print(f(1), f([1]), f("x"), f(1.5), f({}), f(None), f(B()), f(True))
print(f.dispatch(int)(3))
class S:
    @singledispatchmethod
    def go(self, x): return "o"
    @go.register
    def _(self, x: int): return "i"
print(S().go(1), S().go("a"))
@total_ordering
class V:
    def __init__(s, a): s.a = a
    def __eq__(s, o): return s.a == o.a
    def __lt__(s, o): return s.a < o.a
print(V(1) <= V(2), V(2) >= V(1), V(1) > V(2), sorted([V(3), V(1)])[0].a)
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
print(fib(50), fib.cache_info(), fib.cache_clear(), fib.cache_info().currsize)
@cache
def sq(x): return x * x
print(sq(3), sq(3), sq.cache_info().hits)
p = partial(int, base=2); print(p("101"), p.func is int, p.keywords, p.args)
print(reduce(lambda a, b: a + b, [1, 2, 3], 10))
def deco(fn):
    @wraps(fn)
    def inner(*a, **k): "inner doc"; return fn(*a, **k)
    return inner
@deco
def hello(): "hello doc"; return 1
print(hello.__name__, hello.__doc__, hello.__wrapped__())
print(sorted(["b", "A"], key=cmp_to_key(lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))))
class PM:
    def go(self, a, b): return a, b
    go1 = partialmethod(go, 1)
print(PM().go1(2))
