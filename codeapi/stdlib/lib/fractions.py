"""Exact fractions."""

import math
import re

_text = re.compile(r"\s*([-+]?)(\d*)(?:/(\d+)|(?:\.(\d*))?(?:[eE]([-+]?\d+))?)\s*")


class Fraction:
    __slots__ = ("_numerator", "_denominator")

    def __new__(cls, numerator=0, denominator=None):
        self = super().__new__(cls)
        if denominator is None:
            if isinstance(numerator, Fraction):
                n, d = numerator._numerator, numerator._denominator
            elif isinstance(numerator, int):
                n, d = int(numerator), 1
            elif isinstance(numerator, float) or hasattr(numerator, "as_integer_ratio"):
                n, d = numerator.as_integer_ratio()
            elif isinstance(numerator, str):
                n, d = _parse(numerator)
            else:
                raise TypeError("argument should be a string or a Rational instance")
        elif isinstance(numerator, int) and isinstance(denominator, int):
            n, d = numerator, denominator
        elif isinstance(numerator, (int, Fraction)) and isinstance(denominator, (int, Fraction)):
            n = numerator.numerator * denominator.denominator
            d = denominator.numerator * numerator.denominator
        else:
            raise TypeError("both arguments should be Rational instances")
        if d == 0:
            raise ZeroDivisionError(f"Fraction({n}, 0)")
        g = math.gcd(n, d)
        if d < 0:
            g = -g
        self._numerator = n // g
        self._denominator = d // g
        return self

    @classmethod
    def from_float(cls, f):
        return cls(*f.as_integer_ratio())

    @classmethod
    def from_decimal(cls, dec):
        return cls(*dec.as_integer_ratio())

    @property
    def numerator(self):
        return self._numerator

    @property
    def denominator(self):
        return self._denominator

    def as_integer_ratio(self):
        return self._numerator, self._denominator

    def is_integer(self):
        return self._denominator == 1

    def limit_denominator(self, max_denominator=1000000):
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        if self._denominator <= max_denominator:
            return Fraction(self)
        # Continued fraction: the last two convergents within the limit.
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self._numerator, self._denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        bound1 = Fraction(p0 + k * p1, q0 + k * q1)
        bound2 = Fraction(p1, q1)
        if abs(bound2 - self) <= abs(bound1 - self):
            return bound2
        return bound1

    def __repr__(self):
        return f"{self.__class__.__name__}({self._numerator}, {self._denominator})"

    def __str__(self):
        if self._denominator == 1:
            return str(self._numerator)
        return f"{self._numerator}/{self._denominator}"

    def __format__(self, spec):
        if not spec:
            return str(self)
        return format(float(self), spec)

    def _with(self, other, exact, inexact):
        if isinstance(other, (int, Fraction)):
            return exact(self, Fraction(other))
        if isinstance(other, float):
            return inexact(float(self), other)
        return NotImplemented

    def _rwith(self, other, exact, inexact):
        if isinstance(other, (int, Fraction)):
            return exact(Fraction(other), self)
        if isinstance(other, float):
            return inexact(other, float(self))
        return NotImplemented

    def __add__(self, other):
        return self._with(other, _add, lambda a, b: a + b)

    def __radd__(self, other):
        return self._rwith(other, _add, lambda a, b: a + b)

    def __sub__(self, other):
        return self._with(other, _sub, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._rwith(other, _sub, lambda a, b: a - b)

    def __mul__(self, other):
        return self._with(other, _mul, lambda a, b: a * b)

    def __rmul__(self, other):
        return self._rwith(other, _mul, lambda a, b: a * b)

    def __truediv__(self, other):
        return self._with(other, _div, lambda a, b: a / b)

    def __rtruediv__(self, other):
        return self._rwith(other, _div, lambda a, b: a / b)

    def __floordiv__(self, other):
        return self._with(other, _floordiv, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._rwith(other, _floordiv, lambda a, b: a // b)

    def __mod__(self, other):
        return self._with(other, _mod, lambda a, b: a % b)

    def __rmod__(self, other):
        return self._rwith(other, _mod, lambda a, b: a % b)

    def __divmod__(self, other):
        return self // other, self % other

    def __pow__(self, other):
        if isinstance(other, Fraction) and other._denominator == 1:
            other = other._numerator
        if isinstance(other, int):
            if other >= 0:
                return Fraction(self._numerator**other, self._denominator**other)
            if self._numerator == 0:
                raise ZeroDivisionError(f"Fraction({self._denominator ** -other}, 0)")
            return Fraction(self._denominator**-other, self._numerator**-other)
        return float(self) ** float(other)

    def __rpow__(self, other):
        if self._denominator == 1:
            return other**self._numerator
        return other ** float(self)

    def __pos__(self):
        return Fraction(self._numerator, self._denominator)

    def __neg__(self):
        return Fraction(-self._numerator, self._denominator)

    def __abs__(self):
        return Fraction(abs(self._numerator), self._denominator)

    def __int__(self):
        if self._numerator < 0:
            return -(-self._numerator // self._denominator)
        return self._numerator // self._denominator

    __trunc__ = __int__

    def __float__(self):
        return self._numerator / self._denominator

    def __floor__(self):
        return self._numerator // self._denominator

    def __ceil__(self):
        return -(-self._numerator // self._denominator)

    def __round__(self, ndigits=None):
        if ndigits is None:
            floor, rest = divmod(self._numerator, self._denominator)
            if rest * 2 < self._denominator or rest * 2 == self._denominator and floor % 2 == 0:
                return floor
            return floor + 1
        shift = 10 ** abs(ndigits)
        if ndigits > 0:
            return Fraction(round(self * shift), shift)
        return Fraction(round(self / shift) * shift)

    def __hash__(self):
        if self._denominator == 1:
            return hash(self._numerator)
        return hash(float(self)) if Fraction(float(self)) == self else hash((self._numerator, self._denominator))

    def __eq__(self, other):
        if isinstance(other, int):
            return self._numerator == other and self._denominator == 1
        if isinstance(other, Fraction):
            return self._numerator == other._numerator and self._denominator == other._denominator
        if isinstance(other, float):
            return math.isfinite(other) and self == Fraction(other)
        return NotImplemented

    def _order(self, other):
        if isinstance(other, float):
            if math.isnan(other):
                return None
            if math.isinf(other):
                return -1 if other > 0 else 1
            other = Fraction(other)
        a = self._numerator * other.denominator
        b = self._denominator * other.numerator
        return (a > b) - (a < b)

    def __lt__(self, other):
        if not isinstance(other, (int, float, Fraction)):
            return NotImplemented
        c = self._order(other)
        return c is not None and c < 0

    def __le__(self, other):
        if not isinstance(other, (int, float, Fraction)):
            return NotImplemented
        c = self._order(other)
        return c is not None and c <= 0

    def __gt__(self, other):
        if not isinstance(other, (int, float, Fraction)):
            return NotImplemented
        return self._order(other) == 1

    def __ge__(self, other):
        if not isinstance(other, (int, float, Fraction)):
            return NotImplemented
        c = self._order(other)
        return c is not None and c >= 0

    def __bool__(self):
        return self._numerator != 0


def _parse(text):
    m = _text.fullmatch(text)
    if m is None or not (m.group(2) or m.group(4)):
        raise ValueError(f"Invalid literal for Fraction: {text!r}")
    sign, whole, denominator, decimals, exponent = m.groups()
    n, d = int(whole or "0"), 1
    if denominator:
        d = int(denominator)
    else:
        if decimals:
            d = 10 ** len(decimals)
            n = n * d + int(decimals)
        if exponent:
            e = int(exponent)
            if e >= 0:
                n *= 10**e
            else:
                d *= 10**-e
    return (-n if sign == "-" else n), d


def _add(a, b):
    return Fraction(a._numerator * b._denominator + b._numerator * a._denominator, a._denominator * b._denominator)


def _sub(a, b):
    return Fraction(a._numerator * b._denominator - b._numerator * a._denominator, a._denominator * b._denominator)


def _mul(a, b):
    return Fraction(a._numerator * b._numerator, a._denominator * b._denominator)


def _div(a, b):
    return Fraction(a._numerator * b._denominator, a._denominator * b._numerator)


def _floordiv(a, b):
    return (a._numerator * b._denominator) // (a._denominator * b._numerator)


def _mod(a, b):
    return a - b * _floordiv(a, b)
