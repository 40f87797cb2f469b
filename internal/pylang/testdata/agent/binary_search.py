def find(a, x):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == x:
            return mid
        elif a[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1
data = [i * i for i in range(20)]
print([find(data, q) for q in (0, 49, 50, 361, 400)])
