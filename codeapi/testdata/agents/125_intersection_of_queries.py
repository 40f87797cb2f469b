from bmcis_knowledge import search

must = ["requests", "retry"]
sets = []
names = {}
for q in must:
    hits = search.bm25_search(q, top_k=100)
    sets.append({h.document_id for h in hits})
    names.update({h.document_id: h.title for h in hits})

common = set.intersection(*sets)
only_first = sets[0] - sets[1]
print(len(sets[0]), len(sets[1]), len(common))
__result__ = {"common": sorted(names[d] for d in common), "only_first": sorted(only_first)}
