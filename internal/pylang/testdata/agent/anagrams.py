words = ["listen", "silent", "enlist", "google", "elgoog", "abc"]
groups = {}
for w in words:
    groups.setdefault("".join(sorted(w)), []).append(w)
print([g for g in groups.values() if len(g) > 1])
