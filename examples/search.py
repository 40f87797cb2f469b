# Search: one question, the three best passages.
from bmcis_knowledge import search

results = await search.hybrid_search("how do I cancel a long running operation?", top_k=3)

__result__ = [f"{r.score:.2f}  {' > '.join([r.title] + r.headings[-1:])}: {r.content[:60]}" for r in results]
