def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: hash("") or "zero")
t(lambda: {**dict})
t(lambda: {**type({})})
t(lambda: dict(dict))
t(lambda: str[1:])
t(lambda: str[0])
t(lambda: int[1:2])
t(lambda: list[1:2])
t(lambda: type(1)[::2])
t(lambda: "" * 12345678901234567890)
t(lambda: "ab" * 2**63)
def g(x, op, y):
    if op == "*": x *= y
    if op == "+": x += y
    if op == "-": x -= y
    if op == "%": x %= y
    if op == "/": x /= y
    return x
for x in (range(3), {}, set(), 1, 2.5, None, "a", b"a", [1], (1,), {1:2}.keys(), {1:2}.items(), {}.values(), True, len, type, iter([])):
    for y in ("s", range(2), None, [1], 2, (1,), {1}, {1:2}, b"x", True):
        for op in "*+-/":
            try:
                if op == "*" and not isinstance(y, int) and not isinstance(x, int) or op != "*":
                    r = g(x, op, y)
                    if 'object' not in repr(r): print(x if 'at 0x' not in repr(x) and 'built' not in repr(x) else '', op, y, r)
            except Exception as e:
                print(type(x).__name__, op, type(y).__name__, type(e).__name__, e)
b = b"abc"
t(lambda: 300 in b)
t(lambda: -1 in b)
t(lambda: True in b)
t(lambda: 2.5 in b)
t(lambda: None in b)
t(lambda: b[10])
t(lambda: b["a"])
t(lambda: b + True)
t(lambda: b / (1,))
t(lambda: True / (1,))
t(lambda: {{}.keys()})
t(lambda: {{}.keys(): 1})
t(lambda: {1}.add({}.keys()))
t(lambda: {}.keys() in {1})
t(lambda: {1: 2}[{}.keys()])
t(lambda: {}.items() in {})
t(lambda: {}.values() in {1} or 'v')
t(lambda: {1: 2}.get({}.keys()))
t(lambda: {1}.remove({2}))
t(lambda: {1}.discard({2}))
t(lambda: {2} in {1})
t(lambda: {1} in {frozenset([1])})
t(lambda: {frozenset([1])}.remove({1}))
t(lambda: set([1]).remove([1]))
t(lambda: frozenset([1]) in {frozenset([1]): 1})
t(lambda: {1} in {frozenset([1]): 1})
t(lambda: {1} in {}.keys())
t(lambda: "ab" * 2**62)
t(lambda: b"ab" * 2**62)
for a in (None, -5, -1, 0, 1, 3, 5):
    for b in (None, -5, -1, 0, 2, 9):
        for s in (None, -2, -1, 1, 2):
            print(range(4)[a:b:s], range(10, 0, -3)[a:b:s], range(0)[a:b:s])
