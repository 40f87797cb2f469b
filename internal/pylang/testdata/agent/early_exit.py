def first_match(items, pred, default=None):
    return next((x for x in items if pred(x)), default)
print(first_match([1, 4, 9], lambda x: x > 3), first_match([], bool, "none"), first_match("abC", str.isupper))
