def percentile(sorted_values, p):
    """Linear interpolation between closest ranks."""
    if not sorted_values:
        raise ValueError("no data")
    k = (len(sorted_values) - 1) * p / 100
    lo = int(k)
    hi = min(lo + 1, len(sorted_values) - 1)
    return sorted_values[lo] + (sorted_values[hi] - sorted_values[lo]) * (k - lo)


def insert_position(values, x):
    lo, hi = 0, len(values)
    while lo < hi:
        mid = (lo + hi) // 2
        if values[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


data = sorted([15, 20, 35, 40, 50, 12, 48])
result = {f"p{p}": round(percentile(data, p), 2) for p in (0, 25, 50, 90, 100)}
result["position"] = insert_position(data, 36)
try:
    percentile([], 50)
except ValueError as e:
    result["error"] = str(e)
