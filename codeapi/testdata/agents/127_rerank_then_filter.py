from bmcis_knowledge import search, reranker, filtering

question = "answer too many requests with a rate limit header"
candidates = await search.hybrid_search(question, top_k=100)
reranked = await reranker.rerank(question, candidates, top_k=5)
net_only = filtering.filter_by_domain(reranked, "net")
best = max(net_only, key=lambda h: h.rerank_score)

print(f"{len(candidates)} candidates, {len(reranked)} reranked, {len(net_only)} about net")
__result__ = {"best": best.title, "rerank": best.rerank_score, "kept": [h.id for h in net_only]}
