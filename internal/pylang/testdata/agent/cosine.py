def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))
def cosine(a, b):
    na, nb = dot(a, a) ** 0.5, dot(b, b) ** 0.5
    return dot(a, b) / (na * nb) if na and nb else 0.0
print(round(cosine([1, 2, 3], [2, 4, 6.5]), 6), cosine([0, 0], [1, 1]))
try:
    cosine([1], [1, 2])
except ValueError as e:
    print("ValueError:", e)
