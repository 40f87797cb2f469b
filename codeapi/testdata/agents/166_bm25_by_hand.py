def tokenize(text): return [w.strip(".,!?;:()\"'").lower() for w in text.split()]
docs = {"d1": "The cat sat on the mat. The cat purred!", "d2": "Dogs chase cats; cats climb trees.", "d3": "Trees grow slowly (very slowly)."}
import math
from collections import Counter, defaultdict
index = defaultdict(dict)
for d, t in docs.items():
    for w, n in Counter(tokenize(t)).items():
        index[w][d] = n
N = len(docs)
avg = sum(len(tokenize(t)) for t in docs.values()) / N
def bm25(query, k1=1.2, b=0.75):
    scores = defaultdict(float)
    for w in tokenize(query):
        post = index.get(w, {})
        idf = math.log(1 + (N - len(post) + 0.5) / (len(post) + 0.5))
        for d, tf in post.items():
            dl = len(tokenize(docs[d]))
            scores[d] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * dl / avg))
    return sorted(scores.items(), key=lambda x: x[1], reverse=True)
for q in ("cat", "trees slowly", "zebra"):
    print(q, [(d, round(s, 4)) for d, s in bm25(q)])
index["new"]["x"] = 1
print(len(index), dict(index["cats"]), "nope" in index, index)
