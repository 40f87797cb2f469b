def label(n):
    return "neg" if n < 0 else "zero" if n == 0 else "pos"
name = None
print([label(n) for n in (-1, 0, 1)], name or "anonymous", (name and name.upper()) is None, [] or {} or "last")
