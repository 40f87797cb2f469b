from bmcis_knowledge.search import hybrid_search

rows = []
for h in hybrid_search("sourdough crème brûlée miso bread", top_k=5):
    rows.append({"title": h.title, "content": len(h.content), "text": len(h.text), "cut": len(h.text) > len(h.content)})

for r in rows:
    print(f"{r['title']:<20} {r['content']:>4} {r['text']:>4} {'cut' if r['cut'] else 'whole'}")
__result__ = rows
