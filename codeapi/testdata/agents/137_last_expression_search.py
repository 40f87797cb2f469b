from bmcis_knowledge.search import hybrid_search

hits = hybrid_search("bloom filter sorted files", top_k=2)
[{"id": h.id, "title": h.title, "score": h.score} for h in hits]
