from bmcis_knowledge import search, reranker

results = await search.hybrid_search("flow control window of a stream", top_k=20)
reranked = await reranker.rerank(results[:20], top_k=2)

__result__ = [{"title": r.title, "rerank": round(r.rerank_score, 4)} for r in reranked]
