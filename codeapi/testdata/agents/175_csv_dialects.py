import csv
import io

TEXT = 'name,qty,note\r\n"Smith, J.",3,"said ""hi"""\r\nLee,,"two\nlines"\r\n\r\nEmpty,0,\r\n'

rows = list(csv.reader(io.StringIO(TEXT, newline="")))
print(rows)
print(list(csv.reader(TEXT.splitlines())))
reader = csv.DictReader(io.StringIO(TEXT))
print(reader.fieldnames)
for row in reader:
    print(reader.line_num, row)
print(list(csv.DictReader(["a,b", "1", "1,2,3"], restkey="more", restval="?")))
print(list(csv.DictReader(["1;2", "3;4"], fieldnames=["x", "y"], delimiter=";")))
print(list(csv.reader(["a\tb\tc"], dialect="excel-tab")), list(csv.reader(["a\tb"], delimiter="\t")))
print(list(csv.reader(["'x y', 'z'", "a, b"], quotechar="'", skipinitialspace=True)))
print(list(csv.reader(['1,"a",2.5'], quoting=csv.QUOTE_NONNUMERIC)))
print(list(csv.reader(['a\\,b,c'], escapechar="\\", quoting=csv.QUOTE_NONE)))
print(list(csv.reader(['"abc'])), list(csv.reader(["", "a"])), list(csv.reader(['a"b,"c"d'])))
for bad in (['"a'], ['"a"b']):
    try:
        print(list(csv.reader(bad, strict=True)))
    except csv.Error as e:
        print(type(e).__name__, e)

out = io.StringIO()
writer = csv.writer(out)
writer.writerow(["a,b", 'q"q', "line\nbreak", 1, 2.50, None, True, ""])
writer.writerows([[""], [], ["x"], (1, 2), "ab"])
print(repr(out.getvalue()))
for options in ({"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_NONNUMERIC}, {"delimiter": ";", "lineterminator": "\n"}, {"quoting": csv.QUOTE_NONE, "escapechar": "\\"},
                {"doublequote": False, "escapechar": "\\"}, {"dialect": "unix"}):
    out = io.StringIO()
    csv.writer(out, **options).writerows([["a", 1, 'q"', "x;y,z"], [None, 2.5, "l\n"]])
    print(options, repr(out.getvalue()))
out = io.StringIO()
w = csv.DictWriter(out, fieldnames=["id", "name"], extrasaction="ignore", restval="-")
w.writeheader()
w.writerow({"id": 1, "name": "Ann", "age": 3})
w.writerows([{"id": 2}, {"name": "Bob"}])
print(out.getvalue())
try:
    csv.DictWriter(io.StringIO(), ["a"]).writerow({"b": 1})
except ValueError as e:
    print(e)
try:
    csv.writer(io.StringIO(), quoting=csv.QUOTE_NONE).writerow(["a,b"])
except csv.Error as e:
    print(e)
try:
    csv.reader(["a"], delimiter="ab")
except TypeError as e:
    print(e)
try:
    csv.writer(io.StringIO()).writerow(5)
except csv.Error as e:
    print(e)

buf = io.StringIO("one\ntwo\nthree")
print(buf.readline(), buf.read(2), buf.tell(), buf.readlines(), buf.read(), buf.seek(0), next(buf))
buf.seek(0, io.SEEK_END)
print("more", 1, sep="-", file=buf)
print(buf.getvalue().split("\n"))
buf.seek(3)
buf.write("XY")
print(repr(buf.getvalue()), buf.truncate(4), repr(buf.getvalue()))
with io.StringIO() as b:
    b.write("x" * 3)
    b.writelines(["a", "b"])
    text = b.getvalue()
print(text, b.closed)
try:
    b.write("x")
except ValueError as e:
    print(e)
try:
    io.StringIO().write(5)
except TypeError as e:
    print(e)
