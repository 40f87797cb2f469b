from collections import Counter
from bmcis_knowledge import search

hits = search.hybrid_search("http security database consensus testing storage latency", top_k=50)
domains = Counter(h.metadata["domain"] for h in hits)
tags = Counter(t for h in hits for t in h.metadata["tags"])
years = [h.metadata["year"] for h in hits]
authors = {}
for h in hits:
    authors.setdefault(h.metadata["author"], set()).add(h.document_id)

print("domains:", sorted(domains.items(), key=lambda kv: (-kv[1], kv[0]))[:3])
__result__ = {
    "hits": len(hits),
    "domains": dict(domains),
    "common_tags": sorted(t for t, n in tags.items() if n >= 2),
    "years": [min(years), max(years)],
    "authors": {a: len(d) for a, d in sorted(authors.items())},
}
