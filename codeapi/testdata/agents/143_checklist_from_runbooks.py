import re
from bmcis_knowledge import search, filtering

hits = search.hybrid_search("rotate scan revoke renew restore archive backup", top_k=20)
runbooks = filtering.filter_by_source(hits, source="runbook")
VERBS = ("Keep", "Mount", "Renew", "Take", "Offer", "Retry", "Wait", "Use")

checklist = []
for h in sorted(runbooks, key=lambda h: h.title):
    steps = [s.strip().rstrip(".") for s in re.split(r"\.\s+", h.text) if s.startswith(VERBS)]
    if steps:
        checklist.append(f"### {h.title}")
        checklist += [f"- [ ] {s}" for s in steps]

print("\n".join(checklist))
__result__ = sum(line.startswith("- [ ]") for line in checklist)
