from itertools import combinations

items = {"laptop": (3, 2000), "camera": (1, 900), "book": (1, 60), "tripod": (2, 350), "drone": (4, 1900)}
limit = 6

best_value, best_set = 0, ()
for r in range(1, len(items) + 1):
    for combo in combinations(sorted(items), r):
        weight = sum(items[i][0] for i in combo)
        value = sum(items[i][1] for i in combo)
        if weight <= limit and value > best_value:
            best_value, best_set = value, combo

table = [[0] * (limit + 1) for _ in range(len(items) + 1)]
for i, (w, v) in enumerate(items.values(), 1):
    for cap in range(limit + 1):
        table[i][cap] = table[i - 1][cap]
        if w <= cap:
            table[i][cap] = max(table[i][cap], table[i - 1][cap - w] + v)

assert table[-1][-1] == best_value
(best_set, best_value)
