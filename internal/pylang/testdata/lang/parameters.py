def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def f(a, b=2, /, c=3, *args, d, e=5, **kw): return a, b, c, args, d, e, kw
t(lambda: f(1, d=4)); t(lambda: f(1, 2, 3, 4, 5, d=6, z=7)); t(lambda: f(1)); t(lambda: f(1, b=2, d=3)); t(lambda: f(d=1)); t(lambda: f())
def g(x, /, y, *, z): return (x, y, z, [x for _ in range(1)], (lambda: x)())
t(lambda: g(1, 2, z=3)); t(lambda: g(1, y=2, z=3)); t(lambda: g(1, 2)); t(lambda: g())
def h(self, /, **kw):
    try:
        self += 1
    finally:
        return self, kw
t(lambda: h(1, self=2))
class A:
    def m(self, a, /, *, k, q=1): return a, k
    async def am(self, *, k): return k
t(lambda: A().m(1, k=2)); t(lambda: A().m(1)); t(lambda: A().m(k=1))
t(lambda: (lambda x, /, y=1: (x, y))(5, y=3))
def gen(n, /, *, step): yield n + step
t(lambda: list(gen(1, step=2))); t(lambda: gen(1)); t(lambda: gen(step=1))
