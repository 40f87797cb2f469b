# context: {"payload": {"departments": [{"name": "R&D", "teams": [{"lead": "Ida", "members": [{"n": "Ola", "salary": 50}, {"n": "Per", "salary": 61}]}, {"lead": "Kim", "members": []}]}, {"name": "Sales", "teams": [{"lead": "Bea", "members": [{"n": "Uma", "salary": 47}]}]}], "meta": {"year": 2024}}}
flat = [
    {"department": d["name"], "lead": t["lead"], **m}
    for d in payload["departments"]
    for t in d["teams"]
    for m in t["members"]
]
by_dept = {}
for row in flat:
    by_dept.setdefault(row["department"], []).append(row["salary"])

averages = {k: sum(v) / len(v) for k, v in by_dept.items()}
empty_teams = [t["lead"] for d in payload["departments"] for t in d["teams"] if not t["members"]]
year = payload.get("meta", {}).get("year", "unknown")
missing = payload.get("nothing", {}).get("deep")

print(f"{year}: {len(flat)} people, teams without members: {', '.join(empty_teams)}")
__result__ = {"averages": averages, "rows": flat, "missing": missing}
