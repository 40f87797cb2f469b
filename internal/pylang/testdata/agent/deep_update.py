def deep_update(base, extra):
    for k, v in extra.items():
        if isinstance(v, dict) and isinstance(base.get(k), dict):
            deep_update(base[k], v)
        else:
            base[k] = v
    return base
print(deep_update({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"c": 9, "e": [1]}, "f": None}))
