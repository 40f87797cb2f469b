rows = [
    {"name": "alpha", "stars": 1200, "growth": 0.125},
    {"name": "beta", "stars": 87, "growth": -0.04},
    {"name": "gamma-long-name", "stars": 15321, "growth": 1.5},
]

headers = ["Name", "Stars", "Growth"]
lines = ["| " + " | ".join(headers) + " |"]
lines.append("|" + "|".join("---" for _ in headers) + "|")
for r in sorted(rows, key=lambda r: -r["stars"]):
    lines.append(f"| {r['name']} | {r['stars']:,} | {r['growth']:+.1%} |")

table = "\n".join(lines)
print(table)
__result__ = table
