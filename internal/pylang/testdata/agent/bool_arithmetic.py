flags = [True, False, True, True]
print(sum(flags), True + True, True * 3, False == 0, 1 == 1.0 == True, [0, 1][True], {1: "one"}[True], flags.count(1), isinstance(True, int))
