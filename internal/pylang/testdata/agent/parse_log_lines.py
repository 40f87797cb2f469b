log = """2024-01-02 ERROR disk full
2024-01-02 INFO started
2024-01-03 ERROR timeout after 30s
bad line
2024-01-04 WARN slow query: 2.5s"""
counts, errors = {}, []
for n, line in enumerate(log.splitlines(), 1):
    parts = line.split(" ", 2)
    if len(parts) < 3:
        print(f"skip line {n}: {line!r}")
        continue
    date, level, msg = parts
    counts[level] = counts.get(level, 0) + 1
    if level == "ERROR":
        errors.append((date, msg))
print(counts, errors)
