from bmcis_knowledge import search as kb, filtering as flt

hits = kb.hybrid_search("certificates renew expire", top_k=5)
security = flt.filter_by_domain(hits, "security")
print(f"{len(security)} of {len(hits)} are about security")
__result__ = [h["title"] for h in security]
