def averager():
    total, n, avg = 0, 0, None
    while True:
        x = yield avg
        if x is None:
            return (total, n)
        total += x; n += 1
        avg = total / n
g = averager()
next(g)
print([g.send(v) for v in (10, 20, 60)])
try:
    g.send(None)
except StopIteration as s:
    print("end", s.value)
def outer():
    r = yield from averager()
    print("inner gave", r)
    yield "last"
o = outer(); next(o); print(o.send(4), o.send(8), next(o), next(o, "none"))
def cleanup():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        print("exit")
        raise
    finally:
        print("cleaned")
c = cleanup(); print(next(c)); c.close(); print(list(c))
def catcher():
    while True:
        try:
            x = yield "ready"
            print("got", x)
        except ValueError as e:
            print("caught", e)
k = catcher(); next(k); k.send(1); print(k.throw(ValueError("boo"))); k.send(2)
try:
    k.throw(KeyError("out"))
except KeyError as e:
    print("through", e)
print(next(k, "dead"))
try:
    averager().send(3)
except TypeError as e:
    print(e)
def coroutine(fn):
    def start(*a, **k):
        g = fn(*a, **k); next(g); return g
    return start
@coroutine
def sink(out):
    while True:
        item = yield
        out.append(item * 2)
out = []; p = sink(out)
for i in range(3): p.send(i)
p.close()
result = out
