from bmcis_knowledge.search import bm25_search, vector_search
from collections import defaultdict

question = "circuit breaker timeout failures"
K = 60


def rrf(*rankings):
    scores = defaultdict(float)
    titles = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.id] += 1 / (K + rank)
            titles[hit.id] = hit.title
    order = sorted(scores, key=lambda i: (-scores[i], i))
    return [(i, titles[i], round(scores[i], 5)) for i in order]


fused = rrf(bm25_search(question, top_k=6), vector_search(question, top_k=6))
for id_, title, score in fused[:4]:
    print(f"{score:.5f} {id_} {title}")

__result__ = [list(f) for f in fused[:3]]
