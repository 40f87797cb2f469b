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


_union = type(int | str)


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
            self._add(kind, f)
            return f
        if not isinstance(kind, type) and not isinstance(kind, _union):
            # A function: the type is that of its first annotated parameter.
            hints = getattr(kind, "__annotations__", None)
            if not hints:
                raise TypeError(f"Invalid first argument to `register()`: {kind!r}. Use either `@register(some_class)` or plain `@register` on an annotated function.")
            f, kind = kind, next(iter(hints.values()))
            self._add(kind, f)
            return f

        def decorate(f):
            self._add(kind, f)
            return f

        return decorate

    def _add(self, kind, f):
        for k in getattr(kind, "__args__", (kind,)) if isinstance(kind, _union) else (kind,):
            self.registry[k] = f

    def __call__(self, *args, **kwargs):
        if not args:
            raise TypeError(f"{self.__name__} requires at least 1 positional argument")
        return self.dispatch(type(args[0]))(*args, **kwargs)


class singledispatchmethod:
    def __init__(self, func):
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, kind, method=None):
        return self.dispatcher.register(kind, method)

    def __get__(self, obj, owner=None):
        def call(*args, **kwargs):
            method = self.dispatcher.dispatch(type(args[0]))
            if hasattr(method, "__get__"):
                return method.__get__(obj, owner)(*args, **kwargs)
            return method(obj, *args, **kwargs)

        call.register = self.register
        return call


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self.func = func
        self.args = args
        self.keywords = keywords

    def __get__(self, obj, owner=None):
        def call(*args, **kwargs):
            return self.func(obj, *self.args, *args, **{**self.keywords, **kwargs})

        return call
