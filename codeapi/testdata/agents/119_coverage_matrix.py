from bmcis_knowledge import search

topics = ["caching", "test", "consensus", "passwords"]
domains = ["net", "testing", "consensus", "security"]
matrix = {}
for t in topics:
    hits = search.bm25_search(t, top_k=50)
    matrix[t] = {d: sum(1 for h in hits if h.metadata["domain"] == d) for d in domains}

print(f"{'topic':<12}" + "".join(f"{d:>11}" for d in domains))
for t, row in matrix.items():
    print(f"{t:<12}" + "".join(f"{row[d] or '.':>11}" for d in domains))
gaps = [(t, d) for t in topics for d in domains if not matrix[t][d]]
__result__ = {"gaps": len(gaps), "matrix": matrix}
