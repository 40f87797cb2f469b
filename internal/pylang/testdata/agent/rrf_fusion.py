bm25 = ["d1", "d2", "d3", "d4"]
vector = ["d3", "d1", "d5"]
def rrf(*rankings, k=60):
    scores = {}
    for ranking in rankings:
        for rank, doc in enumerate(ranking, start=1):
            scores[doc] = scores.get(doc, 0.0) + 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda x: x[1], reverse=True)
for doc, s in rrf(bm25, vector):
    print(f"{doc}: {s:.5f}")
