from functools import reduce, lru_cache, partial, cmp_to_key, cache
from itertools import groupby, chain, product, permutations, accumulate, islice, zip_longest, count, cycle, takewhile, dropwhile, starmap, pairwise, tee, repeat, combinations_with_replacement
from operator import itemgetter, attrgetter, mul, add

@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

print([fib(i) for i in range(15)], fib.cache_info().hits > 0)
words = ["apple", "avocado", "bean", "beet", "cherry"]
print({k: list(g) for k, g in groupby(words, key=itemgetter(0))})
print(list(accumulate([1, 2, 3, 4], mul)), reduce(add, [[1], [2, 3]], []), list(islice(count(5, 2), 4)))
print(list(zip_longest("abc", [1], fillvalue="-")), list(chain.from_iterable([[1, 2], [3]])), list(pairwise("abcd")))
print(sorted(["b10", "b9", "a2"], key=cmp_to_key(lambda a, b: (a > b) - (a < b))))
print(["".join(p) for p in permutations("abc", 2)], list(takewhile(lambda x: x < 3, [1, 2, 3, 1])))
double = partial(lambda a, b: a * b, 2)
print(list(map(double, range(4))), list(starmap(pow, [(2, 3), (3, 2)])), [next(cycle("xy")) for _ in range(2)])
rows = [("x", 3), ("y", 1), ("x", 1)]
print(sorted(rows, key=itemgetter(0, 1)), list(product("ab", repeat=2)))
result = [list(x) for x in zip(*[(1, "a"), (2, "b")])]
