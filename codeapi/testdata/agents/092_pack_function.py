from bmcis_knowledge import search, results

hits = search.hybrid_search("secrets keys tokens rotate", top_k=10)
packed = results.pack(hits, max_tokens=300)
small = results.pack(hits, max_tokens=100)
result = {"some": bool(packed), "not_all": len(small) < len(hits) if not isinstance(small, str) else True}
