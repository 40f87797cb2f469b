xs = [3, 1, 2]


def key(x):
    xs.append(x)
    return x


try:
    xs.sort(key=key)
except ValueError as e:
    print(e, xs)
ys = [5, 4]
ys.sort(key=lambda y: (len(ys), y))
print(ys)
zs = [(2, "b"), (1, "a")]
zs.sort()
print(zs)
try:
    [1, "a", 2].sort()
except TypeError as e:
    print(e)
ws = ["b", "a"]
ws.sort(key=str.upper, reverse=True)
print(ws)
try:
    ws.sort(key=lambda w: 1 / 0)
except ZeroDivisionError:
    print(ws)
