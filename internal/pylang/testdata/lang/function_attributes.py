def f():
    f.calls += 1
    return f.calls


f.calls = 0
f()
f()
print(f.calls, f.__name__, hasattr(f, "calls"), hasattr(f, "nope"), getattr(f, "nope", "none"))


def memo(fn):
    cache = {}

    def inner(n):
        if n not in cache:
            cache[n] = fn(n)
        return cache[n]

    inner.cache = cache
    inner.clear = lambda: cache.clear()
    return inner


@memo
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(20), len(fib.cache))
fib.clear()
print(fib.cache, vars(f) if False else "")
setattr(f, "label", "x")
print(f.label, f.__dict__)
try:
    print(fib.nothing)
except AttributeError as e:
    print(e)


def register(name):
    def wrap(fn):
        fn.command = name
        return fn
    return wrap


class Shell:
    @register("ls")
    def list(self):
        return "files"

    @register("cd")
    def change(self):
        return "moved"


shell = Shell()
for method in (shell.list, shell.change):
    print(method.command, method())
