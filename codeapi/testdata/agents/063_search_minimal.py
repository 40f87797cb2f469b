from bmcis_knowledge import search

results = await search.hybrid_search("how does raft elect a leader?", top_k=3)

__result__ = [f"{r.score:.2f}  {r.title} ({r.document_id})" for r in results]
