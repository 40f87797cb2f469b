people = [
    {"name": "Eve", "age": 35, "city": "Oslo"},
    {"name": "adam", "age": 28, "city": "Rome"},
    {"name": "Bo", "age": 35, "city": "Bonn"},
    {"name": "Cy", "age": 28, "city": None},
]

by_age_then_name = sorted(people, key=lambda p: (-p["age"], p["name"].lower()))
by_city = sorted(people, key=lambda p: (p["city"] is None, p["city"] or ""))
names = [p["name"] for p in people]
names.sort(key=str.lower)

print([p["name"] for p in by_age_then_name])
print([p["city"] for p in by_city])
oldest = max(people, key=lambda p: p["age"])
result = {"names": names, "oldest": oldest["name"], "reversed": sorted([3, 1, 2], reverse=True)}
