"""Text in memory."""

SEEK_SET = 0
SEEK_CUR = 1
SEEK_END = 2


class UnsupportedOperation(OSError, ValueError):
    pass


class StringIO:
    def __init__(self, initial_value="", newline="\n"):
        if initial_value is None:
            initial_value = ""
        if not isinstance(initial_value, str):
            raise TypeError(f"initial_value must be str or None, not {type(initial_value).__name__}")
        self._parts = [initial_value]
        self._size = len(initial_value)
        self._at = 0
        self._closed = False

    def _check(self):
        if self._closed:
            raise ValueError("I/O operation on closed file")

    def _text(self):
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]

    def _replace(self, text):
        self._parts = [text]
        self._size = len(text)

    @property
    def closed(self):
        return self._closed

    def readable(self):
        self._check()
        return True

    def writable(self):
        self._check()
        return True

    def seekable(self):
        self._check()
        return True

    def isatty(self):
        self._check()
        return False

    def flush(self):
        self._check()

    def close(self):
        self._closed = True

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def getvalue(self):
        self._check()
        return self._text()

    def write(self, s, /):
        self._check()
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got '{type(s).__name__}'")
        if not s:
            return 0
        if self._at == self._size:
            self._parts.append(s)
            self._size += len(s)
        else:
            text = self._text().ljust(self._at, "\0")
            self._replace(text[:self._at] + s + text[self._at + len(s):])
        self._at += len(s)
        return len(s)

    def writelines(self, lines, /):
        for line in lines:
            self.write(line)

    def read(self, size=-1, /):
        self._check()
        text = self._text()
        end = len(text) if size is None or size < 0 else self._at + size
        out = text[self._at:end]
        self._at = max(self._at, min(end, len(text)))
        return out

    def readline(self, size=-1, /):
        self._check()
        text = self._text()
        end = text.find("\n", self._at) + 1
        if end == 0:
            end = len(text)
        if size is not None and size >= 0:
            end = min(end, self._at + size)
        out = text[self._at:end]
        self._at = max(self._at, end)
        return out

    def readlines(self, hint=-1, /):
        lines, size = [], 0
        for line in self:
            lines.append(line)
            size += len(line)
            if hint is not None and 0 < hint <= size:
                break
        return lines

    def __iter__(self):
        self._check()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def tell(self):
        self._check()
        return self._at

    def seek(self, pos, whence=0, /):
        self._check()
        if whence == 0 and pos < 0:
            raise ValueError(f"Negative seek position {pos}")
        if whence not in (0, 1, 2):
            raise ValueError(f"Invalid whence ({whence}, should be 0, 1 or 2)")
        if whence != 0 and pos != 0:
            raise OSError("Can't do nonzero cur-relative seeks")
        if whence == 0:
            self._at = pos
        elif whence == 2:
            self._at = self._size
        return self._at

    def truncate(self, pos=None, /):
        self._check()
        if pos is None:
            pos = self._at
        if pos < 0:
            raise ValueError(f"Negative size value {pos}")
        self._replace(self._text()[:pos])
        return pos
