from bmcis_knowledge import search

db = search.hybrid_search("index storage transactions", filters={"domain": "db"}, top_k=10)
recent = search.hybrid_search("index storage transactions", filters={"domain": "db", "year": {"gte": 2023}}, top_k=10)

print("all:", len(db), "recent:", len(recent))
assert all(h.metadata["domain"] == "db" for h in db)
__result__ = sorted((h.metadata["year"], h.title) for h in recent)
