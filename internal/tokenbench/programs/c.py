q, domain = $QUESTION, $DOMAIN
if len(q.split()) > 10:
    hits = search.vector_search(q, top_k=10)
else:
    hits = search.hybrid_search(q, top_k=10, rerank=False)
best = filter.filter_by_domain(hits, domain)
if len(best) < 3:
    best = search.union(best, search.vector_search(q, top_k=3, filters={"domain": domain}))
__result__ = [{"id": h.id, "title": h.title, "relevance": "high" if h.score > 0.5 else "medium"} for h in best[:3]]
