from contextlib import contextmanager, suppress
@contextmanager
def section(title):
    print(f"== {title} ==")
    try:
        yield title.lower()
    finally:
        print("-- end --")
with section("Intro") as s:
    print("inside", s)
with suppress(KeyError, ZeroDivisionError):
    1 / 0
print("after")
def gen():
    received = []
    while True:
        x = yield len(received)
        if x is None:
            break
        received.append(x)
    return received
g = gen()
print(next(g), g.send("a"), g.send("b"))
try:
    next(g)
except StopIteration as stop:
    print("got", stop.value)
def chunks(seq, n):
    for i in range(0, len(seq), n):
        yield seq[i:i + n]
print(list(chunks(list(range(7)), 3)))
evens = (x for x in range(20) if x % 2 == 0)
print(next(evens), next(evens), sum(evens), list(evens), next(evens, "empty"))
