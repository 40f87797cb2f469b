corpus = ["the cat sat", "the dog sat down", "cats and dogs"]
docs = [d.split() for d in corpus]
df = {}
for d in docs:
    for t in set(d):
        df[t] = df.get(t, 0) + 1
def tf(t, d):
    return d.count(t) / len(d)
for d in docs:
    print({t: round(tf(t, d) * len(docs) / df[t], 3) for t in d})
