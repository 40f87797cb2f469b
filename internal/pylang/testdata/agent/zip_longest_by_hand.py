a, b = [1, 2, 3], ["x"]
n = max(len(a), len(b))
print([(a[i] if i < len(a) else None, b[i] if i < len(b) else None) for i in range(n)], list(zip(a, b)), dict(zip(["k1", "k2"], a)))
