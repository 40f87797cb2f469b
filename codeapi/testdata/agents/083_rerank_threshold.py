from bmcis_knowledge import search, reranking

question = "how short should the lifetime of a token be"
hits = search.hybrid_search(question, top_k=10)
ranked = reranking.rerank(question, hits, top_k=10, threshold=0.5)

for r in ranked:
    assert r.rerank_score >= 0.5
print(len(hits), "->", len(ranked))
result = [(r.id, r.rerank_score) for r in ranked[:3]]
