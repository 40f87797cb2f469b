def get(d, k):
    return d[k] if k in d else None
values = [get({"a": 0, "b": None}, k) for k in "abc"]
print(values, [v is None for v in values], [v is not None for v in values], values[0] == False)
