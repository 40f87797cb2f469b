from bmcis_knowledge import search, results

hits = search.hybrid_search("cache-control etag max-age", top_k=2)
citations = results.cite(hits)
lines = [f"[{i}] {h.title}, {h.source}, {h.metadata['year']} <{h.uri}>" for i, h in enumerate(hits, 1)]
print("\n".join(lines))
result = {"cited": bool(citations), "mentions_title": hits[0].title in str(citations), "sources": lines}
