import statistics as st
import math
vals = [12.5, 14.0, 9.75, 22.1, 17.3, 14.0, 11.9]
print(st.mean(vals), st.median(vals), st.mode(vals), round(st.stdev(vals), 6), round(st.pstdev(vals), 6), round(st.variance(vals), 4))
print(st.quantiles(vals, n=4), st.fmean(vals), st.median_low(vals), st.multimode([1, 1, 2, 2, 3]), round(st.harmonic_mean([40, 60]), 3), round(st.geometric_mean([1, 2, 4]), 6))
print(math.sqrt(2), math.floor(-2.5), math.ceil(2.1), math.log(100, 10), math.log2(8), math.log10(1000), math.gcd(12, 18), math.lcm(4, 6), math.factorial(10), math.comb(5, 2), math.perm(5, 2))
print(math.pi, math.e, math.isclose(0.1 + 0.2, 0.3), math.hypot(3, 4), math.prod([1, 2, 3, 4]), math.fsum([0.1] * 10), math.trunc(-3.7), math.isnan(float("nan")), math.inf > 1, math.degrees(math.pi), math.copysign(1, -0.0))
print(7 // 2, -7 // 2, 7 % -3, divmod(-7, 2), 2 ** 10, 2 ** -1, 10 ** 20, 1 / 3, round(2.5), round(-0.5), round(1.005, 2), round(1234, -2), abs(-3), pow(3, 4, 5), int("ff", 16), int(-3.9), float("1e3"), 0.1 + 0.2, 1e16, 1e-5, 123456789.123456789)
print(bin(10), hex(255), oct(8), int("0b101", 0), True + True, 5 .bit_length(), (3.0).is_integer(), 3.75.as_integer_ratio())
z = [(v - st.mean(vals)) / st.stdev(vals) for v in vals]
result = [round(x, 3) for x in z]
