# context: {"this_month": {"visits": 1840, "signups": 92, "revenue": 4120.5, "refunds": 3}, "last_month": {"visits": 1602, "signups": 97, "revenue": 3980.0, "refunds": 0}}
def pct_change(new: float, old: float) -> str:
    if not old:
        return "n/a"
    change = (new - old) / old * 100
    arrow = "▲" if change > 0 else "▼" if change < 0 else "="
    return f"{arrow} {abs(change):.1f}%"


rows = []
for metric in this_month:
    new, old = this_month[metric], last_month.get(metric, 0)
    rows.append((metric, old, new, pct_change(new, old)))

w = max(len(m) for m, *_ in rows)
print("\n".join(f"{m:<{w}}  {o:>8} -> {n:>8}  {c}" for m, o, n, c in rows))
alerts = [m for m, o, n, c in rows if c.startswith("▼") or (m == "refunds" and n > o)]
__result__ = {"alerts": alerts, "conversion": round(this_month["signups"] / this_month["visits"], 4)}
