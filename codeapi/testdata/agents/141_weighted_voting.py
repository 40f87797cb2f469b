from collections import defaultdict
from bmcis_knowledge import search

VARIANTS = {"rate limit token bucket": 2.0, "too many requests retry-after": 1.5, "limits api key": 1.0}
votes = defaultdict(float)
titles = {}
for query_text, weight in VARIANTS.items():
    for rank, hit in enumerate(search.hybrid_search(query_text, top_k=3)):
        votes[hit.document_id] += weight / (rank + 1)
        titles[hit.document_id] = hit.title

(winner, points), *rest = sorted(votes.items(), key=lambda kv: (-kv[1], kv[0]))
print(f"{titles[winner]} wins with {points:.2f}, {len(rest)} others")
__result__ = {"winner": winner, "points": round(points, 4)}
