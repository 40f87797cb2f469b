scores = [15, 42, 67, 88, 100, -1]
def grade(s):
    if not 0 <= s <= 100:
        return "invalid"
    for limit, name in ((90, "A"), (70, "B"), (40, "C")):
        if s >= limit:
            return name
    return "F"
print({s: grade(s) for s in scores}, 1 < 2 < 3 != 4 > 1)
