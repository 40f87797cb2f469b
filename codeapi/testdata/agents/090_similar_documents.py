from bmcis_knowledge import search

seed = search.bm25_search("paxos proposer ballot", top_k=1)[0]
neighbours = search.similar(seed.id, top_k=3)
assert seed.id not in [n.id for n in neighbours]
for n in neighbours:
    print(f"{n.score:.3f} {n.title}")
result = {"seed": seed.title, "neighbours": [n.document_id for n in neighbours]}
