from bmcis_knowledge import search

hits = search.hybrid_search("least privilege account rights", top_k=3)
first = hits[0]
d = first.to_dict()

checks = {
    "attr_is_key": first.title == first["title"] == d["title"],
    "score_alias": first.score == first.relevance_score == d["score"],
    "content_is_prefix": first.text.startswith(first.content[:100]),
    "metadata_same": first.metadata == d["metadata"],
    "rounded": round(first.score, 2),
}
enriched = [{**h.to_dict(), "rank": i} for i, h in enumerate(hits, 1)]
checks["ranks"] = [(e["id"], e["rank"]) for e in enriched]
__result__ = checks
