# global reaches past locals of the same name in between.
x = 10
def outer():
    x = 20
    def inner():
        global x
        x += 1
        return x
    def reader():
        global x
        return x
    return inner(), x, reader(), [x for _ in range(2)]
print(outer(), x)
def helper(): return "module"
def use():
    def helper(): return "local"
    def far():
        global helper
        return helper()
    return helper(), far(), far.__name__
print(use(), helper.__name__, helper())
def f(total):
    def add(n):
        global total
        total = n
    add(5)
    return total
try:
    total
except NameError as e:
    print(e)
print(f(1), total)
