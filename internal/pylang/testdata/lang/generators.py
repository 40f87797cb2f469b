# Displays evaluate their parts in order: what a later part changes is too late.
calls = {"hit": 0}
def look():
    calls["hit"] += 1
    return calls["hit"]
print({**calls, "now": look(), **calls, "then": look()}, {"a": look(), **calls})
