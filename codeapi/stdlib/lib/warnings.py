"""Warnings are printed, each text of a place once."""

import sys
from contextlib import contextmanager

_seen = set()
_mode = ["default"]
_records = []


class WarningMessage:
    def __init__(self, message, category):
        self.message = message
        self.category = category

    def __str__(self):
        return f"{{message : {self.message!r}, category : {self.category.__name__!r}}}"


def warn(message, category=None, stacklevel=1, source=None):
    if isinstance(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    elif not issubclass(category, Warning):
        raise TypeError(f"category must be a Warning subclass, not '{category.__name__}'")
    if _mode[-1] == "error":
        raise message if isinstance(message, Warning) else category(message)
    if _records:
        _records[-1].append(WarningMessage(message if isinstance(message, Warning) else category(message), category))
        return
    key = (str(message), category.__name__)
    if _mode[-1] == "ignore" or _mode[-1] != "always" and key in _seen:
        return
    _seen.add(key)
    print(f"{category.__name__}: {message}", file=sys.stderr)


def simplefilter(action, category=Warning, lineno=0, append=False):
    _mode[-1] = action


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    _mode[-1] = action


def resetwarnings():
    _mode[-1] = "default"


@contextmanager
def catch_warnings(*, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
    _mode.append(action or _mode[-1])
    if record:
        _records.append([])
    try:
        yield _records[-1] if record else None
    finally:
        _mode.pop()
        if record:
            _records.pop()
