print([round(x) for x in (0.5, 1.5, 2.5, -0.5)], round(2.675, 2), round(1234.5678, -2), round(5, 1), 0.1 + 0.2, 1e16 + 1, 1 / 3)
