from itertools import groupby, chain, combinations, accumulate
from operator import itemgetter

orders = [
    ("eu", "widget", 3), ("us", "widget", 7), ("eu", "gadget", 1),
    ("asia", "gizmo", 4), ("us", "gizmo", 2),
]
orders.sort(key=itemgetter(0, 1))
grouped = {region: [(name, qty) for _, name, qty in items] for region, items in groupby(orders, key=itemgetter(0))}

for region, items in grouped.items():
    print(region, "->", ", ".join(f"{n} x{q}" for n, q in items))

quantities = [q for *_, q in orders]
result = {
    "grouped": grouped,
    "running": list(accumulate(quantities)),
    "pairs": [list(p) for p in combinations(grouped, 2)],
    "flat": list(chain.from_iterable(n for n in [[1], [2, 3], []])),
}
