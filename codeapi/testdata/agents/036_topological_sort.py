def topo_sort(deps: dict) -> list:
    """Return tasks so that every task comes after what it needs."""
    order, done, active = [], set(), set()

    def visit(task):
        if task in done:
            return
        if task in active:
            raise ValueError(f"cycle at {task}")
        active.add(task)
        for dep in deps.get(task, []):
            visit(dep)
        active.discard(task)
        done.add(task)
        order.append(task)

    for task in deps:
        visit(task)
    return order


plan = topo_sort({"deploy": ["build", "test"], "test": ["build"], "build": ["checkout"], "checkout": []})
print(plan)
try:
    topo_sort({"a": ["b"], "b": ["a"]})
    error = None
except ValueError as e:
    error = str(e)

__result__ = {"plan": plan, "error": error}
