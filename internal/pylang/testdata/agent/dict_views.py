d = {"a": 1, "b": 2}
keys = d.keys()
d["c"] = 3
print(list(keys), len(d.items()), ("a", 1) in d.items(), d.keys() - {"a"} == {"b", "c"}, max(d.values()))
for k in list(d):
    if d[k] % 2:
        del d[k]
print(d, d.pop("zz", "gone"), d.get("b"))
