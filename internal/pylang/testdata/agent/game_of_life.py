cells = {(1, 0), (1, 1), (1, 2)}
def step(live):
    counts = {}
    for r, c in live:
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                if dr or dc:
                    counts[r + dr, c + dc] = counts.get((r + dr, c + dc), 0) + 1
    return {p for p, n in counts.items() if n == 3 or (n == 2 and p in live)}
for _ in range(3):
    print("\n".join("".join("#" if (r, c) in cells else "." for c in range(3)) for r in range(3)), end="\n\n")
    cells = step(cells)
