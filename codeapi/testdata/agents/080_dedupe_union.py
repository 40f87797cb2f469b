from bmcis_knowledge import search, filtering

a = search.bm25_search("jitter backoff retry", top_k=3)
b = search.bm25_search("retry safe requests overload", top_k=3)
combined = list(a) + list(b)
unique = filtering.dedupe(combined)

seen = set()
manual = []
for h in combined:
    if h.id not in seen:
        seen.add(h.id)
        manual.append(h)

print(len(combined), "->", len(unique))
result = {"ids": sorted(h.id for h in unique), "same": sorted(h.id for h in unique) == sorted(h.id for h in manual)}
