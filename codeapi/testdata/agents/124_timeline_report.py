from bmcis_knowledge import search

hits = search.hybrid_search("consensus raft paxos commit election replication", top_k=20, filters={"domain": "consensus"})
by_year = {}
for h in hits:
    by_year.setdefault(h.metadata["year"], set()).add(h.title)

report = ["# Consensus through the years", ""]
for year, titles in sorted(by_year.items()):
    report.append(f"## {year}")
    report += [f"* {t}" for t in sorted(titles)]
    report.append("")

decades = {}
for y in by_year:
    decades[y // 10 * 10] = decades.get(y // 10 * 10, 0) + len(by_year[y])
print("\n".join(report).rstrip())
result = {f"{d}s": n for d, n in sorted(decades.items())}
