from decimal import Decimal, ROUND_HALF_UP, getcontext
print(Decimal("0.1") + Decimal("0.2"), Decimal("10") / 3, Decimal("2.675").quantize(Decimal("0.01"), rounding=ROUND_HALF_UP), sum([Decimal("1.1"), Decimal("2.2")]), Decimal(5), f"{Decimal('3.14159'):.2f}", float(Decimal("1.5")), int(Decimal("7.9")), Decimal("1.0") == 1, repr(Decimal("1.10")), Decimal("1.5") * 2, -Decimal(1), max(Decimal(1), Decimal(2)), round(Decimal("2.567"), 2), Decimal("1e3"), Decimal("100").normalize(), str(Decimal("0.00")), Decimal("1") < 2, Decimal(1) // Decimal(2), Decimal(7) % 3, Decimal(2) ** 3, abs(Decimal(-1)))
import decimal, itertools
vals = ["0", "-0", "1", "1.10", "-2.675", "1E+3", "123456789.123456789", "0.000001", "9.995", "7", "-3", "1e-7", "99999999999999999999999999999", "0.1"]
for a, b in itertools.product(vals, repeat=2):
    x, y = Decimal(a), Decimal(b)
    for name, f in [("+", lambda: x + y), ("-", lambda: x - y), ("*", lambda: x * y), ("/", lambda: x / y), ("//", lambda: x // y), ("%", lambda: x % y), ("<", lambda: x < y), ("==", lambda: x == y)]:
        try:
            print(a, name, b, f())
        except decimal.DecimalException as e:
            print(a, name, b, type(e).__name__)
for v in vals:
    x = Decimal(v)
    print(v, str(x), repr(x), x.normalize(), x.as_tuple(), f"{x:.2f} {x:,.3f} {x:>12} {x:e} {x:g} {x:%}", hash(x) == hash(Decimal(v)), int(x), float(x), abs(x), -x, +x)
    for r in [decimal.ROUND_UP, decimal.ROUND_DOWN, decimal.ROUND_HALF_UP, decimal.ROUND_HALF_DOWN, decimal.ROUND_HALF_EVEN, decimal.ROUND_CEILING, decimal.ROUND_FLOOR]:
        try:
            print(x.quantize(Decimal("0.01"), rounding=r), x.to_integral_value(r), end=" ")
        except decimal.InvalidOperation:
            print("invalid", end=" ")
    print()
print(Decimal(2).sqrt(), Decimal("0.25").sqrt(), Decimal(10).ln(), Decimal(1).exp(), Decimal(1000).log10(), Decimal(2).log10(), Decimal(2) ** Decimal("0.5"), Decimal("1.1") ** 10, Decimal(2) ** -3)
with decimal.localcontext() as ctx:
    ctx.prec = 6
    print(Decimal(1) / 3, Decimal(2).sqrt())
for bad in ["x", "", "1..2"]:
    try:
        Decimal(bad)
    except decimal.InvalidOperation as e:
        print(type(e).__name__, e)
print(Decimal("NaN"), Decimal("-Infinity"), Decimal("inf") > 1, Decimal(0.1), Decimal("1") == 1.0, Decimal("0.5") + 1, sorted([Decimal("2"), 1, Decimal("0.5")]), Decimal((1, (1, 2, 3), -2)))
