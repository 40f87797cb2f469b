from bmcis_knowledge import search

QUERY = "timeout retry resilience calls"
sources = ["runbook", "blog", "handbook"]
rows = []
for s in sources:
    hits = search.hybrid_search(QUERY, filters={"source": s}, top_k=5)
    best = hits[0] if hits else None
    rows.append((s, len(hits), best.title if best else "-", f"{best.score:.2f}" if best else "-"))

widths = [max(len(str(r[i])) for r in rows + [("Source", "Hits", "Best", "Score")]) for i in range(4)]


def line(cells):
    return "| " + " | ".join(str(c).ljust(w) for c, w in zip(cells, widths)) + " |"


table = "\n".join([line(("Source", "Hits", "Best", "Score")), line(["-" * w for w in widths])] + [line(r) for r in rows])
print(table)
result = table
