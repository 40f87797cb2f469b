from bmcis_knowledge import search, filtering

hits = search.hybrid_search("http security tests storage", top_k=30)
some = filtering.where(hits, 'domain = "security" or (domain = "net" and year >= 2022)')
tagged = filtering.where(hits, 'tags contains "http" and not source = "blog"')

for h in some:
    assert h.metadata["domain"] in ("security", "net")
__result__ = {"some": sorted(h.id for h in some), "tagged": sorted(h.title for h in tagged)}
