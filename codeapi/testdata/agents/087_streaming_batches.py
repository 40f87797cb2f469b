from bmcis_knowledge.search import hybrid_search_streaming

seen = []
enough = False
for batch in hybrid_search_streaming("consensus majority leader election log", batch_size=3):
    for h in batch:
        if h.metadata["domain"] == "consensus":
            seen.append(h.id)
    print(f"batch of {len(batch)}")
    if len(seen) >= 3:
        enough = True
        break

__result__ = {"enough": enough, "first": seen[:3]}
