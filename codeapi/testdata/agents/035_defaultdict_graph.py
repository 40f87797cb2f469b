from collections import defaultdict, deque

edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("x", "y")]
graph = defaultdict(set)
for u, v in edges:
    graph[u].add(v)
    graph[v].add(u)


def shortest_path(start: str, goal: str):
    queue = deque([[start]])
    visited = {start}
    while queue:
        path = queue.popleft()
        if path[-1] == goal:
            return path
        for nxt in sorted(graph[path[-1]]):
            if nxt not in visited:
                visited.add(nxt)
                queue.append(path + [nxt])
    return None


print(" -> ".join(shortest_path("a", "e")))
result = {"path": shortest_path("a", "e"), "unreachable": shortest_path("a", "y"), "degree": {k: len(v) for k, v in sorted(graph.items())}}
