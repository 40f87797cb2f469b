from bmcis_knowledge import search, filtering, results, reranking
queries = {"storage": "write amplification compaction", "net": "congestion window handshake", "sec": "password hashing salt"}
report = []
for label, q in queries.items():
    hits = search.hybrid_search(q, top_k=10, filters={"year": {"gte": 2021}})
    best = filtering.filter_by_score(hits, 0.2)
    rr = reranking.rerank(q, best, top_k=2) if best else []
    report.append({"label": label, "hits": len(hits), "kept": len(best), "top": [x.id for x in rr]})
    print(f"{label:8} {len(hits):3d} {len(best):3d} {[x['title'] for x in rr]}")
print(results.count_tokens("hello world"))
result = report
