from bmcis_knowledge import search

hits = search.hybrid_search("oven bake minutes water serve warm", filters={"domain": "cooking"}, top_k=5)
titles = [h.title for h in hits]
for t in titles:
    print(t, len(t), t.upper(), t[:5], t[::-1])
non_ascii = [t for t in titles if any(ord(c) > 127 for c in t)]
result = {"titles": titles, "non_ascii": non_ascii}
