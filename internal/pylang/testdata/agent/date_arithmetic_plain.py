def is_leap(y):
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
def days_in(y, m):
    return [31, 29 if is_leap(y) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]
print([y for y in range(1896, 1912) if is_leap(y)], days_in(2024, 2), sum(days_in(2023, m) for m in range(1, 13)))
