from servers.tracker import get_sheet
rows = get_sheet("orders-2026", ["order", "region", "status", "amount"])["rows"]
pending = [r for r in rows if r[2] == "pending"]
by_region = {}
for r in pending:
    by_region[r[1]] = by_region.get(r[1], 0) + r[3]
largest = sorted(pending, key=lambda r: -r[3])[:5]
__result__ = {"pending": len(pending), "sum": sum(by_region.values()), "by_region": by_region, "largest": [[r[0], r[3]] for r in largest]}
