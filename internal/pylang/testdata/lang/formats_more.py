x = 1234.5678; n = 42; s = "hi"; d = {"a": 1}
print(f"{x:>12,.2f}|{x:<12.1f}|{x:^12.0f}|{x:+.3e}|{n:05d}|{n:#x}|{n:b}|{n:_}|{1e6:,.0f}|{0.256:.1%}|{s!r:>6}|{s:*^8}")
print(f"{x=:.2f} {n=} {s=!s} {d['a']=} {n + 1 = }")
w, p = 10, 3
print(f"{x:{w}.{p}f}|{s:>{w}}|{f'{n:>{4}}'}|{{}}|{'nested ' + f'{s}'}")
print("{} {1}".format(1, 2) if False else "{0} {1} {0}".format("a", "b"), "{name:>5}".format(name="x"), "{:.3}".format("abcdef"), "{0[a]} {1.real}".format(d, 5), "{!r}".format("q"))
print("%s %d %5.2f %-5s| %05d %x %r %% %c %e" % ("a", 3, 2.5, "l", 7, 255, "z", "c", 12345.678), "%(a)s" % d, "%s" % (1,), "%s" % [1, 2])
print(f"{n!r:>5}", f"{[1, 2]}", f"{(lambda y: y * 2)(4)}", f"{n if n > 3 else 0}", f"{'a' 'b'}", f"{d}", f"{None}", f"{True:>6}", f"{3:d}", f"{3.0:g}", f"{1e20:g}", f"{1e-7}", f"{123456789:,}")
print(str(1.0), str(1e16), repr(0.1 + 0.2), 1 / 3, 1e100, float("inf"), -0.0, 5 // 2, -5 // 2, -5 % 3, 2 ** 10, 2 ** -1, 7 / 2, 10 ** 20, divmod(-7, 2), round(2.5), round(-1.5), round(1.005, 2), int("0x1f", 16), int(" 12 "), float("1e3"), abs(-3), 0.1 + 0.2 == 0.3)
print("tab\there", r"raw\n", "uni\u00e9", b"by\x00", "multi" "line", """tri
ple""", 'it''s')
print("a,b,,c".split(","), " x y ".split(), "abc"[::-1], "abc"[-2:], "a-b-c".rsplit("-", 1), "x".join(["1", "2"]), "Hello".swapcase(), "hello world".title(), "abc".center(9, "*"), "42".zfill(5), "aXbX".replace("X", "-", 1), "abcabc".find("c"), "abc".index("b"), "abcabc".count("bc"), "ab".isalpha(), "a1".isalnum(), "12".isdigit(), " ".isspace(), "test.py".removesuffix(".py"), "test_x".removeprefix("test_"), "a\nb\r\nc".splitlines(), "key=val=x".partition("="), "abc".translate(str.maketrans("ab", "xy")), "ß".upper(), "İ".lower(), len("İ".lower()), "ǅ".lower(), "Ω".lower(), "ΑΣ".lower(), "straße".casefold())
print("%08.3f|%+d|%s" % (3.14159, 5, None), "%5s|%-5s|" % ("a", "b"), "%.2s" % "abc", "%i" % 3.9)
