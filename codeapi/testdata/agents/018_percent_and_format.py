name, score, total = "Ada", 42, 50

print("%s scored %d of %d (%.1f%%)" % (name, score, total, 100 * score / total))
print("{} scored {} of {}".format(name, score, total))
print("{0}-{1}-{0} {who:>8}|{pct:06.2f}".format("a", "b", who=name, pct=84.0))
print("%-10s|%5d|%05d|%x" % (name, score, score, 255))
row = {"id": 7, "label": "x"}
print("{id}: {label}".format(**row))
print("%(id)d=%(label)s" % row)

__result__ = "{:,}".format(1000000)
