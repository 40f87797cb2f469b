from bmcis_knowledge import search
from bmcis_knowledge.results import count_tokens

hits = search.hybrid_search("metrics latency percentiles alert", top_k=8)
budget = 150
context_parts, used = [], 0
for h in hits:
    cost = count_tokens(h.text)
    if used + cost > budget:
        continue
    context_parts.append(h.text)
    used += cost

print(f"packed {len(context_parts)} of {len(hits)} passages, {used} tokens")
__result__ = {"used": used, "parts": [p[:25] for p in context_parts]}
