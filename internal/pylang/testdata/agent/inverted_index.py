docs = {1: "red apple pie", 2: "green apple", 3: "red wine and apple"}
index = {}
for doc_id, text in docs.items():
    for pos, term in enumerate(text.split()):
        index.setdefault(term, {}).setdefault(doc_id, []).append(pos)
def query(*terms):
    sets = [set(index.get(t, {})) for t in terms]
    return sorted(set.intersection(*sets)) if sets else []
print(query("red", "apple"), query("apple"), query("none"), index["apple"])
