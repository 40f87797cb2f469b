graph = {"A": ["B", "C"], "B": ["D"], "C": ["D", "E"], "D": ["F"], "E": ["F"], "F": []}
def shortest(start, goal):
    queue, seen = [(start, [start])], {start}
    while queue:
        node, path = queue.pop(0)
        if node == goal:
            return path
        for nxt in graph[node]:
            if nxt not in seen:
                seen.add(nxt)
                queue.append((nxt, path + [nxt]))
    return None
print(" -> ".join(shortest("A", "F")), shortest("F", "A"))
