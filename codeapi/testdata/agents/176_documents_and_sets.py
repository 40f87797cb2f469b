from bmcis_knowledge import search, results
doc = search.get_document(search.hybrid_search("raft leader", top_k=1)[0].document_id)
print(sorted(k for k in doc.keys() if k in ("title", "text", "document_id", "source")), doc.get("nope", 1), "text" in doc, isinstance(doc, dict), doc["title"] == doc.title)
s = results.summarize(search.hybrid_search("index", top_k=2), max_content_length=30)
print([type(x).__name__ == "dict" or True for x in s], [x["title"] for x in s], all(len(x["preview"]) <= 33 for x in s))
hits = search.bm25_search("page OR index", top_k=4)
scores = [h.score for h in hits]
print(scores == sorted(scores, reverse=True), hits[0] in hits, len({h.id for h in hits}), {h.source for h in hits} != set())
best, *others = hits
print(best.id, [o.id for o in others][-1], hits[1:3][0].id == others[0].id, [h.id for h in reversed(hits)][0], list(map(lambda h: h.id, hits))[:1])
import json
print(json.loads(json.dumps([{"id": h.id, "s": h["score"]} for h in hits]))[0]["id"])
by = {}
for h in hits:
    by.setdefault(h.source, []).append(h)
result = {k: [h.title for h in v] for k, v in sorted(by.items())}
