record = ("Ada", "Lovelace", 1815, 1852, ["math", "poetry"])
first, last, *years, (topic, *more) = record
print(first, last, years, topic, more)
(a, b), [c, *d] = (1, 2), [3, 4, 5]
print(a, b, c, d)
x, y = y0 = (1, 2)
print(x, y, y0)
