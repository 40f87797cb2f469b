from bmcis_knowledge.search import hybrid_search

hits = hybrid_search(query="argon2id password salt", bm25_weight=0.5, vector_weight=0.5, top_k=2)
best = hits[0]
print(best.content)
__result__ = {"title": best.title, "year": best.metadata["year"], "cut": len(best.content)}
