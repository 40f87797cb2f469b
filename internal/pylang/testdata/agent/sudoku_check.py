def ok(cells):
    digits = [c for c in cells if c != "."]
    return len(digits) == len(set(digits))
rows = ["53..7....", "6..195...", ".98....6.", "8...6...3", "4..8.3..1", "7...2...6", ".6....28.", "...419..5", "....8..79"]
cols = ["".join(r[c] for r in rows) for c in range(9)]
boxes = ["".join(rows[r][c] for r in range(br, br + 3) for c in range(bc, bc + 3)) for br in (0, 3, 6) for bc in (0, 3, 6)]
print(all(map(ok, rows + cols + boxes)), cols[0], boxes[4])
