defaults = {"host": "localhost", "port": 5432, "options": {"ssl": False}}
env = {"port": 6432}
cli = {"host": "db.internal", "debug": True}

merged = {**defaults, **env, **cli}
merged2 = defaults | env
merged2 |= {"extra": [1, 2]}
inverted = {v: k for k, v in {"a": 1, "b": 2}.items()}


def deep_merge(a, b):
    out = dict(a)
    for k, v in b.items():
        if isinstance(v, dict) and isinstance(out.get(k), dict):
            out[k] = deep_merge(out[k], v)
        else:
            out[k] = v
    return out


deep = deep_merge(defaults, {"options": {"timeout": 3}})
popped = merged.pop("debug")
print(list(merged.keys()), popped, merged.get("nope", "default"))
__result__ = {"merged": merged, "merged2": merged2, "deep": deep, "inverted": {str(k): v for k, v in inverted.items()}}
