template = "Dear {name},\nYour order #{order:05d} of {total:,.2f} {cur} ships {when!s}."
print(template.format(name="Ann", order=42, total=1234.5, cur="EUR", when="today"))
print("%(a)s + %(b)d = %(c).1f" % {"a": "1", "b": 2, "c": 3})
print("{0} {1} {0} {x[k]} {y.real}".format("p", "q", x={"k": "v"}, y=7))
