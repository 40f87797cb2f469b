old = {"a": 1, "b": 2, "c": {"x": 1}}
new = {"b": 3, "c": {"x": 1}, "d": 4}
added = {k: new[k] for k in new.keys() - old.keys()}
removed = sorted(old.keys() - new.keys())
changed = {k: (old[k], new[k]) for k in sorted(old.keys() & new.keys()) if old[k] != new[k]}
print(f"{added=} {removed=} {changed=}")
