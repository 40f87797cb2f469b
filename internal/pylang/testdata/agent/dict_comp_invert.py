grades = {"ann": "A", "bob": "B", "cid": "A"}
inv = {}
for k, v in grades.items():
    inv[v] = inv.get(v, []) + [k]
print(inv, {v: k for k, v in grades.items()}, {k.upper(): ord(v) for k, v in grades.items() if v == "A"})
