def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: sorted([float, int]))
t(lambda: sorted([float]))
t(lambda: sorted([float, float]))
t(lambda: max(int, str))
t(lambda: max([int, int]))
t(lambda: int < str)
t(lambda: int < int)
t(lambda: int <= int)
t(lambda: max(len, print))
t(lambda: sorted([None, None]))
t(lambda: min([{}, {}]))
t(lambda: {**max(int, True)})
t(lambda: sorted([t, t]))
t(lambda: [int] < [int])
t(lambda: [int] < [str])
t(lambda: max(list[int], list[int]))
t(lambda: sorted([1, None]))
t(lambda: sorted([object(), object()])[0:0])
t(lambda: max({1}.__class__, int))
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class A:
    pass
class B:
    def __getitem__(self, k): return k
for x in (dict, int, A, A(), B(), [1], {1: 2}, {1}, range(2), b"x", None, len, t, (), (1,), "s", 1.5, list[int], int | None, {}.keys(), iter([])):
    t(lambda: "x" % x)
    t(lambda: "%%" % x)
t(lambda: "%(a)s" % B())
t(lambda: "%(a)s" % dict)
