"""What kind of value something is."""

from inspect import _kind


def isclass(object):
    return isinstance(object, type)


def isfunction(object):
    return _kind(object) == "function"


def ismethod(object):
    return _kind(object) == "method"


def isbuiltin(object):
    return _kind(object) == "builtin"


def isroutine(object):
    return _kind(object) in ("function", "method", "builtin")


def isgenerator(object):
    return _kind(object) == "generator"


def isgeneratorfunction(object):
    return _kind(object, True) == "generator function"


def iscoroutine(object):
    return _kind(object) == "coroutine"


def iscoroutinefunction(object):
    return _kind(object, True) == "coroutine function"


def isasyncgenfunction(object):
    return _kind(object, True) == "asyncgen function"


def isawaitable(object):
    return _kind(object) in ("coroutine", "future") or hasattr(object, "__await__")


def ismodule(object):
    return type(object).__name__ == "module"


def getdoc(object):
    doc = getattr(object, "__doc__", None)
    return cleandoc(doc) if isinstance(doc, str) else None


def cleandoc(doc):
    lines = doc.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def getmembers(object, predicate=None):
    out = []
    for name in dir(object):
        value = getattr(object, name, None)
        if predicate is None or predicate(value):
            out.append((name, value))
    return out
