def make_counter(start=0, step=1):
    value = start

    def bump():
        nonlocal value
        value += step
        return value

    return bump


a = make_counter()
b = make_counter(10, 5)
seq = [a(), a(), b(), a(), b()]

handlers = {}


def register(name):
    def wrap(fn):
        handlers[name] = fn
        return fn
    return wrap


@register("double")
def double(x):
    return x * 2


@register("shout")
def shout(x):
    return str(x).upper() + "!"


print({k: fn("ab") for k, fn in handlers.items()})
__result__ = {"seq": seq, "doubled": double(21)}
