from bmcis_knowledge.reranking import rerank

notes = [
    {"label": "a", "text": "The cat sleeps on the warm oven."},
    {"label": "b", "text": "Exponential backoff with jitter protects servers."},
    {"label": "c", "text": "A server needs protection against overload; jitter helps."},
]
ranked = await rerank(query="protect servers with jitter", documents=notes, top_k=2)
__result__ = [[r["label"], r["rerank_score"]] for r in ranked]
