orders = [("2024-01-03", "widget", 3, 9.5), ("2024-01-03", "gadget", 1, 24.0), ("2024-02-11", "widget", 10, 9.0), ("2024-02-14", "doohickey", 2, 110.25)]
from collections import defaultdict
monthly = defaultdict(lambda: {"units": 0, "revenue": 0.0, "products": set()})
for date, product, units, price in orders:
    m = monthly[date[:7]]
    m["units"] += units
    m["revenue"] += units * price
    m["products"].add(product)
header = ("Month", "Units", "Revenue", "Products")
widths = [max(len(header[0]), 7), 6, 10, 20]
print(" | ".join(h.ljust(w) for h, w in zip(header, widths)))
print("-+-".join("-" * w for w in widths))
for month in sorted(monthly):
    m = monthly[month]
    print(" | ".join([month.ljust(widths[0]), str(m["units"]).rjust(widths[1]), f"{m['revenue']:>{widths[2]},.2f}", ", ".join(sorted(m["products"]))]))
total = sum(m["revenue"] for m in monthly.values())
print(f"Total: ${total:,.2f}; mean {total / len(monthly):.1f}; best {max(monthly, key=lambda k: monthly[k]['revenue'])}")
growth = None
prev = None
for month in sorted(monthly):
    cur = monthly[month]["revenue"]
    if prev is not None:
        growth = (cur - prev) / prev
        print(f"{month}: {growth:+.1%}")
    prev = cur
result = {k: {**v, "products": sorted(v["products"]), "revenue": round(v["revenue"], 2)} for k, v in monthly.items()}
