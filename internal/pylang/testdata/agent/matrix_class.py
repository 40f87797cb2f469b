class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
    def __getitem__(self, idx):
        i, j = idx
        return self.rows[i][j]
    def __setitem__(self, idx, v):
        self.rows[idx[0]][idx[1]] = v
    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])
    def __mul__(self, k):
        return Matrix([[a * k for a in r] for r in self.rows])
    __rmul__ = __mul__
    def __eq__(self, other):
        return self.rows == other.rows
    def __repr__(self):
        return f"Matrix({self.rows})"
m = Matrix([[1, 2], [3, 4]])
m[0, 1] = 9
print(m + m, 2 * m, m[1, 0], m == Matrix([[1, 9], [3, 4]]))
