from bmcis_knowledge.search import hybrid_search

hits = hybrid_search("b-tree pages compaction sorted files raft election", top_k=12)

best = {}
for h in hits:
    current = best.get(h.document_id)
    if current is None or h.score > current.score:
        best[h.document_id] = h

ranked = sorted(best.values(), key=lambda h: (-h.score, h.id))
print(f"{len(hits)} chunks from {len(best)} documents")
__result__ = [{"doc": h.document_id, "chunk": h.id, "score": h.score} for h in ranked[:5]]
