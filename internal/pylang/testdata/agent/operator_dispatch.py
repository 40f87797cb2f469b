ops = {"add": lambda a, b: a + b, "cat": lambda *p: "".join(map(str, p)), "neg": lambda a: -a}
calls = [("add", (2, 3)), ("cat", ("x", 1, None)), ("neg", (4,)), ("neg", ("s",)), ("pow", (2, 3)), ("add", (1,))]
for name, args in calls:
    fn = ops.get(name)
    try:
        print(name, fn(*args) if fn else "unknown")
    except TypeError as e:
        print(name, "TypeError")
