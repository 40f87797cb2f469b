m = [[1, 2, 3], [4, 5, 6]]
t = [list(row) for row in zip(*m)]
prod = [[sum(a * b for a, b in zip(r, c)) for c in m] for r in m]
print(t, prod)
print("\n".join(" ".join(f"{v:4d}" for v in row) for row in prod))
