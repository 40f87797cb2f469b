people = [("Ann", "eng"), ("Bob", "ops"), ("Cid", "eng"), ("Dee", "hr"), ("Eve", "ops")]
groups = {}
for name, team in people:
    groups.setdefault(team, []).append(name)
print({k: sorted(v) for k, v in sorted(groups.items())})
biggest = max(groups, key=lambda k: len(groups[k]))
print(biggest, [len(v) for v in groups.values()])
