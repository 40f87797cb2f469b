from bmcis_knowledge import search

hits = search.hybrid_search("timeout retry latency failures", top_k=15)
net = filter.filter_by_domain(hits, "net")
runbooks = filter.filter_by_source(net, "runbook")
strong = filter.filter_by_score(hits, 0.3)
plain = list(filter(lambda h: h.metadata["year"] >= 2022, hits))

print(len(hits), len(net), len(runbooks), len(strong), len(plain))
result = {
    "net": sorted(h.id for h in net),
    "runbooks": [h.title for h in runbooks],
    "strong": [h.id for h in strong],
    "recent_years": sorted({h.metadata["year"] for h in plain}),
}
