def check(v):
    assert isinstance(v, int), f"expected int, got {type(v).__name__}"
    assert v >= 0
    return v
for v in (5, "x", -1, None):
    try:
        print(check(v))
    except AssertionError as e:
        print("failed:", e or "(no message)")
