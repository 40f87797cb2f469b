def p(x, v=None):
    print("p", x)
    return x if v is None else v
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: set(p(x, [x]) for x in range(3)))
t(lambda: {p(x, [x]) for x in range(3)})
t(lambda: {p(x, [x]): p(x) for x in range(3)})
t(lambda: frozenset(p(x, [x]) for x in range(3)))
t(lambda: dict((p(x, [x]), 1) for x in range(3)))
t(lambda: dict(p(x) for x in range(3)))
t(lambda: dict.fromkeys(p(x, [x]) for x in range(3)))
def g():
    s = set()
    s.update(p(x, [x]) for x in range(3))
t(g)
def g():
    s = {1}
    return s.union(p(x, [x]) for x in range(3))
t(g)
def g():
    s = {1}
    return s.difference(p(x, [x]) for x in range(3))
t(g)
def g():
    s = {1}
    return s.intersection(p(x, [x]) for x in range(3))
t(g)
def g():
    s = {1}
    return s.issuperset(p(x, [x]) for x in range(3))
t(g)
def g():
    s = {0, 1}
    return s.issuperset(p(x) for x in range(4))
t(g)
def g():
    s = {0, 1}
    return s.isdisjoint(p(x) for x in range(4))
t(g)
def g():
    d = {}
    d.update((p(x), x, 1) for x in range(3))
t(g)
def g():
    l = [1]
    l += (p(x) / (1 - x) for x in range(3))
t(g)
def g():
    l = [1]
    try:
        l.extend(p(x) / (1 - x) for x in range(3))
    except Exception as e: print(e)
    return l
t(g)
t(lambda: "".join(p(x) for x in range(3)))
t(lambda: max(p(x, "a" if x == 1 else x) for x in range(3)))
t(lambda: sum(p(x, "a" if x == 1 else x) for x in range(3)))
t(lambda: sorted((p(x) for x in [3, 1, 2]), key=lambda v: p(v, -v)))
t(lambda: list(zip((p(x) for x in [3, 1, 2]), [1])))
t(lambda: list(map(lambda a, b: p(a), [1, 2], iter([5]))))
t(lambda: [*(p(x) for x in [1, 2]), p(3)])
t(lambda: {**{p(1): p(2)}, p(3): p(4)})
t(lambda: {p(1): p(2), p(3): p(4)})
t(lambda: {p(1), p([2]), p(3)})
t(lambda: {p([1]): p(2), p(3): p(4)})
t(lambda: print(*(p(x) for x in [1, 2]), p(3)))
t(lambda: dict(a=p(1), **{p("b"): p(2)}))
t(lambda: tuple(p(x) for x in [1, 2]))
t(lambda: b"".join([p(1)]) if False else bytes(p(x) for x in [1, 300]))
t(lambda: b"abc".startswith(1))
