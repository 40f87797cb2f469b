class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*other.rows)] for r in self.rows])
    def __add__(self, o):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, o.rows)])
    def __mul__(self, k):
        return Matrix([[a * k for a in r] for r in self.rows])
    __rmul__ = __mul__
    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]
    def __setitem__(self, ij, v):
        self.rows[ij[0]][ij[1]] = v
    def __eq__(self, o):
        return isinstance(o, Matrix) and self.rows == o.rows
    def __repr__(self):
        return "Matrix(" + repr(self.rows) + ")"
    def __call__(self, x):
        return [sum(a * b for a, b in zip(r, x)) for r in self.rows]
    def __bool__(self):
        return any(any(r) for r in self.rows)
    @classmethod
    def identity(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])
    @staticmethod
    def zeros(n, m):
        return Matrix([[0] * m for _ in range(n)])
    @property
    def T(self):
        return Matrix(zip(*self.rows))
m = Matrix([[1, 2], [3, 4]])
print(m @ Matrix.identity(2) == m, m @ m, m + m, 3 * m, m[1, 0], m.T, m([1, 1]), bool(Matrix.zeros(2, 2)))
m[0, 0] = 10
print(m, m != m.T)
result = m.rows
