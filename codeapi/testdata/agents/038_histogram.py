import math

values = [3, 7, 8, 12, 13, 14, 14, 15, 21, 22, 29, 35]
bins = 4
low, high = min(values), max(values)
width = math.ceil((high - low + 1) / bins)

counts = [0] * bins
for v in values:
    counts[(v - low) // width] += 1

for i, c in enumerate(counts):
    start = low + i * width
    print(f"{start:>3}-{start + width - 1:<3} {'#' * c:<8} {c}")

__result__ = counts
