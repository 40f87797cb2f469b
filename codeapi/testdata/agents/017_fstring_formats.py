import math

value = 1234567.891
rate = 0.0425
n = 255

print(f"{value:,.2f}")
print(f"{value:>20.1f}|")
print(f"{value:<20,.0f}|")
print(f"{rate:.2%} {rate:e} {rate:g}")
print(f"{n:b} {n:o} {n:x} {n:X} {n:#x} {n:08b}")
print(f"{'left':<10}|{'mid':^10}|{'right':>10}|{'fill':*^12}")
print(f"{-5:+d} {5:+d} {5: d} {math.pi:.4f}")
width, prec = 12, 3
print(f"{math.e:{width}.{prec}f}")
print(f"{value=:.1f} {n=}")
print(f"{{literal}} {'quoted'!r}")
