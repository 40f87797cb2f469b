import re
from statistics import mean
from bmcis_knowledge.search import bm25_search

term = "leader"
stats_by_chunk = {}
for h in bm25_search(term, top_k=10):
    words = re.findall(r"[A-Za-z]+", h.text)
    n = sum(1 for w in words if w.lower() == term)
    stats_by_chunk[h.id] = {"n": n, "density": round(n / len(words), 4)}

average = mean(s["density"] for s in stats_by_chunk.values())
above = sorted(i for i, s in stats_by_chunk.items() if s["density"] > average)
print(f"average density {average:.4f}")
__result__ = {"above": above, "max": max(s["n"] for s in stats_by_chunk.values()), "chunks": len(stats_by_chunk)}
