items = [(60, 10), (100, 20), (120, 30)]
cap = 50
best = [0] * (cap + 1)
for value, weight in items:
    for c in range(cap, weight - 1, -1):
        best[c] = max(best[c], best[c - weight] + value)
print(best[cap], best[::10])
