from bmcis_knowledge import search
from bmcis_knowledge.results import summarize, format_for_agent

hits = search.hybrid_search("qwertyuiop zxcvbnm", top_k=5)
if not hits:
    print("No results found")
    hits = search.hybrid_search("fill factor percent", top_k=2)

text = format_for_agent(summarize(hits, max_content_length=50))
best = next((h for h in hits if h.metadata.get("year", 0) > 2030), None)
__result__ = {"n": len(hits), "future": best, "mentions": hits[0].title in text, "sum": round(sum(h.score for h in hits), 4)}
