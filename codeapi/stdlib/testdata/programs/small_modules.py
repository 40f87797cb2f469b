import string, textwrap, uuid, pprint, io, types, time, logging, warnings, sys, traceback, copy, heapq, bisect
t = string.Template("$a is ${b} $$ $c")
print(t.safe_substitute(a=1, b=2), string.Template("$x").substitute({"x": 1}))
try: t.substitute(a=1)
except KeyError as e: print("KE", e)
print(textwrap.shorten("hello big world", 10), repr(textwrap.dedent("  a\n    b\n")), textwrap.fill("aa bb cc", 5), textwrap.indent("a\nb", "> "))
print(len(str(uuid.uuid4())), uuid.UUID("12345678-1234-5678-1234-567812345678").hex, uuid.uuid5(uuid.NAMESPACE_DNS, "a"))
pprint.pprint({"b": 1, "a": [1, 2, 3]})
print(pprint.pformat({"x": list(range(40)), "y": "z" * 50}, width=60))
s = io.StringIO(); s.write("a\n"); print("b", file=s); print(repr(s.getvalue())); s.seek(0); print(s.readline(), s.read(), list(io.StringIO("x\ny")))
n = types.SimpleNamespace(a=1); n.b = 2; print(n, n.a, n == types.SimpleNamespace(a=1, b=2))
print(time.perf_counter() > 0, time.monotonic() >= 0, time.time() > 1e9, type(time.time_ns()))
print(sys.version_info >= (3, 8), sys.version_info.major, sys.maxsize, sys.byteorder)
try: 1/0
except ZeroDivisionError:
    tb = traceback.format_exc()
    print(tb.splitlines()[0], tb.splitlines()[-1])
x = {"a": [1, {"b": 2}]}; y = copy.deepcopy(x); y["a"][1]["b"] = 3; print(x, y, copy.copy(x) == x)
h = []; heapq.heappush(h, (2, "b")); heapq.heappush(h, (1, "a")); print(heapq.heappop(h), heapq.nlargest(2, [1, 5, 3]), heapq.nsmallest(1, [3, 1], key=lambda v: -v), list(heapq.merge([1, 4], [2, 3])), heapq.heappushpop(h, (0, "z")), heapq.heapreplace(h, (9, "q")))
a = [1, 3, 5]; bisect.insort(a, 4); print(a, bisect.bisect(a, 3), bisect.bisect_left(a, 3), bisect.bisect_left([{"v": 1}, {"v": 3}], 2, key=lambda d: d["v"]))
if __name__ == "__main__":
    print("main")
