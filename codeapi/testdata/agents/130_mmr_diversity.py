import re
from bmcis_knowledge.search import hybrid_search


def words(text):
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 0.0


pool = list(hybrid_search("raft leader election term votes log", top_k=8))
bags = {h.id: words(h.text) for h in pool}
picked = []
while pool and len(picked) < 3:
    best = max(pool, key=lambda h: (0.7 * h.score - 0.3 * max([jaccard(bags[h.id], bags[p.id]) for p in picked], default=0), h.id))
    picked.append(best)
    pool.remove(best)

__result__ = [h.id for h in picked]
