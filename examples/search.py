# Search: one question, the three best passages.
from bmcis_knowledge import search

results = await search.hybrid_search("how do I cancel a long running operation?", top_k=3)

__result__ = [f"{r.score:.2f}  {r.title} ({r.document_id})" for r in results]
