from bmcis_knowledge import search

queries = ["", "   ", "tls certificates"]
report = {}
for q in queries:
    try:
        hits = search.hybrid_search(q, top_k=3)
        report[repr(q)] = len(hits)
    except Exception:
        report[repr(q)] = "failed"

__result__ = report
