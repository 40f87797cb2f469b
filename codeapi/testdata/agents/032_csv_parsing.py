# context: {"csv_text": "id,name,dept,score\n1,Ann,IT,88\n2,Bob,HR,\n3,Cid,IT,93.5\n4,Dee,HR,71\n5,Eva,IT,n/a\n"}
lines = csv_text.strip().split("\n")
header = lines[0].split(",")
rows = [dict(zip(header, line.split(","))) for line in lines[1:]]

bad = []
for row in rows:
    try:
        row["score"] = float(row["score"])
    except ValueError:
        bad.append(row["id"])
        row["score"] = None

valid = [r for r in rows if r["score"] is not None]
by_dept = {}
for r in valid:
    by_dept.setdefault(r["dept"], []).append(r["score"])
summary = {d: {"n": len(s), "avg": round(sum(s) / len(s), 2)} for d, s in sorted(by_dept.items())}
print(f"{len(valid)}/{len(rows)} valid, bad ids: {bad}")
result = summary
