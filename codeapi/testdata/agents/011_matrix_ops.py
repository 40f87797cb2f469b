def transpose(m):
    return [list(row) for row in zip(*m)]


def matmul(a, b):
    bt = transpose(b)
    return [[sum(x * y for x, y in zip(row, col)) for col in bt] for row in a]


def identity(n):
    return [[1 if i == j else 0 for j in range(n)] for i in range(n)]


a = [[1, 2], [3, 4]]
b = [[0, 1], [1, 0]]
product = matmul(a, b)
assert matmul(a, identity(2)) == a
power = identity(2)
for _ in range(5):
    power = matmul(power, a)
print(product, power)
{"product": product, "power5": power, "trace": sum(power[i][i] for i in range(2))}
