grid = [[(r * c) % 4 for c in range(5)] for r in range(4)]
print(grid, [x for row in grid for x in row if x], {r: sum(row) for r, row in enumerate(grid)})
coords = {(r, c) for r, row in enumerate(grid) for c, v in enumerate(row) if v == 3}
print(sorted(coords))
