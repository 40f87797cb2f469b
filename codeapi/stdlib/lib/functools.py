"""Decorators."""

_ORDER = {
    "__lt__": (("__gt__", "not_eq_not"), ("__le__", "or_eq"), ("__ge__", "not")),
    "__le__": (("__ge__", "not_or_eq"), ("__lt__", "and_ne"), ("__gt__", "not")),
    "__gt__": (("__lt__", "not_eq_not"), ("__ge__", "or_eq"), ("__le__", "not")),
    "__ge__": (("__le__", "not_or_eq"), ("__gt__", "and_ne"), ("__lt__", "not")),
}


def _derived(root, how):
    def compare(self, other):
        r = getattr(self, root)(other)
        if r is NotImplemented:
            return r
        if how == "not":
            return not r
        if how == "or_eq":
            return r or self == other
        if how == "and_ne":
            return r and self != other
        if how == "not_or_eq":
            return not r or self == other
        return not r and self != other

    return compare


def total_ordering(cls):
    roots = [name for name in ("__lt__", "__gt__", "__le__", "__ge__") if hasattr(cls, name)]
    if not roots:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    root = "__lt__" if "__lt__" in roots else "__le__" if "__le__" in roots else roots[0]
    for name, how in _ORDER[root]:
        if name not in roots:
            setattr(cls, name, _derived(root, how))
    return cls


class singledispatch:
    def __init__(self, func):
        self.registry = {object: func}
        self.__name__ = func.__name__
        self.__wrapped__ = func

    def dispatch(self, kind):
        best = object
        for candidate in self.registry:
            if issubclass(kind, candidate) and issubclass(candidate, best):
                best = candidate
        return self.registry[best]

    def register(self, kind, f=None):
        if f is not None:
            self.registry[kind] = f
            return f
        if not isinstance(kind, type):
            raise TypeError("Invalid first argument to `register()`: write @name.register(type), annotations are not read here")

        def decorate(f):
            self.registry[kind] = f
            return f

        return decorate

    def __call__(self, *args, **kwargs):
        if not args:
            raise TypeError(f"{self.__name__} requires at least 1 positional argument")
        return self.dispatch(type(args[0]))(*args, **kwargs)
