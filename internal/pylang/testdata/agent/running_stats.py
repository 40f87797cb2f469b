values = [4, 8, 15, 16, 23, 42]
n = len(values)
mean = sum(values) / n
var = sum((v - mean) ** 2 for v in values) / (n - 1)
ordered = sorted(values)
median = (ordered[n // 2 - 1] + ordered[n // 2]) / 2 if n % 2 == 0 else ordered[n // 2]
print(f"mean={mean} median={median} sd={var ** 0.5:.4f} range={max(values) - min(values)}")
print([round((v - mean) / var ** 0.5, 3) for v in values])
