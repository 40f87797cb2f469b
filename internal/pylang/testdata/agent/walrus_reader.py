data = iter([3, 8, 0, 5])
total = 0
while (value := next(data, None)) is not None and value != 0:
    total += value
    print(value, total)
if (n := len("hello")) > 4:
    print(f"long: {n}")
print([y for x in range(6) if (y := x * x) % 2 == 0])
