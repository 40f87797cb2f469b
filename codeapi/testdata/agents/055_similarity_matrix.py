import math
import re
from collections import Counter


def vectorize(text: str) -> Counter:
    return Counter(re.findall(r"\w+", text.lower()))


def cosine(a: Counter, b: Counter) -> float:
    shared = set(a) & set(b)
    dot = sum(a[w] * b[w] for w in shared)
    norm = math.sqrt(sum(v * v for v in a.values())) * math.sqrt(sum(v * v for v in b.values()))
    return dot / norm if norm else 0.0


texts = ["the cat sat on the mat", "the dog sat on the log", "quantum physics is hard", ""]
vectors = [vectorize(t) for t in texts]
matrix = [[round(cosine(a, b), 3) for b in vectors] for a in vectors]
for row in matrix:
    print(" ".join(f"{x:.3f}" for x in row))
pairs = sorted(((matrix[i][j], i, j) for i in range(len(texts)) for j in range(i)), reverse=True)
__result__ = {"best_pair": pairs[0], "matrix": matrix}
