data = [
    {"id": 1, "user": {"name": "Ann", "emails": ["a@x.io", "ann@y.com"]}, "score": 81.5},
    {"id": 2, "user": {"name": "Bo", "emails": []}, "score": None},
    {"id": 3, "user": {"name": "Cy"}, "score": 92.25},
]

def get_path(obj, path, default=None):
    cur = obj
    for part in path.split("."):
        if isinstance(cur, list):
            try:
                cur = cur[int(part)]
            except (IndexError, ValueError):
                return default
        elif isinstance(cur, dict):
            if part not in cur:
                return default
            cur = cur[part]
        else:
            return default
    return cur

def flatten(obj, prefix=""):
    items = {}
    if isinstance(obj, dict):
        for k, v in obj.items():
            items.update(flatten(v, f"{prefix}.{k}" if prefix else k))
    elif isinstance(obj, (list, tuple)):
        for i, v in enumerate(obj):
            items.update(flatten(v, f"{prefix}[{i}]"))
    else:
        items[prefix] = obj
    return items

for row in data:
    print(get_path(row, "user.emails.0", "n/a"), flatten(row))
scores = [r["score"] for r in data if r["score"] is not None]
print(f"mean={sum(scores)/len(scores):.3f} max={max(scores)} best={max(data, key=lambda r: r['score'] or 0)['user']['name']}")
result = {r["id"]: get_path(r, "user.name") for r in data}
