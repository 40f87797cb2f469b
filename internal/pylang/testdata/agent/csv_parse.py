raw = "name,age,city\nAnn,34,Oslo\nBob,28,\"Paris\"\nCid,,Rome"
header, *lines = raw.split("\n")
cols = header.split(",")
records = [dict(zip(cols, (c.strip('"') for c in line.split(",")))) for line in lines]
ages = [int(r["age"]) for r in records if r["age"]]
print(records)
print(f"avg age {sum(ages) / len(ages):.1f}, missing {sum(1 for r in records if not r['age'])}")
