from bmcis_knowledge import search

a = search.bm25_search("postgres index", top_k=5)
b = search.vector_search("postgres index", top_k=5)
fused = search.fuse(a, b, [0.7, 0.3])

ids = [h.id for h in fused]
assert set(ids) == {h.id for h in a} | {h.id for h in b}
assert all(x.score >= y.score for x, y in zip(fused, fused[1:]))
result = {"n": len(ids), "unique": len(set(ids)) == len(ids), "top": fused[0].document_id}
