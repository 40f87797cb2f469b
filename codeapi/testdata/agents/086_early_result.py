from bmcis_knowledge import search


def first_good(queries, minimum):
    """Try the queries in order, stop at the first convincing hit."""
    tried = 0
    for q in queries:
        tried += 1
        hits = search.hybrid_search(q, top_k=1)
        if hits and hits[0].score >= minimum:
            return {"query": q, "title": hits[0].title, "score": hits[0].score, "tried": tried}
    return {"query": None, "tried": tried}


result = first_good(["zebra crossing", "bread", "sourdough bread flour water starter", "soup"], 0.6)
print(result["tried"], "queries tried")
