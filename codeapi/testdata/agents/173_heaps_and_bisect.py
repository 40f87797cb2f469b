import heapq, bisect
from bisect import bisect_left, insort
h = []
for x in [5, 1, 8, 3, 9, 2, 2, 7]:
    heapq.heappush(h, x)
print(h)
y = [9, 4, 7, 1, 8, 2, 6, 3]
heapq.heapify(y)
print(y, heapq.heappushpop(y, 5), y, heapq.heapreplace(y, 10), y, [heapq.heappop(y) for _ in range(4)], y)
print(heapq.nsmallest(3, [5, 2, 9, 1]), heapq.nlargest(2, ["aa", "b", "cccc"], key=len), list(heapq.merge([1, 4], [2, 3])), heapq.nlargest(0, [1]))
try:
    heapq.heappop([])
except IndexError as e:
    print(e)
t = []
heapq.heappush(t, (2, "b")); heapq.heappush(t, (1, "z")); heapq.heappush(t, (1, "a"))
print(heapq.heappop(t), t)
g = [10, 20, 20, 30]
print(bisect_left(g, 20), bisect.bisect(g, 20), bisect.bisect_right(g, 35), bisect_left(g, 5), bisect_left(g, 20, 2), bisect.bisect_left(g, -25, key=lambda v: -v))
insort(g, 25); bisect.insort_left(g, 20); print(g)
grades = [(60, "D"), (70, "C"), (80, "B"), (90, "A")]
result = [("F" if i == 0 else grades[i - 1][1]) for i in (bisect.bisect([g for g, _ in grades], s) for s in (55, 60, 79, 95))]
