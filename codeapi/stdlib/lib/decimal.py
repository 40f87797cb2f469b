"""Decimal arithmetic with a chosen precision and rounding.

A number is sign, coefficient and exponent, all of them ints; _kind is "" for a finite
number, "inf" or "nan".
"""

import math
import re
from collections import namedtuple
from contextlib import contextmanager

ROUND_DOWN = "ROUND_DOWN"
ROUND_UP = "ROUND_UP"
ROUND_HALF_UP = "ROUND_HALF_UP"
ROUND_HALF_DOWN = "ROUND_HALF_DOWN"
ROUND_HALF_EVEN = "ROUND_HALF_EVEN"
ROUND_CEILING = "ROUND_CEILING"
ROUND_FLOOR = "ROUND_FLOOR"
ROUND_05UP = "ROUND_05UP"
MAX_PREC = 999999999999999999
MAX_EMAX = 999999999999999999
MIN_EMIN = -999999999999999999

DecimalTuple = namedtuple("DecimalTuple", "sign digits exponent")


class DecimalException(ArithmeticError):
    pass


class InvalidOperation(DecimalException):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    pass


class DivisionImpossible(InvalidOperation):
    pass


class Inexact(DecimalException):
    pass


class Rounded(DecimalException):
    pass


class Subnormal(DecimalException):
    pass


class Overflow(Inexact, Rounded):
    pass


class Underflow(Inexact, Rounded, Subnormal):
    pass


class FloatOperation(DecimalException, TypeError):
    pass


class Context:
    def __init__(self, prec=28, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, capitals=1, clamp=0, flags=None, traps=None):
        if not isinstance(prec, int):
            raise TypeError("an integer is required")
        if prec < 1:
            raise ValueError("valid range for prec is [1, MAX_PREC]")
        self.prec = prec
        self.rounding = rounding
        self.Emin = Emin
        self.Emax = Emax
        self.capitals = capitals
        self.clamp = clamp
        self.flags = flags or {}
        self.traps = traps if isinstance(traps, dict) else {}

    def __repr__(self):
        return f"Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, Emax={self.Emax}, capitals={self.capitals}, clamp={self.clamp})"

    def copy(self):
        return Context(self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp)

    def create_decimal(self, num="0"):
        return Decimal(num)._fix(self)

    def quantize(self, a, b):
        return Decimal(a).quantize(Decimal(b), context=self)

    def divide(self, a, b):
        return _divide(Decimal(a), Decimal(b), self)

    def sqrt(self, a):
        return Decimal(a).sqrt(self)

    def clear_flags(self):
        self.flags = {}


DefaultContext = Context()
BasicContext = Context(prec=9, rounding=ROUND_HALF_UP)
ExtendedContext = Context(prec=9)
_contexts = [Context()]


def getcontext():
    return _contexts[-1]


def setcontext(context):
    _contexts[-1] = context


@contextmanager
def localcontext(ctx=None, **kwargs):
    context = (ctx or getcontext()).copy()
    for name, value in kwargs.items():
        setattr(context, name, value)
    _contexts.append(context)
    try:
        yield context
    finally:
        _contexts.pop()


_number = re.compile(r"([-+]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([-+]?\d+))?")
_special = re.compile(r"([-+]?)(inf|infinity|nan|snan)(\d*)", re.IGNORECASE)


def _rounded(n, d, negative, rounding):
    """The nonnegative n / d as an int."""
    q, r = divmod(n, d)
    if r == 0:
        return q
    if rounding == ROUND_DOWN:
        up = False
    elif rounding == ROUND_UP:
        up = True
    elif rounding == ROUND_CEILING:
        up = not negative
    elif rounding == ROUND_FLOOR:
        up = negative
    elif rounding == ROUND_05UP:
        up = q % 5 == 0
    elif r * 2 != d:
        up = r * 2 > d
    elif rounding == ROUND_HALF_UP:
        up = True
    elif rounding == ROUND_HALF_DOWN:
        up = False
    elif rounding == ROUND_HALF_EVEN:
        up = q % 2 == 1
    else:
        raise TypeError("valid values for rounding are: [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP]")
    return q + up


def _make(negative, coefficient, exponent, kind=""):
    d = object.__new__(Decimal)
    d._sign = 1 if negative else 0
    d._int = coefficient
    d._exp = exponent
    d._kind = kind
    return d


