def flatten(items):
    out = []
    for item in items:
        if isinstance(item, (list, tuple)):
            out.extend(flatten(item))
        else:
            out.append(item)
    return out
print(flatten([1, [2, (3, [4, [5]])], "six", [[]]]))
