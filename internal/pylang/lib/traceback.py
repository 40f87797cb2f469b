"""Exceptions as text."""

import sys
from traceback import _frames


def _chain(e, chain):
    if e is None:
        return []
    out = []
    if chain:
        if e.__cause__ is not None:
            out = _chain(e.__cause__, chain) + ["\nThe above exception was the direct cause of the following exception:\n\n"]
        elif e.__context__ is not None and not e.__suppress_context__:
            out = _chain(e.__context__, chain) + ["\nDuring handling of the above exception, another exception occurred:\n\n"]
    frames = format_tb(e)
    if frames:
        out.append("Traceback (most recent call last):\n")
        out.extend(frames)
    return out + format_exception_only(e)


def format_tb(tb, limit=None):
    out = []
    for name, line, text in _frames(tb):
        out.append(f'  File "program", line {line}, in {name}\n' + (f"    {text}\n" if text else ""))
    return out if limit is None else out[:limit] if limit >= 0 else out[limit:]


extract_tb = format_tb


def format_exception_only(exc, value=None):
    e = exc if isinstance(exc, BaseException) else value
    if e is None:
        return ["NoneType: None\n"]
    kind = type(e)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") and kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    if kind.__module__ == "__main__":
        name = kind.__qualname__
    text = str(e)
    lines = [f"{name}: {text}\n" if text else f"{name}\n"]
    for note in getattr(e, "__notes__", ()):
        lines.append(f"{note}\n")
    return lines


def format_exception(exc, value=None, tb=None, limit=None, chain=True):
    e = exc if isinstance(exc, BaseException) else value
    return _chain(e, chain) if e is not None else ["NoneType: None\n"]


def format_exc(limit=None, chain=True):
    return "".join(format_exception(sys.exception(), chain=chain))


def print_exc(limit=None, file=None, chain=True):
    print(format_exc(limit, chain), end="", file=sys.stderr if file is None else file)


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    print("".join(format_exception(exc, value, tb, limit, chain)), end="", file=sys.stderr if file is None else file)


def print_tb(tb, limit=None, file=None):
    print("".join(format_tb(tb, limit)), end="", file=sys.stderr if file is None else file)


def format_stack(f=None, limit=None):
    return []
