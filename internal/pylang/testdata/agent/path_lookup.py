data = {"user": {"name": "Ann", "langs": ["en", "no"]}}
def lookup(obj, path, default=None):
    for part in path.split("."):
        try:
            obj = obj[int(part)] if part.lstrip("-").isdigit() else obj[part]
        except (KeyError, IndexError, TypeError):
            return default
    return obj
print([lookup(data, p, "?") for p in ("user.name", "user.langs.1", "user.langs.9", "user.name.x", "x.y")])
