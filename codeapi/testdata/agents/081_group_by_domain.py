from bmcis_knowledge import search, filtering

hits = search.hybrid_search("log latency memory keys", top_k=12)
groups = filtering.group_by(hits, "domain")

for domain in sorted(groups):
    members = groups[domain]
    print(f"{domain} ({len(members)}): {', '.join(h.title for h in members)}")

result = {d: [h.id for h in groups[d]] for d in sorted(groups)}
