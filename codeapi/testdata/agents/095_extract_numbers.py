import re
from bmcis_knowledge import search

hits = search.hybrid_search("latency percentiles p50 p95 p99", top_k=3)
found = {}
for h in hits:
    for name, value in re.findall(r"\b(p\d{2}) (\d+) ms", h.text):
        found[name] = int(value)

print(found)
temps = re.findall(r"(\d+) °C", " ".join(h.text for h in search.bm25_search("bake bread oven minutes", top_k=3)))
result = {"latency": found, "spread": found["p99"] - found["p50"], "temperatures": sorted(map(int, temps))}
