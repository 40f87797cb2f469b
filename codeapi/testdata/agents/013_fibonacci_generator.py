def fibonacci(limit):
    a, b = 0, 1
    while a <= limit:
        yield a
        a, b = b, a + b


evens = [x for x in fibonacci(1000) if x % 2 == 0]
print("evens:", *evens, sep=" ")
total = sum(fibonacci(100))
__result__ = {"evens": evens, "total": total, "ratio": round(987 / 610, 6)}
