deps = {"app": ["db", "cache"], "db": ["net"], "cache": ["net"], "net": []}
order, state = [], {}
def visit(n):
    if state.get(n) == "done":
        return
    if state.get(n) == "active":
        raise RuntimeError(f"cycle at {n}")
    state[n] = "active"
    for d in deps[n]:
        visit(d)
    state[n] = "done"
    order.append(n)
for n in deps:
    visit(n)
print(order)
deps["net"].append("app")
state.clear()
try:
    visit("app")
except RuntimeError as err:
    print("error:", err)
