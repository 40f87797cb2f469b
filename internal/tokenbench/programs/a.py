hits = search.hybrid_search($QUESTION, top_k=3, rerank=False)
__result__ = [{"id": h.id, "title": h.title, "score": round(h.score, 3)} for h in hits]
