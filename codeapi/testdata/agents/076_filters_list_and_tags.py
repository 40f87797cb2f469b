from bmcis_knowledge import search

two_sources = await search.hybrid_search("security keys tokens passwords", filters={"source": ["runbook", "blog"]}, top_k=20)
tagged = await search.hybrid_search("security keys tokens passwords", filters={"tags": "secrets"}, top_k=20)

by_source = {}
for h in two_sources:
    by_source.setdefault(h.source, []).append(h.title)

result = {"by_source": {k: sorted(v) for k, v in by_source.items()}, "tagged": [h.title for h in tagged]}
