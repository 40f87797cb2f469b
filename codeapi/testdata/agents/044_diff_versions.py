# context: {"old": {"timeout": 30, "retries": 3, "hosts": ["a", "b"], "tls": {"min": "1.2"}}, "new": {"timeout": 45, "hosts": ["a", "c"], "tls": {"min": "1.3", "hsts": true}, "debug": false}}
def diff(a, b, path=""):
    changes = []
    for key in sorted(set(a) | set(b)):
        where = f"{path}.{key}" if path else key
        if key not in a:
            changes.append(("added", where, None, b[key]))
        elif key not in b:
            changes.append(("removed", where, a[key], None))
        elif isinstance(a[key], dict) and isinstance(b[key], dict):
            changes += diff(a[key], b[key], where)
        elif a[key] != b[key]:
            changes.append(("changed", where, a[key], b[key]))
    return changes


changes = diff(old, new)
symbols = {"added": "+", "removed": "-", "changed": "~"}
for kind, where, before, after in changes:
    print(symbols[kind], where, before, "->", after)

__result__ = [list(c) for c in changes]
