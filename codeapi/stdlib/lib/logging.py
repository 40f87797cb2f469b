"""Logging to the printed output."""

import sys
import time
import traceback

CRITICAL = 50
FATAL = 50
ERROR = 40
WARNING = 30
WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"
raiseExceptions = True

_names = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
_disabled = [0]


def getLevelName(level):
    if isinstance(level, str):
        for number, name in _names.items():
            if name == level:
                return number
        return f"Level {level}"
    return _names.get(level, f"Level {level}")


def addLevelName(level, levelName):
    _names[level] = levelName


def getLevelNamesMapping():
    return {name: number for number, name in _names.items()}


def _level(level):
    if isinstance(level, int):
        return level
    if not isinstance(level, str):
        raise TypeError(f"Level not an integer or a valid string: {level!r}")
    number = getLevelName(level)
    if not isinstance(number, int):
        raise ValueError(f"Unknown level: {level!r}")
    return number


def disable(level=CRITICAL):
    _disabled[0] = level


class LogRecord:
    def __init__(self, name, level, pathname, lineno, msg, args, exc_info, func=None, sinfo=None):
        self.name = name
        self.msg = msg
        if args and len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        self.args = args
        self.levelname = getLevelName(level)
        self.levelno = level
        self.pathname = pathname
        self.filename = pathname
        self.module = "program"
        self.lineno = lineno
        self.funcName = func or "<module>"
        self.exc_info = exc_info
        self.exc_text = None
        self.created = time.time()
        self.msecs = int(self.created % 1 * 1000)
        self.relativeCreated = time.monotonic() * 1000
        self.thread = 1
        self.threadName = "MainThread"
        self.process = 1
        self.processName = "MainProcess"

    def getMessage(self):
        message = str(self.msg)
        if self.args:
            message = message % self.args
        return message


class Formatter:
    default_time_format = "%Y-%m-%d %H:%M:%S"

    def __init__(self, fmt=None, datefmt=None, style="%", validate=True, *, defaults=None):
        self._style = style
        self._fmt = fmt or {"%": "%(message)s", "{": "{message}", "$": "${message}"}[style]
        self.datefmt = datefmt

    def usesTime(self):
        return "asctime" in self._fmt

    def formatTime(self, record, datefmt=None):
        from datetime import datetime

        at = datetime.fromtimestamp(record.created)
        if datefmt:
            return at.strftime(datefmt)
        return "%s,%03d" % (at.strftime(self.default_time_format), record.msecs)

    def formatException(self, exc_info):
        return "".join(traceback.format_exception(exc_info[1])).rstrip("\n")

    def formatMessage(self, record):
        values = vars(record)
        if self._style == "%":
            return self._fmt % values
        if self._style == "{":
            return self._fmt.format(**values)
        from string import Template

        return Template(self._fmt).substitute(**values)

    def format(self, record):
        record.message = record.getMessage()
        if self.usesTime():
            record.asctime = self.formatTime(record, self.datefmt)
        text = self.formatMessage(record)
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return text


class Filter:
    def __init__(self, name=""):
        self.name = name

    def filter(self, record):
        return not self.name or record.name == self.name or record.name.startswith(self.name + ".")


class _Filterer:
    def addFilter(self, filter):
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter):
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record):
        for f in self.filters:
            keep = f.filter(record) if hasattr(f, "filter") else f(record)
            if not keep:
                return False
        return True


class Handler(_Filterer):
    def __init__(self, level=NOTSET):
        self.level = _level(level)
        self.formatter = None
        self.filters = []
        self.name = None

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, fmt):
        self.formatter = fmt

    def format(self, record):
        return (self.formatter or Formatter()).format(record)

    def emit(self, record):
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def handle(self, record):
        keep = self.filter(record)
        if keep:
            self.emit(record)
        return keep

    def flush(self):
        pass

    def close(self):
        pass


class StreamHandler(Handler):
    terminator = "\n"

    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream if stream is not None else sys.stderr

    def emit(self, record):
        self.stream.write(self.format(record) + self.terminator)


class NullHandler(Handler):
    def emit(self, record):
        pass


