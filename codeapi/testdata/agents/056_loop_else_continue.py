def find_first_gap(ids):
    for a, b in zip(ids, ids[1:]):
        if b - a > 1:
            return a + 1
    return None


targets = [4, 9, 15, 7]
report = []
for t in targets:
    for d in range(2, t):
        if t % d == 0:
            report.append(f"{t} = {d} * {t // d}")
            break
    else:
        report.append(f"{t} is prime")

n, steps = 27, 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
    if steps > 1000:
        break
else:
    print("reached 1")

print(*report, sep="\n")
result = {"gap": find_first_gap([1, 2, 3, 6, 7]), "no_gap": find_first_gap([1, 2]), "steps": steps}
