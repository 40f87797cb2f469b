def g():
    x = yield 1
    print("got", x)
    try:
        y = yield 2
    except ValueError as e:
        print("VE", e); y = yield "recovered"
    finally:
        print("fin")
    return 99
it = g(); print(next(it), it.send("a"), it.throw(ValueError("z")))
try: next(it)
except StopIteration as e: print(e.value)
def outer():
    r = yield from inner(); print("inner gave", r)
    yield from range(2)
def inner(): yield "i"; return "done"
print(list(outer()))
def flat(x):
    for i in x:
        if isinstance(i, (list, tuple)): yield from flat(i)
        else: yield i
print(list(flat([1, [2, (3, [4])]])))
def cnt(n):
    while n: yield n; n -= 1
a, *b = cnt(4); print(a, b, sum(cnt(3)), max(cnt(5)), dict(zip("ab", cnt(2))), tuple(cnt(2)), " ".join(str(i) for i in cnt(3)))
gx = (i * i for i in range(4)); print(next(gx), list(gx), next(gx, "end"))
c = cnt(3); c.close(); print(list(c))
import itertools as it2
print(list(it2.islice(it2.count(5, 2), 3)), list(it2.chain([1], (2,), "3")), list(it2.accumulate([1, 2, 3], initial=10)), list(it2.pairwise("abc")), [(k, list(v)) for k, v in it2.groupby("aabbc")], list(it2.combinations("abc", 2)), list(it2.product([1, 2], repeat=2)), list(it2.zip_longest([1], [2, 3], fillvalue=0)), list(it2.takewhile(lambda x: x < 3, range(9))), list(it2.dropwhile(lambda x: x < 3, range(5))), list(it2.starmap(pow, [(2, 3)])), list(it2.compress("abc", [1, 0, 1])), list(it2.permutations([1, 2])), list(it2.filterfalse(lambda x: x % 2, range(4))), list(it2.repeat(1, 2)), [list(x) for x in it2.tee([1, 2])], list(it2.chain.from_iterable([[1], [2]])), list(it2.islice(it2.cycle("ab"), 3)), list(it2.combinations_with_replacement("ab", 2)))
class Tree:
    def __init__(s, v, l=None, r=None): s.v, s.l, s.r = v, l, r
    def __iter__(s):
        if s.l: yield from s.l
        yield s.v
        if s.r: yield from s.r
print(list(Tree(2, Tree(1), Tree(3))))
def countdown():
    try:
        yield 1
    finally: print("cleanup")
for x in countdown(): break
print("after")
def two(): return (yield)
t = two(); next(t)
try: t.send(5)
except StopIteration as e: print("ret", e.value)
print([*cnt(2), *"ab"], {*cnt(2)}, {**{"a": 1}, "b": 2})
