def qsort(xs):
    if len(xs) < 2:
        return xs
    pivot, *rest = xs
    return qsort([x for x in rest if x < pivot]) + [pivot] + qsort([x for x in rest if x >= pivot])
print(qsort([3, 6, 1, 8, 2, 9, 2]), qsort(list("quick")), qsort([]))