class _Levels:
    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.log(ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical


class Logger(_Filterer, _Levels):
    def __init__(self, name, level=NOTSET):
        self.name = name
        self.level = _level(level)
        self.parent = None
        self.propagate = True
        self.handlers = []
        self.disabled = False
        self.filters = []

    def __repr__(self):
        return f"<Logger {self.name} ({getLevelName(self.getEffectiveLevel())})>"

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        logger = self
        while logger is not None:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    def isEnabledFor(self, level):
        return not self.disabled and level > _disabled[0] and level >= self.getEffectiveLevel()

    def addHandler(self, hdlr):
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr):
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self):
        logger = self
        while logger is not None:
            if logger.handlers:
                return True
            logger = logger.parent if logger.propagate else None
        return False

    def getChild(self, suffix):
        return getLogger(suffix if self is root else f"{self.name}.{suffix}")

    def _log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1):
        if exc_info:
            if isinstance(exc_info, BaseException):
                exc_info = (type(exc_info), exc_info, None)
            elif not isinstance(exc_info, tuple):
                exc_info = sys.exc_info()
            if exc_info[1] is None:
                exc_info = None
        record = LogRecord(self.name, level, "program", 0, msg, args, exc_info)
        if extra:
            for key, value in extra.items():
                setattr(record, key, value)
        self.handle(record)

    def handle(self, record):
        if not self.disabled and self.filter(record):
            self.callHandlers(record)

    def callHandlers(self, record):
        found = False
        logger = self
        while logger is not None:
            for handler in logger.handlers:
                found = True
                if record.levelno >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None
        if not found and record.levelno >= WARNING:
            print(record.getMessage(), file=sys.stderr)

    def log(self, level, msg, *args, **kwargs):
        if self.isEnabledFor(level):
            self._log(level, msg, args, **kwargs)


class LoggerAdapter(_Levels):
    def __init__(self, logger, extra=None):
        self.logger = logger
        self.extra = extra

    def process(self, msg, kwargs):
        kwargs["extra"] = self.extra
        return msg, kwargs

    def log(self, level, msg, *args, **kwargs):
        if self.logger.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)


root = Logger("root", WARNING)
_loggers = {}


def getLogger(name=None):
    if not name or name == "root":
        return root
    if name not in _loggers:
        logger = Logger(name)
        logger.parent = root
        above = name
        while "." in above:
            above = above.rpartition(".")[0]
            if above in _loggers:
                logger.parent = _loggers[above]
                break
        for other in _loggers.values():
            if other.name.startswith(logger.name + ".") and (other.parent is root or logger.name.startswith(other.parent.name + ".")):
                other.parent = logger
        _loggers[name] = logger
    return _loggers[name]


def basicConfig(**kwargs):
    force = kwargs.pop("force", False)
    filename = kwargs.pop("filename", None)
    kwargs.pop("filemode", None)
    kwargs.pop("encoding", None)
    kwargs.pop("errors", None)
    if filename is not None:
        raise ValueError("basicConfig: there are no log files here; leave filename out: records are printed")
    handlers = kwargs.pop("handlers", None)
    stream = kwargs.pop("stream", None)
    style = kwargs.pop("style", "%")
    fmt = kwargs.pop("format", None) or {"%": BASIC_FORMAT, "{": "{levelname}:{name}:{message}", "$": "${levelname}:${name}:${message}"}[style]
    datefmt = kwargs.pop("datefmt", None)
    level = kwargs.pop("level", None)
    if kwargs:
        raise ValueError("Unrecognised argument(s): " + ", ".join(kwargs))
    if force:
        root.handlers = []
    if root.handlers:
        return
    for handler in handlers or [StreamHandler(stream)]:
        if handler.formatter is None:
            handler.setFormatter(Formatter(fmt, datefmt, style))
        root.addHandler(handler)
    if level is not None:
        root.setLevel(level)


def _ready():
    if not root.handlers:
        basicConfig()


def log(level, msg, *args, **kwargs):
    _ready()
    root.log(level, msg, *args, **kwargs)


def debug(msg, *args, **kwargs):
    _ready()
    root.debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    _ready()
    root.info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    _ready()
    root.warning(msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    _ready()
    root.error(msg, *args, **kwargs)


def exception(msg, *args, exc_info=True, **kwargs):
    _ready()
    root.error(msg, *args, exc_info=exc_info, **kwargs)


def critical(msg, *args, **kwargs):
    _ready()
    root.critical(msg, *args, **kwargs)


fatal = critical


def captureWarnings(capture):
    pass


def shutdown():
    pass
