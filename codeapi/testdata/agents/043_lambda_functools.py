from functools import reduce, lru_cache, partial

compose = lambda *fs: reduce(lambda f, g: lambda x: g(f(x)), fs)
pipeline = compose(str.strip, str.lower, lambda s: s.replace(" ", "_"))


@lru_cache(maxsize=None)
def ways(n, coins=(25, 10, 5, 1)):
    if n == 0:
        return 1
    if n < 0 or not coins:
        return 0
    return ways(n - coins[0], coins) + ways(n, coins[1:])


power = lambda base, exp: base ** exp
square = partial(power, exp=2)

print(pipeline("  Hello Big World "))
result = {
    "ways_50": ways(50),
    "factorial": reduce(lambda a, b: a * b, range(1, 8), 1),
    "squares": list(map(square, [1, 2, 3])),
    "odd": list(filter(lambda n: n % 2, range(8))),
}
