rows = [("id", "name", "score"), (1, "Ada", 0.91234), (22, "Grace", 0.8), (333, "Linus", 1.0)]
def cell(v):
    return f"{v:.2f}" if isinstance(v, float) else str(v)
table = [[cell(v) for v in row] for row in rows]
widths = [max(len(r[i]) for r in table) for i in range(3)]
for i, r in enumerate(table):
    print("| " + " | ".join(c.ljust(w) for c, w in zip(r, widths)) + " |")
    if i == 0:
        print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
