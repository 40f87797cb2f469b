from bmcis_knowledge import search


def candidates(queries):
    for q in queries:
        for hit in search.hybrid_search(q, top_k=4):
            yield q, hit


def unique(pairs):
    seen = set()
    for q, hit in pairs:
        if hit.id in seen:
            continue
        seen.add(hit.id)
        yield q, hit


def newer_than(pairs, year):
    return ((q, h) for q, h in pairs if h.metadata["year"] > year)


pipeline = newer_than(unique(candidates(["postgres index", "postgres backup", "http limits"])), 2021)
result = [{"q": q, "title": h.title, "year": h.metadata["year"]} for q, h in pipeline]
for row in result:
    print("{q:<18}{title:<35}{year}".format(**row))
