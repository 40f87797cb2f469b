# context: {"sales": [["Q1", "north", 10], ["Q1", "south", 7], ["Q2", "north", 12], ["Q2", "south", 0], ["Q2", "north", 3], ["Q3", "south", 9]]}
quarters = sorted({q for q, _, _ in sales})
regions = sorted({r for _, r, _ in sales})
pivot = {q: {r: 0 for r in regions} for q in quarters}
for q, r, amount in sales:
    pivot[q][r] += amount

print("quarter".ljust(10) + "".join(r.rjust(8) for r in regions) + "total".rjust(8))
for q in quarters:
    row = pivot[q]
    print(q.ljust(10) + "".join(str(row[r]).rjust(8) for r in regions) + str(sum(row.values())).rjust(8))

best = max(((q, r) for q in quarters for r in regions), key=lambda qr: pivot[qr[0]][qr[1]])
result = {"pivot": pivot, "best": best}
