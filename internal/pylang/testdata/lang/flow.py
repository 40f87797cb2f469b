def f(n):
    for i in range(n):
        if i == 3:
            break
    else:
        return "no break"
    return "break"


print(f(2), f(5))
i = 0
while i < 5:
    i += 1
    if i == 2:
        continue
    if i == 4:
        break
    print(i)
else:
    print("never")
while i < 6:
    i += 1
else:
    print("else ran")


def tries(x):
    log = []
    try:
        log.append("try")
        if x == 1:
            raise ValueError("one")
        if x == 2:
            return log
        if x == 3:
            {}["k"]
        if x == 4:
            [].pop()
    except ValueError as e:
        log.append(f"VE {e}")
    except (KeyError, IndexError) as e:
        log.append(f"{type(e).__name__} {e}")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


for x in range(5):
    print(x, tries(x))


def nested():
    try:
        try:
            raise KeyError("inner")
        finally:
            print("inner finally")
    except KeyError as e:
        print("outer caught", e)
        try:
            raise
        except KeyError as e2:
            print("again", e2)
        raise ValueError("from handler") from e


try:
    nested()
except ValueError as e:
    print(e, repr(e), e.__cause__)


def loop_try():
    out = []
    for i in range(6):
        try:
            if i == 1:
                continue
            if i == 4:
                break
            out.append(10 // (i - 2))
        except ZeroDivisionError:
            out.append("zero")
            continue
        finally:
            out.append("f")
        out.append("end")
    return out


print(loop_try())


def ret_in_finally():
    try:
        return 1
    finally:
        print("cleanup")


print(ret_in_finally())


def override():
    try:
        raise ValueError
    finally:
        return "overridden"


print(override())


class AppError(Exception):
    pass


class NotFound(AppError):
    def __init__(self, name, code=404):
        super().__init__(f"{name} not found")
        self.name = name
        self.code = code


try:
    raise NotFound("doc")
except AppError as e:
    print(type(e).__name__, e, e.name, e.code, e.args, isinstance(e, AppError), isinstance(e, NotFound))
try:
    raise AppError
except AppError as e:
    print(repr(e), str(e) == "")
try:
    raise AppError("a", 1)
except AppError as e:
    print(e, e.args)


def reraise():
    try:
        int("x")
    except ValueError:
        print("log")
        raise


try:
    reraise()
except Exception as e:
    print(type(e).__name__, e)
try:
    assert 1 == 2, "math"
except AssertionError as e:
    print("assert", e)
try:
    assert []
except AssertionError as e:
    print("assert", repr(e))
try:
    undefined_later
except NameError as e:
    print(e)
try:
    def g():
        return local_var
        local_var = 1
    g()
except UnboundLocalError as e:
    print(type(e).__name__)
if False:
    undefined_later = 1
errors = []
for bad in ["1", "x", None, [], "2.5"]:
    try:
        errors.append(int(bad))
    except (ValueError, TypeError) as e:
        errors.append(type(e).__name__)
print(errors)


def gen(n):
    for i in range(n):
        got = yield i
        print("got", got)
    return "done"


print(list(gen(2)))


def countdown(n):
    while n > 0:
        yield n
        n -= 1


def chain(*its):
    for it in its:
        yield from it


print(list(chain(countdown(3), "ab", [1])))
g = countdown(3)
print(next(g), next(g), next(g), next(g, "end"))


def fibs():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


for n in fibs():
    if n > 50:
        break
    print(n, end=" ")
print()


def gen_finally():
    try:
        yield 1
        yield 2
    except ValueError:
        print("never")
    finally:
        print("gen cleanup")


print(list(gen_finally()))


def failing():
    yield 1
    raise ValueError("in gen")


try:
    for v in failing():
        print(v)
except ValueError as e:
    print("caught", e)
try:
    print([v for v in failing()])
except ValueError as e:
    print("caught", e)
try:
    print(sum(failing()))
except ValueError as e:
    print("caught", e)
x = 5
result = "big" if x > 3 else "small"
print(result)


def outer():
    count = 0

    def inc(by=1):
        nonlocal count
        count += by
        return count
    inc()
    inc(5)
    return count, inc


c, inc = outer()
print(c, inc(), inc())
fs = [lambda i=i: i for i in range(3)]
print([f() for f in fs])
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
fs = []
for j in range(3):
    fs.append(lambda: j)
print([f() for f in fs])


def make():
    out = []
    for k in range(2):
        out += [(lambda: v) for v in [k]]
    return [f() for f in out]


print(make())


def defaults(a, b=2, *args, c, d=4, **kw):
    return a, b, args, c, d, kw


print(defaults(1, c=3), defaults(1, 2, 3, 4, c=5, e=6))
for bad in [lambda: defaults(), lambda: defaults(1), lambda: defaults(1, a=2, c=1), lambda: (lambda x: x)(), lambda: (lambda: 1)(2), lambda: (lambda x, y: 1)(1, 2, 3), lambda: (lambda x: 1)(z=1)]:
    try:
        print(bad())
    except TypeError as e:
        print("TypeError")


def mutable(x, acc=[]):
    acc.append(x)
    return acc


print(mutable(1), mutable(2))
del x
try:
    print(x)
except NameError as e:
    print("NameError", e)
if (n := 10) > 5:
    print(n)
print([y := 1, y + 1], [last := v for v in range(3)], last)
data = [1, 2, 3, 4]
total = 0
for idx, (a, b) in enumerate(zip(data, data[1:])):
    total += a * b + idx
print(total)
a = b = c = []
a.append(1)
print(b, c)
v = 10
v += 5
v -= 3
v *= 2
v //= 5
v **= 2
v %= 7
v <<= 3
v |= 1
v ^= 2
v &= 0xff
v >>= 1
v /= 4
print(v)
match {"type": "point", "x": 1, "y": 2}:
    case {"type": "circle", "r": r}:
        print("circle", r)
    case {"type": "point", "x": x, **rest}:
        print("point", x, rest)
for m in [0, 1, "a", "quit", [1, 2], [1, 2, 3], (1, [2, 3]), None, True, 2.5, {"k": 1}]:
    match m:
        case 0:
            print("zero")
        case True | None:
            print("bool/none", m)
        case int(n) if n > 0:
            print("pos", n)
        case "quit" | "exit":
            print("bye")
        case str():
            print("str", m)
        case [a, b]:
            print("pair", a, b)
        case [a, *rest]:
            print("seq", a, rest)
        case float():
            print("float")
        case _:
            print("other", m)
print("end", sep="", end="!\n")
print(1, 2, 3, sep="-")
print("a", "b", sep="")
print()
print(*[1, 2], *"ab")
print("x", file=None)


def doc():
    """Docs."""
    return doc.__doc__ is not None and doc.__name__


print(doc())
if __name__ == "__main__":
    print("main")


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


print(deep(500))


def kwonly(*, a=1, b):
    return a, b


print(kwonly(b=2))
opts = {"b": 3}
print(kwonly(**opts), kwonly(**{**opts, "a": 9}))


def annotated(x: "int" = 3, *, y: list[int] | None = None) -> dict[str, int]:
    z: int = 5
    w: str
    return {"x": x, "z": z, "y": y}


print(annotated())
try:
    pass
except:
    print("no")
else:
    print("else")
for i in []:
    pass
else:
    print("empty else")
lst = [3, 1, 2]
lst.sort(key=lambda v: (-v, v))
print(lst)
print(sorted([("b", 1), ("a", 1), ("c", 0)], key=lambda p: p[1]))
print(sorted([("b", 1), ("a", 1), ("c", 0)], key=lambda p: p[1], reverse=True))
