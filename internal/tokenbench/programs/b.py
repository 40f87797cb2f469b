q = $QUESTION
hits = search.union(search.bm25_search(q, top_k=$LEG), search.vector_search(q, top_k=$LEG))
best = filter.filter_by_domain(reranker.rerank(q, hits, top_k=20, weight=1), $DOMAIN)
__result__ = [{"id": h.id, "title": h.title, "score": round(h.rerank_score, 3)} for h in best[:3]]
