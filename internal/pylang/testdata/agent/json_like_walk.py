doc = {"a": [1, {"b": None, "c": [True, "x"]}], "d": {"e": 2.5}}
def walk(node, path="$"):
    if isinstance(node, dict):
        for k, v in node.items():
            yield from walk(v, f"{path}.{k}")
    elif isinstance(node, list):
        for i, v in enumerate(node):
            yield from walk(v, f"{path}[{i}]")
    else:
        yield path, node
for p, v in walk(doc):
    print(p, "=", v)
