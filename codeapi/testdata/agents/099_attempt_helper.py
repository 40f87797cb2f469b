from bmcis_knowledge import search

good = attempt(search.hybrid_search, "raft", top_k=2)
bad = attempt(search.get_document, "no-such-document")

if good["ok"]:
    print("found", len(good["value"]), "hits")
if not bad["ok"]:
    print("document missing, going on without it")

result = {"good": good["ok"], "bad": bad["ok"], "has_error": bad["error"] is not None, "first": good["value"][0].document_id}
