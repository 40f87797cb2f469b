s = list(range(10))
s[2:4] = [20, 30, 40]
del s[-2:]
print(s, s[::3], s[-3:], s[::-2], s[5:2:-1])
s[::2] = [0] * len(s[::2])
print(s)
