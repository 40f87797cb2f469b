"""What a program may know of its interpreter."""

from sys import _exc_info, _get_limit, _set_limit
from typing import NamedTuple


class _VersionInfo(NamedTuple):
    major: int
    minor: int
    micro: int
    releaselevel: str
    serial: int

    def __repr__(self):
        return f"sys.version_info(major={self.major}, minor={self.minor}, micro={self.micro}, releaselevel={self.releaselevel!r}, serial={self.serial})"


class _FloatInfo(NamedTuple):
    max: float
    max_exp: int
    max_10_exp: int
    min: float
    min_exp: int
    min_10_exp: int
    dig: int
    mant_dig: int
    epsilon: float
    radix: int
    rounds: int


version_info = _VersionInfo(3, 11, 0, "final", 0)
version = "3.11.0 (BMCIS)"
hexversion = 0x030B00F0
float_info = _FloatInfo(1.7976931348623157e308, 1024, 308, 2.2250738585072014e-308, -1021, -307, 15, 53, 2.220446049250313e-16, 2, 1)
maxsize = 9223372036854775807
maxunicode = 1114111
byteorder = "little"
platform = "linux"
argv = [""]
flags = None


class _Stream:
    """Standard output: what is written is printed."""

    encoding = "utf-8"
    errors = "strict"
    closed = False

    def __init__(self, name):
        self.name = name

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.name == "<stderr>":
            print(text, end="", file=_real)
        else:
            print(text, end="")
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def fileno(self):
        raise OSError("there are no files here")

    def reconfigure(self, **options):
        pass


_real = None
stdout = _Stream("<stdout>")
stderr = _Stream("<stderr>")


def exit(status=None, /):
    raise SystemExit(status)


def exc_info():
    e = _exc_info()
    if e is None:
        return (None, None, None)
    return (type(e), e, e.__traceback__)


def exception():
    return _exc_info()


def getrecursionlimit():
    return _get_limit()


def setrecursionlimit(limit, /):
    if limit < 1:
        raise ValueError("recursion limit must be greater or equal than 1")
    _set_limit(limit)


def getdefaultencoding():
    return "utf-8"


def intern(string, /):
    return string
