matrix = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
print([list(r) for r in zip(*matrix)], [x for row in matrix for x in row if x % 2], sum(map(sum, matrix)))
print([[r[i] for r in matrix] for i in range(3)], [row[:] for row in matrix][::-1], [matrix[i][i] for i in range(3)])
rot = [list(r) for r in zip(*matrix[::-1])]
a = [3, 1, 2]; b = a; c = a.copy(); b.append(9); a.sort(reverse=True); a.insert(1, 7); a.extend([0, 0]); a.remove(0)
print(a, b is a, c, a.pop(), a.pop(0), a.index(7), a.count(0), a + c, a * 2, sorted(a), list(reversed(a)), a[-1], a[1:3], a[::2])
a[1:2] = [5, 6, 7]; del a[0]; a[:0] = [100]; print(a, 5 in a, [] == [], [1, 2] < [1, 3], max(a), min(a), sum(a), any(x > 6 for x in a), all(a))
i, (j, *k) = 1, (2, 3, 4); print(i, j, k)
first, second = "ab"; first, second = second, first; print(first, second)
nested = [1, [2, [3, [4]]]]
def flat(x):
    return [z for y in x for z in (flat(y) if isinstance(y, list) else [y])]
print(flat(nested), list(enumerate("ab", 1)), list(zip("ab", [1, 2], strict=True)), list(filter(None, [0, 1, "", "x"])), list(map(str, [1, 2])))
import copy
d = {"a": [1]}; e = copy.deepcopy(d); f = copy.copy(d); d["a"].append(2); print(d, e, f)
if (n := len(rot)) > 2: print("big", n)
print([y := 5, y ** 2], {s: len(s) for s in ["a", "bb"]}, {len(s) for s in ["a", "b"]}, tuple(x * 2 for x in range(3)), (1,), ())
print("a" if [] else "b", None or "x", 0 and 1, not 1, 1 < 2 < 3, 1 == 1.0, 3 != 4, None is None, [1] is not None, 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, 256 >> 2)
for i in range(3):
    if i == 5: break
else:
    print("no break")
n = 10
while n > 0:
    n -= 3
    if n == 4: continue
    if n < 2: break
print(n)
result = rot
