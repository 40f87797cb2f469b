rows = [[1]]
for _ in range(6):
    last = rows[-1]
    rows.append([1] + [a + b for a, b in zip(last, last[1:])] + [1])
for r in rows:
    print(" ".join(map(str, r)).center(24))
