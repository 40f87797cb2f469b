def gcd(a, b):
    while b:
        a, b = b, a % b
    return abs(a)
print([gcd(x, 36) for x in (8, 12, 100, 7, 0)], 12 * 18 // gcd(12, 18))
