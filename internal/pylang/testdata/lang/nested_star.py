data = [(1, (2, 3, 4)), (5, (6, 7))]
print([(a, b, c) for a, (b, *c) in data])
print({a: c for a, (b, *c) in data})
print(list((a, c) for a, (*c, b) in data))
print(sum(len(c) for a, (b, *c) in data), any(c for a, (b, *c) in data))
print({a for a, (b, *c) in data})
for a, (b, *c) in data: print(a, b, c)
print([x for [x, *_] in [[1,2],[3]]], [first for first, *rest in ["ab", "cd"]])
print([(i, a, b) for i, (a, *b) in enumerate(["abc", "de"])])
d = {}
for d["k"] in [1, 2]: pass
print(d)
class A: pass
o = A()
