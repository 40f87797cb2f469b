def percentile(xs, p):
    xs = sorted(xs)
    k = (len(xs) - 1) * p / 100
    f = int(k)
    c = min(f + 1, len(xs) - 1)
    return xs[f] + (xs[c] - xs[f]) * (k - f)
lat = [12, 15, 11, 220, 14, 13, 18, 16, 95, 17]
print({f"p{p}": round(percentile(lat, p), 2) for p in (50, 90, 95, 99, 100)})