def _operand(value):
    """The other operand as a Decimal; None for other types."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int):
        return _make(value < 0, abs(int(value)), 0)
    return None


class Decimal:
    __slots__ = ("_sign", "_int", "_exp", "_kind")

    def __new__(cls, value="0", context=None):
        self = object.__new__(cls)
        self._kind = ""
        if isinstance(value, str):
            text = value.strip().replace("_", "")
            m = _number.fullmatch(text)
            if m:
                sign, whole, part, only, exponent = m.groups()
                part = only if only is not None else part or ""
                self._sign = 1 if sign == "-" else 0
                self._int = int((whole or "") + part or "0")
                self._exp = int(exponent or "0") - len(part)
                return self
            m = _special.fullmatch(text)
            if not m:
                raise InvalidOperation([ConversionSyntax])
            self._sign = 1 if m.group(1) == "-" else 0
            self._int = 0
            self._exp = 0
            self._kind = "inf" if m.group(2).lower().startswith("inf") else "nan"
        elif isinstance(value, Decimal):
            self._sign, self._int, self._exp, self._kind = value._sign, value._int, value._exp, value._kind
        elif isinstance(value, int):
            self._sign = 1 if value < 0 else 0
            self._int = abs(int(value))
            self._exp = 0
        elif isinstance(value, float):
            self._int = self._exp = 0
            self._sign = 1 if math.copysign(1, value) < 0 else 0
            if math.isnan(value):
                self._kind = "nan"
            elif math.isinf(value):
                self._kind = "inf"
            else:
                n, d = abs(value).as_integer_ratio()
                twos = d.bit_length() - 1
                self._int = n * 5**twos
                self._exp = -twos
        elif isinstance(value, (tuple, list)):
            sign, digits, exponent = value
            self._sign = sign
            self._int = int("".join(map(str, digits)) or "0")
            self._exp = exponent if isinstance(exponent, int) else 0
            self._kind = "" if isinstance(exponent, int) else {"F": "inf"}.get(exponent, "nan")
        else:
            raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")
        return self

    @classmethod
    def from_float(cls, f):
        return cls(f)

    # Text.

    def __repr__(self):
        return f"Decimal('{self}')"

    def __str__(self):
        sign = "-" if self._sign else ""
        if self._kind:
            return sign + {"inf": "Infinity", "nan": "NaN"}[self._kind]
        digits = str(self._int)
        left = self._exp + len(digits)
        if self._exp <= 0 and left > -6:
            if self._exp == 0:
                return sign + digits
            if left <= 0:
                return sign + "0." + "0" * -left + digits
            return sign + digits[:left] + "." + digits[left:]
        text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{text}E{left - 1:+d}"

    def to_eng_string(self, context=None):
        return str(self)

    def __format__(self, spec, context=None):
        m = re.fullmatch(r"(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([eEfFgGn%])?", spec)
        if m is None:
            raise ValueError("invalid format string")
        fill, align, plus, _, _, zero, width, group, precision, kind = m.groups()
        number = self
        if self._kind:
            text = str(self).lstrip("-")
        else:
            if kind == "%":
                number = _make(self._sign, self._int, self._exp + 2)
            rounding = getcontext().rounding
            if kind in ("f", "F", "%"):
                if precision is not None:
                    number = number._rescale(-int(precision), rounding)
                elif number._exp > 0:
                    number = number._rescale(0, rounding)
            elif kind in ("e", "E") and precision is not None:
                number = number._to_digits(int(precision) + 1, rounding)
            elif precision is not None:
                if len(str(number._int)) > int(precision or "1"):
                    number = number._to_digits(max(int(precision), 1), rounding)
            digits = str(number._int)
            left = number._exp + len(digits)
            if kind in ("e", "E"):
                text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"{kind}{left - 1 if number._int else number._exp:+d}"
            elif kind in ("f", "F", "%") or number._exp <= 0 and left > -6:
                if number._exp >= 0:
                    text = digits + "0" * number._exp
                elif left <= 0:
                    text = "0." + "0" * -left + digits
                else:
                    text = digits[:left] + "." + digits[left:]
            else:
                text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"{'e' if kind == 'g' else 'E'}{left - 1:+d}"
            if kind == "%":
                text += "%"
        if group:
            whole, point, rest = text.partition(".")
            parts = []
            while len(whole) > 3:
                parts.insert(0, whole[-3:])
                whole = whole[:-3]
            text = group.join([whole] + parts) + point + rest
        sign = "-" if number._sign else plus if plus in ("+", " ") else ""
        room = int(width or "0") - len(sign) - len(text)
        if zero and not align:
            fill, align = "0", "="
        fill = fill or " "
        align = align or ">"
        if room <= 0:
            return sign + text
        if align == "<":
            return sign + text + fill * room
        if align == "^":
            return fill * (room // 2) + sign + text + fill * (room - room // 2)
        if align == "=":
            return sign + fill * room + text
        return fill * room + sign + text

    # Rounding.

    def _rescale(self, exponent, rounding):
        if self._kind:
            return self
        if self._exp >= exponent:
            return _make(self._sign, self._int * 10 ** (self._exp - exponent), exponent)
        return _make(self._sign, _rounded(self._int, 10 ** (exponent - self._exp), self._sign, rounding), exponent)

    def _to_digits(self, places, rounding):
        if self._int == 0:
            return _make(self._sign, 0, 1 - places)
        d = self._rescale(self._exp + len(str(self._int)) - places, rounding)
        if len(str(d._int)) > places:
            d = d._rescale(d._exp + 1, rounding)
        return d

    def _fix(self, context=None):
        context = context or getcontext()
        if self._kind:
            return self
        if self._int and self.adjusted() > context.Emax:
            raise Overflow([Overflow])
        extra = len(str(self._int)) - context.prec
        if extra <= 0:
            return self
        d = self._rescale(self._exp + extra, context.rounding)
        if len(str(d._int)) > context.prec:
            d = d._rescale(d._exp + 1, context.rounding)
        return d

    def quantize(self, exp, rounding=None, context=None):
        context = context or getcontext()
        exp = _operand(exp)
        if self._kind or exp._kind:
            if self._kind == exp._kind == "inf":
                return self
            if "nan" in (self._kind, exp._kind):
                return _make(0, 0, 0, "nan")
            raise InvalidOperation([InvalidOperation])
        d = self._rescale(exp._exp, rounding or context.rounding)
        if len(str(d._int)) > context.prec:
            raise InvalidOperation([InvalidOperation])
        return d

    def normalize(self, context=None):
        d = self._fix(context)
        if d._kind:
            return d
        if d._int == 0:
            return _make(d._sign, 0, 0)
        n, e = d._int, d._exp
        while n % 10 == 0:
            n //= 10
            e += 1
        return _make(d._sign, n, e)

    def to_integral_value(self, rounding=None, context=None):
        if self._kind or self._exp >= 0:
            return Decimal(self)
        return self._rescale(0, rounding or (context or getcontext()).rounding)

    to_integral = to_integral_value
    to_integral_exact = to_integral_value

    def __round__(self, n=None):
        if n is None:
            self._finite("integer")
            return int(self._rescale(0, ROUND_HALF_EVEN))
        return self._rescale(-n, ROUND_HALF_EVEN)

    def _finite(self, what):
        if self._kind == "nan":
            raise ValueError(f"cannot convert NaN to {what}")
        if self._kind:
            raise OverflowError(f"cannot convert Infinity to {what}")

    def __int__(self):
        self._finite("integer")
        if self._exp >= 0:
            n = self._int * 10**self._exp
        else:
            n = self._int // 10**-self._exp
        return -n if self._sign else n

    __trunc__ = __int__

    def __floor__(self):
        return int(self._rescale(0, ROUND_FLOOR))

    def __ceil__(self):
        return int(self._rescale(0, ROUND_CEILING))

    def __float__(self):
        return float(str(self))

    def __bool__(self):
        return bool(self._kind) or self._int != 0

    def as_tuple(self):
        if self._kind:
            return DecimalTuple(self._sign, (0,) if self._kind == "inf" else (), "F" if self._kind == "inf" else "n")
        return DecimalTuple(self._sign, tuple(int(c) for c in str(self._int)), self._exp)

    def as_integer_ratio(self):
        self._finite("integer ratio")
        n, d = self._int, 1
        if self._exp >= 0:
            n *= 10**self._exp
        else:
            d = 10**-self._exp
        g = math.gcd(n, d)
        return (-n if self._sign else n) // g, d // g

    def adjusted(self):
        return 0 if self._kind else self._exp + len(str(self._int)) - 1

    def is_nan(self):
        return self._kind == "nan"

    def is_infinite(self):
        return self._kind == "inf"

    def is_finite(self):
        return not self._kind

    def is_zero(self):
        return not self._kind and self._int == 0

    def is_signed(self):
        return self._sign == 1

    def copy_abs(self):
        return _make(0, self._int, self._exp, self._kind)

    def copy_negate(self):
        return _make(not self._sign, self._int, self._exp, self._kind)

    def copy_sign(self, other):
        return _make(_operand(other)._sign, self._int, self._exp, self._kind)

    def scaleb(self, other):
        return _make(self._sign, self._int, self._exp + int(other), self._kind)

    def same_quantum(self, other):
        return self._exp == _operand(other)._exp

    # Comparison.

    def _compare(self, other):
        """-1, 0 or 1; None when a NaN is involved."""
        if "nan" in (self._kind, other._kind):
            return None
        if self._kind or other._kind:
            a = (-1 if self._sign else 1) if self._kind else 0
            b = (-1 if other._sign else 1) if other._kind else 0
            return (a > b) - (a < b)
        e = min(self._exp, other._exp)
        a = self._int * 10 ** (self._exp - e) * (-1 if self._sign else 1)
        b = other._int * 10 ** (other._exp - e) * (-1 if other._sign else 1)
        return (a > b) - (a < b)

    def _other(self, other):
        if isinstance(other, float):
            return Decimal(other)
        d = _operand(other)
        if d is None and hasattr(other, "numerator") and hasattr(other, "denominator"):
            scaled = _make(self._sign, self._int * other.denominator, self._exp, self._kind)
            return scaled, _operand(other.numerator)
        return d

    def _order(self, other, test):
        o = self._other(other)
        if o is None:
            return NotImplemented
        a, b = o if isinstance(o, tuple) else (self, o)
        c = a._compare(b)
        return c is not None and test(c)

    def __eq__(self, other):
        return self._order(other, lambda c: c == 0)

    def __lt__(self, other):
        return self._order(other, lambda c: c < 0)

    def __le__(self, other):
        return self._order(other, lambda c: c <= 0)

    def __gt__(self, other):
        return self._order(other, lambda c: c > 0)

    def __ge__(self, other):
        return self._order(other, lambda c: c >= 0)

    def compare(self, other, context=None):
        c = self._compare(_operand(other))
        return _make(0, 0, 0, "nan") if c is None else Decimal(c)

    def max(self, other, context=None):
        other = _operand(other)
        return (other if self < other else self)._fix(context)

    def min(self, other, context=None):
        other = _operand(other)
        return (self if self < other else other)._fix(context)

    def __hash__(self):
        if self._kind == "inf":
            return -314159 if self._sign else 314159
        if self._kind:
            return 0
        p = 2**61 - 1
        scale = pow(10, self._exp, p) if self._exp >= 0 else pow(pow(10, p - 2, p), -self._exp, p)
        h = self._int * scale % p
        h = -h if self._sign else h
        return -2 if h == -1 else h

    # Arithmetic.

    def __neg__(self):
        if not self._kind and self._int == 0:
            return _make(0, 0, self._exp)
        return _make(not self._sign, self._int, self._exp, self._kind)._fix()

    def __pos__(self):
        if not self._kind and self._int == 0:
            return _make(0, 0, self._exp)
        return self._fix()

    def __abs__(self):
        return _make(0, self._int, self._exp, self._kind)._fix()

    def __add__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _add(self, other)

    __radd__ = __add__

    def __sub__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _add(self, other.copy_negate())

    def __rsub__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _add(other, self.copy_negate())

    def __mul__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _divide(self, other)

    def __rtruediv__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _divide(other, self)

    def __floordiv__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _divmod(self, other)[0]

    def __rfloordiv__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _divmod(other, self)[0]

    def __mod__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _remainder(self, other)

    def __rmod__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _remainder(other, self)

    def __divmod__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _divmod(self, other)

    def __rdivmod__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _divmod(other, self)

    def __pow__(self, other, modulo=None):
        other = _operand(other)
        return NotImplemented if other is None else _power(self, other)

    def __rpow__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else _power(other, self)

    def fma(self, other, third, context=None):
        other, third = _operand(other), _operand(third)
        return _add(_make(self._sign ^ other._sign, self._int * other._int, self._exp + other._exp), third)

    def sqrt(self, context=None):
        context = context or getcontext()
        if self._kind:
            return self
        if self._int == 0:
            return _make(self._sign, 0, self._exp // 2)
        if self._sign:
            raise InvalidOperation([InvalidOperation])
        # An integer root with two digits more than wanted; the remainder rounds.
        prec = context.prec + 1
        e = self._exp >> 1
        n = self._int
        digits = len(str(n))
        if self._exp & 1:
            n *= 10
            length = (digits >> 1) + 1
        else:
            length = digits + 1 >> 1
        shift = prec - length
        exact = True
        if shift >= 0:
            n *= 100**shift
        else:
            n, rest = divmod(n, 100**-shift)
            exact = rest == 0
        e -= shift
        root = math.isqrt(n)
        exact = exact and root * root == n
        if exact:
            if shift >= 0:
                root //= 10**shift
            else:
                root *= 10**-shift
            e += shift
        elif root % 5 == 0:
            root += 1
        d = _make(0, root, e)
        rounding, context.rounding = context.rounding, ROUND_HALF_EVEN
        d = d._fix(context)
        context.rounding = rounding
        return d

    def exp(self, context=None):
        context = context or getcontext()
        if self._kind:
            return _make(0, 0, 0) if self._kind == "inf" and self._sign else self
        if self._int == 0:
            return Decimal(1)
        return _exp(self, context.prec + 6)._fix(context)

    def ln(self, context=None):
        context = context or getcontext()
        if self._int == 0 and not self._kind:
            return Decimal("-Infinity")
        if self._sign:
            raise InvalidOperation([InvalidOperation])
        if self._kind or self == 1:
            return self if self._kind else Decimal(0)
        return _ln(self, context.prec + 6)._fix(context)

    def log10(self, context=None):
        context = context or getcontext()
        if self._int == 0 and not self._kind:
            return Decimal("-Infinity")
        if self._sign:
            raise InvalidOperation([InvalidOperation])
        if self._kind:
            return self
        digits = str(self._int)
        if digits.strip("0") == "1" and digits[0] == "1":
            return Decimal(self._exp + len(digits) - 1)
        work = Context(context.prec + 8)
        return _divide(_ln(self, context.prec + 8), _ln(Decimal(10), context.prec + 8), work)._fix(context)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def conjugate(self):
        return self

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return Decimal(0)


def _add(a, b, context=None):
    if a._kind or b._kind:
        if "nan" in (a._kind, b._kind):
            return _make(0, 0, 0, "nan")
        if a._kind == b._kind and a._sign != b._sign:
            raise InvalidOperation([InvalidOperation])
        return a if a._kind else b
    context = context or getcontext()
    e = min(a._exp, b._exp)
    n = a._int * 10 ** (a._exp - e) * (-1 if a._sign else 1) + b._int * 10 ** (b._exp - e) * (-1 if b._sign else 1)
    negative = n < 0
    if n == 0:
        negative = a._sign and b._sign or a._sign != b._sign and context.rounding == ROUND_FLOOR
    return _make(negative, abs(n), e)._fix(context)


def _multiply(a, b, context=None):
    sign = a._sign ^ b._sign
    if a._kind or b._kind:
        if "nan" in (a._kind, b._kind):
            return _make(0, 0, 0, "nan")
        if not a or not b:
            raise InvalidOperation([InvalidOperation])
        return _make(sign, 0, 0, "inf")
    return _make(sign, a._int * b._int, a._exp + b._exp)._fix(context)


def _divide(a, b, context=None):
    context = context or getcontext()
    sign = a._sign ^ b._sign
    if a._kind or b._kind:
        if "nan" in (a._kind, b._kind):
            return _make(0, 0, 0, "nan")
        if a._kind and b._kind:
            raise InvalidOperation([InvalidOperation])
        return _make(sign, 0, 0, "inf") if a._kind else _make(sign, 0, 0)
    if b._int == 0:
        if a._int == 0:
            raise InvalidOperation([DivisionUndefined])
        raise DivisionByZero([DivisionByZero])
    ideal = a._exp - b._exp
    if a._int == 0:
        return _make(sign, 0, ideal)
    shift = len(str(b._int)) - len(str(a._int)) + context.prec + 1
    e = ideal - shift
    if shift >= 0:
        q, r = divmod(a._int * 10**shift, b._int)
    else:
        q, r = divmod(a._int, b._int * 10**-shift)
    if r:
        if q % 5 == 0:
            q += 1  # not exactly half
    else:
        while e < ideal and q % 10 == 0:
            q //= 10
            e += 1
    return _make(sign, q, e)._fix(context)


def _divmod(a, b):
    if "nan" in (a._kind, b._kind):
        return _make(0, 0, 0, "nan"), _make(0, 0, 0, "nan")
    if a._kind:
        raise InvalidOperation([InvalidOperation])
    if b._kind:
        return _make(a._sign ^ b._sign, 0, 0), a
    if b._int == 0:
        if a._int == 0:
            raise InvalidOperation([DivisionUndefined])
        raise DivisionByZero([DivisionByZero])
    e = min(a._exp, b._exp)
    q, r = divmod(a._int * 10 ** (a._exp - e), b._int * 10 ** (b._exp - e))
    if len(str(q)) > getcontext().prec:
        raise InvalidOperation([DivisionImpossible])
    return _make(a._sign ^ b._sign, q, 0), _make(a._sign, r, e)._fix()


def _remainder(a, b):
    if not b._kind and b._int == 0 and a._int:
        raise InvalidOperation([InvalidOperation])
    return _divmod(a, b)[1]


def _power(a, b):
    context = getcontext()
    if a._kind or b._kind:
        if "nan" in (a._kind, b._kind):
            return _make(0, 0, 0, "nan")
        return Decimal(float(a) ** float(b))
    if b._int == 0:
        if a._int == 0:
            raise InvalidOperation([InvalidOperation])
        return Decimal(1)
    whole = b == b.to_integral_value()
    if a._int == 0:
        if b._sign:
            raise DivisionByZero([DivisionByZero])
        return _make(0, 0, 0)
    if not whole:
        if a._sign:
            raise InvalidOperation([InvalidOperation])
        work = Context(context.prec + 12)
        return _exp(_multiply(_ln(a, context.prec + 12), b, work), context.prec + 8)._fix(context)
    n = int(b)
    sign = a._sign and n % 2 == 1
    if n > 0 and len(str(a._int)) * n <= 10000:
        return _make(sign, a._int**n, a._exp * n)._fix(context)
    work = Context(context.prec + 6 + len(str(n)))
    result, base, k = Decimal(1), _make(0, a._int, a._exp), abs(n)
    while k:
        if k & 1:
            result = _multiply(result, base, work)
        base = _multiply(base, base, work)
        k >>= 1
    if n < 0:
        result = _divide(Decimal(1), result, work)
    result = result._fix(context)
    return _make(sign, result._int, result._exp)


def _exp(x, prec):
    """e ** x: halve x until it is small, sum the series, square back."""
    work = Context(prec + 10)
    halvings = max(0, x.adjusted() + 1) * 4 + 6
    small = _divide(x, Decimal(2**halvings), work)
    total = term = Decimal(1)
    n = 0
    while term and term.adjusted() > total.adjusted() - prec - 12:
        n += 1
        term = _divide(_multiply(term, small, work), Decimal(n), work)
        total = _add(total, term, work)
    for _ in range(halvings):
        total = _multiply(total, total, work)
    return total


def _ln(x, prec):
    """The natural logarithm, by Newton's method from the float's."""
    work = Context(prec + 10)
    e = x.adjusted()
    scaled = _make(0, x._int, x._exp - e)
    y = Decimal(math.log(float(scaled)))
    for _ in range(prec.bit_length() + 1):
        power = _exp(y, prec + 4)
        step = _divide(_add(scaled, power.copy_negate(), work), _add(scaled, power, work), work)
        y = _add(y, _multiply(step, Decimal(2), work), work)
    if e == 0:
        return y
    return _add(y, _multiply(_ln10(prec), Decimal(e), work), work)


def _ln10(prec):
    # ln 10 = 3 ln 2 + ln 1.25
    return _add(_multiply(_ln(Decimal(2), prec + 5), Decimal(3), Context(prec + 10)), _ln(Decimal("1.25"), prec + 5), Context(prec + 10))
