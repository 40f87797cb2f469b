def describe(title, *parts, sep=", ", **options):
    text = sep.join(str(p) for p in parts)
    extras = " ".join(f"{k}={v}" for k, v in sorted(options.items()))
    return f"{title}: {text}" + (f" [{extras}]" if extras else "")


args = [1, 2, 3]
opts = {"color": "red", "size": 10}
print(describe("empty"))
print(describe("nums", *args))
print(describe("all", *args, "tail", sep="|", **opts))

first, *middle, last = range(6)
merged = [*args, *middle, last]
result = {"first": first, "middle": middle, "last": last, "merged": merged}
