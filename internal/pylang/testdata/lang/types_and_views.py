def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: {**int})
t(lambda: {**type})
t(lambda: {**type(3)})
t(lambda: list[int])
t(lambda: dict[str, int])
t(lambda: list[int]([1]))
t(lambda: list[1] == list[1])
t(lambda: len(dict[1]))
t(lambda: dict[1].fromkeys([1]))
t(lambda: isinstance(1, list[int]))
t(lambda: int[1])
t(lambda: dict[1] + 1)
t(lambda: round(dict[1]))
t(lambda: type[1])
t(lambda: str[0])
t(lambda: dict[1][2])
t(lambda: set[1] | None)
t(lambda: dict[1].xyz)
t(lambda: hash(dict[1]) == hash(dict[1]))
t(lambda: f"{dict['a', 2.5, None, ...]}")
t(lambda: tuple[int, ...])
t(lambda: -list[int])
def g():
    d = {1}
    d |= {1: [2]}.items()
    return d
t(g)
def g():
    d = {1:2}.items()
    d |= {1: [2]}.items()
    return d
t(g)
def g():
    d = {1:2}.keys()
    d |= [[1]]
    return d
t(g)
def g():
    d = {1:2}
    d |= {1: [2]}.items()
    return d
t(g)
def g():
    d = {1:[2]}.items()
    d &= {1: [2]}.items()
    return d
t(g)
def g():
    d = {1:[2]}.items()
    d -= {1: [2]}.items()
    return d
t(g)
def g():
    d = {1:[2]}.items()
    d ^= {1: [2]}.items()
    return d
t(g)
def p(x):
    print("p", x)
    return x
t(lambda: f"{p(1):d} {p('a'):d} {p(3)}")
t(lambda: f"{p(1)} {p('a')!r:>{p(5)}} {p(3)}")
t(lambda: f"{p(1)=} {p(2)=:>5}")
for f in (lambda: 7 - {1: [2]}.items(), lambda: {1: [2]}.items() | 2.5, lambda: 7 & {1: [2]}.items(), lambda: None ^ {1: [2]}.items(), lambda: int("a".encode()), lambda: [[3]] | {1: [2]}.items()):
    t(f)
