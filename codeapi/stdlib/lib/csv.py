"""Tables as text."""

from csv import Error, _format, _split

QUOTE_MINIMAL = 0
QUOTE_ALL = 1
QUOTE_NONNUMERIC = 2
QUOTE_NONE = 3


class Dialect:
    delimiter = ","
    quotechar = '"'
    escapechar = None
    doublequote = True
    skipinitialspace = False
    lineterminator = "\r\n"
    quoting = QUOTE_MINIMAL
    strict = False


class excel(Dialect):
    pass


class excel_tab(excel):
    delimiter = "\t"


class unix_dialect(Dialect):
    quoting = QUOTE_ALL
    lineterminator = "\n"


_dialects = {"excel": excel, "excel-tab": excel_tab, "unix": unix_dialect}
_options = ("delimiter", "quotechar", "escapechar", "doublequote", "skipinitialspace", "lineterminator", "quoting", "strict")


def list_dialects():
    return list(_dialects)


def get_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    return _dialects[name]


def register_dialect(name, dialect="excel", **options):
    _dialects[name] = _dialect(dialect, options)


def unregister_dialect(name):
    get_dialect(name)
    del _dialects[name]


def _dialect(base, options):
    if isinstance(base, str):
        base = get_dialect(base)
    d = Dialect()
    for name in _options:
        setattr(d, name, getattr(base, name, getattr(Dialect, name)))
    for name, value in options.items():
        if name not in _options:
            raise TypeError(f"'{name}' is an invalid keyword argument for this function")
        setattr(d, name, value)
    for name in ("delimiter", "quotechar", "escapechar"):
        value = getattr(d, name)
        if value is None and name != "delimiter":
            continue
        if not isinstance(value, str):
            kind = "string" if name == "delimiter" else "string or None"
            raise TypeError(f'"{name}" must be {kind}, not {type(value).__name__}')
        if len(value) != 1:
            raise TypeError(f'"{name}" must be a 1-character string')
    if d.quotechar is None and d.quoting != QUOTE_NONE:
        raise TypeError("quotechar must be set if quoting enabled")
    return d


class _Reader:
    def __init__(self, lines, dialect):
        self._lines = iter(lines)
        self.dialect = dialect
        self.line_num = 0

    def __iter__(self):
        return self

    def __next__(self):
        state = None
        while True:
            try:
                line = next(self._lines)
            except StopIteration:
                if state is None:
                    raise
                row, _ = _split(None, state, self.dialect)
                if row is None:
                    raise
                return row
            if not isinstance(line, str):
                raise Error(f"iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)")
            self.line_num += 1
            row, state = _split(line, state, self.dialect)
            if row is not None:
                return row


def reader(csvfile, dialect="excel", **fmtparams):
    return _Reader(csvfile, _dialect(dialect, fmtparams))


class _Writer:
    def __init__(self, file, dialect):
        if not hasattr(file, "write"):
            raise TypeError('argument 1 must have a "write" method')
        self._file = file
        self.dialect = dialect

    def writerow(self, row):
        try:
            row = list(row)
        except TypeError:
            raise Error(f"iterable expected, not {type(row).__name__}") from None
        return self._file.write(_format(row, self.dialect))

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


def writer(csvfile, dialect="excel", **fmtparams):
    return _Writer(csvfile, _dialect(dialect, fmtparams))


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", *args, **kwds):
        if fieldnames is not None and iter(fieldnames) is fieldnames:
            fieldnames = list(fieldnames)
        self._fieldnames = fieldnames
        self.restkey = restkey
        self.restval = restval
        self.reader = reader(f, dialect, *args, **kwds)
        self.dialect = dialect
        self.line_num = 0

    def __iter__(self):
        return self

    @property
    def fieldnames(self):
        if self._fieldnames is None:
            try:
                self._fieldnames = next(self.reader)
            except StopIteration:
                pass
        self.line_num = self.reader.line_num
        return self._fieldnames

    @fieldnames.setter
    def fieldnames(self, value):
        self._fieldnames = value

    def __next__(self):
        if self.line_num == 0:
            self.fieldnames
        row = next(self.reader)
        self.line_num = self.reader.line_num
        while row == []:
            row = next(self.reader)
        d = dict(zip(self.fieldnames, row))
        names, values = len(self.fieldnames), len(row)
        if names < values:
            d[self.restkey] = row[names:]
        elif names > values:
            for key in self.fieldnames[values:]:
                d[key] = self.restval
        return d


class DictWriter:
    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", *args, **kwds):
        if fieldnames is not None and iter(fieldnames) is fieldnames:
            fieldnames = list(fieldnames)
        self.fieldnames = fieldnames
        self.restval = restval
        if extrasaction.lower() not in ("raise", "ignore"):
            raise ValueError("extrasaction (%s) must be 'raise' or 'ignore'" % extrasaction)
        self.extrasaction = extrasaction
        self.writer = writer(f, dialect, *args, **kwds)

    def _row(self, rowdict):
        if self.extrasaction == "raise":
            wrong = [k for k in rowdict if k not in self.fieldnames]
            if wrong:
                raise ValueError("dict contains fields not in fieldnames: " + ", ".join([repr(x) for x in wrong]))
        return [rowdict.get(key, self.restval) for key in self.fieldnames]

    def writeheader(self):
        return self.writerow(dict(zip(self.fieldnames, self.fieldnames)))

    def writerow(self, rowdict):
        return self.writer.writerow(self._row(rowdict))

    def writerows(self, rowdicts):
        return self.writer.writerows(map(self._row, rowdicts))
