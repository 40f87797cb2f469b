n = 2 ** 200
digits = [int(c) for c in str(n)]
print(len(digits), sum(digits), n % 1000007, str(n)[:10], 10 ** 25 // 7, (n - 1) & 0xFFFF)
