values = [1, 3, 3, 7, 8, 8, 8, 12, 15, 19]
bins = {}
for v in values:
    start = v // 5 * 5
    bins[start] = bins.get(start, 0) + 1
for start in range(0, 20, 5):
    print(f"{start:>2}-{start + 4:<2} | {'█' * bins.get(start, 0)} {bins.get(start, 0)}")
