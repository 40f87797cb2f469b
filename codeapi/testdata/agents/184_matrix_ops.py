from functools import reduce
from itertools import chain, product, accumulate, groupby, combinations
import operator

class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
        if len({len(r) for r in self.rows}) > 1:
            raise ValueError("ragged rows")

    def __getitem__(self, key):
        i, j = key
        return self.rows[i][j]

    def __matmul__(self, other):
        return Matrix([[sum(map(operator.mul, r, c)) for c in zip(*other.rows)] for r in self.rows])

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def __rmul__(self, k):
        return Matrix([[k * v for v in r] for r in self.rows])

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows

    def __iter__(self):
        return iter(self.rows)

    @property
    def T(self):
        return Matrix(zip(*self.rows))

    @classmethod
    def identity(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])

    def __repr__(self):
        w = max(len(str(v)) for v in chain.from_iterable(self.rows))
        return "\n".join(" ".join(f"{v:>{w}}" for v in r) for r in self.rows)

a = Matrix([[1, 2], [3, 4]])
print(a @ a)
print(a.T)
print(2 * a + Matrix.identity(2))
print(a @ Matrix.identity(2) == a, a[1, 0], [sum(r) for r in a])
print(reduce(operator.matmul, [a] * 4).rows)
try:
    Matrix([[1], [1, 2]])
except ValueError as e:
    print(e)
print(list(accumulate([3, 1, 4, 1, 5], max)), [(k, len(list(g))) for k, g in groupby("aabbbca")], list(combinations("abc", 2)))
print({x * y for x, y in product(range(1, 4), repeat=2)} == {1, 2, 3, 4, 6, 9})
