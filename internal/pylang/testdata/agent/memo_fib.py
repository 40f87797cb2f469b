cache = {}
def fib(n):
    if n in cache:
        return cache[n]
    cache[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return cache[n]
print([fib(i) for i in range(15)], fib(90), len(cache))
