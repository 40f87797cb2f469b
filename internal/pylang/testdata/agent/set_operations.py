a, b = {1, 2, 3, 4}, {3, 4, 5}
print(a & b, a | b, a - b, a ^ b, a <= b, {3} < a, a.isdisjoint({9}))
tags = {"x": {"red", "blue"}, "y": {"blue"}}
print(sorted(set.union(*tags.values())), sorted(set.intersection(*tags.values())))
