for v in [0, 1, "", "0", [], [0], {}, None, 0.0, -0.0, (), (None,), set(), range(0), "False"]:
    print(repr(v), bool(v), v or "default", v and "truthy", not v)
