required = {"python", "sql", "docker", "linux"}
candidates = {
    "ann": ["python", "sql", "go"],
    "bob": ["docker", "linux", "python", "sql"],
    "cyd": ["java"],
}

report = []
for name, skills in candidates.items():
    have = set(skills)
    report.append({
        "name": name,
        "matched": sorted(required & have),
        "missing": sorted(required - have),
        "extra": sorted(have - required),
        "fit": len(required & have) / len(required),
    })

report.sort(key=lambda r: (-r["fit"], r["name"]))
everyone = set().union(*candidates.values())
print("all skills:", sorted(everyone))
print("subset:", {"sql"} <= required, "disjoint:", required.isdisjoint({"java"}))
print(sorted({"a", "b"} ^ {"b", "c"}))
result = report
