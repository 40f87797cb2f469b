import statistics as st
from bmcis_knowledge.search import hybrid_search

hits = hybrid_search("raft leader votes majority term", top_k=10)
scores = [h.score for h in hits]
cut = st.mean(scores)
strong = [h for h in hits if h.score > cut]
biggest_drop = max(range(1, len(scores)), key=lambda i: scores[i - 1] - scores[i])

result = {
    "n": len(scores),
    "mean": round(cut, 4),
    "median": round(st.median(scores), 4),
    "stdev": round(st.stdev(scores), 4),
    "strong": [h.id for h in strong],
    "elbow": biggest_drop,
}
