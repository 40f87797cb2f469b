def safe_div(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return None
    except TypeError as exc:
        return f"bad types: {exc}"
for pair in [(10, 4), (1, 0), ("a", 2), (2**60, 3)]:
    print(pair, "->", safe_div(*pair))
