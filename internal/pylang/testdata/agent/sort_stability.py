rows = [("b", 2), ("a", 2), ("c", 1), ("a", 1)]
rows.sort(key=lambda r: r[1])
print(rows)
rows.sort(key=lambda r: r[0], reverse=True)
print(rows, sorted(["b10", "b9", "A1"], key=lambda s: (s.lower()[0], int(s[1:]))))
