import heapq
from collections import deque, OrderedDict, defaultdict, Counter

graph = {"a": {"b": 4, "c": 1}, "b": {"d": 1}, "c": {"b": 2, "d": 5}, "d": {}}

def dijkstra(graph, start):
    dist = {start: 0}
    queue = [(0, start)]
    prev = {}
    while queue:
        d, node = heapq.heappop(queue)
        if d > dist.get(node, float("inf")):
            continue
        for nxt, w in graph[node].items():
            nd = d + w
            if nd < dist.get(nxt, float("inf")):
                dist[nxt] = nd
                prev[nxt] = node
                heapq.heappush(queue, (nd, nxt))
    return dist, prev

dist, prev = dijkstra(graph, "a")
path, at = [], "d"
while at != "a":
    path.append(at)
    at = prev[at]
path.append("a")
print(" -> ".join(reversed(path)), dist["d"])
print(heapq.nsmallest(2, dist.values()), heapq.nlargest(2, dist.items(), key=lambda kv: kv[1]))
q = deque(maxlen=3)
for i in range(5):
    q.append(i)
print(q, list(q), q[0], q[-1])
__result__ = {"dist": dist, "path": path[::-1]}
