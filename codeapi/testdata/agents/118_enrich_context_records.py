# context: {"tickets": [{"id": "T-1", "summary": "Password reset tokens live too long", "priority": 2}, {"id": "T-2", "summary": "Table bloat after deletes in PostgreSQL", "priority": 1}, {"id": "T-3", "summary": "Clients retry all at once after outage", "priority": 3}]}
from bmcis_knowledge.search import batch_search

ordered = sorted(tickets, key=lambda t: t["priority"])
answers = batch_search([t["summary"] for t in ordered], top_k=2)

enriched = []
for ticket, hits in zip(ordered, answers):
    enriched.append({
        **ticket,
        "related": [{"title": h.title, "url": h.uri} for h in hits],
        "owner": hits[0].metadata.get("author", "nobody") if hits else None,
    })

for e in enriched:
    print(f"[{e['priority']}] {e['id']} -> {e['owner']}: {e['related'][0]['title']}")
result = {e["id"]: [r["title"] for r in e["related"]] for e in enriched}
