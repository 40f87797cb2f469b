import math

print(7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 / 2, 2 ** 10, 2 ** -1, 2 ** 0.5)
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), abs(-3.2))
print(int("ff", 16), int("-12"), float("1e3"), int(7.9), bin(10), hex(255), oct(8))
print(divmod(17, 5), pow(3, 4), pow(3, 4, 5), max(1, 2.5), min([3, 1, 2]))
print(math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(10, 3), math.isqrt(99))
print(math.floor(-1.5), math.ceil(-1.5), math.trunc(-1.5), math.log(8, 2), math.log10(1000), math.exp(0))
print(math.inf > 10 ** 100, math.isnan(float("nan")), math.isclose(0.1 + 0.2, 0.3), 0.1 + 0.2)
print(1e16, 1e15, 123456789.0, 1.0, 1e-5, 0.0001, 3.0e-10, 10 ** 20, 1_000_000)
print(sum([0.1] * 10), math.fsum([0.1] * 10), math.prod([1, 2, 3, 4]))
result = {"sqrt": math.sqrt(16), "deg": round(math.degrees(math.pi), 1), "big": 2 ** 62, "neg_zero_int": -0}
