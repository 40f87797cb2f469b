def t(b, *a):
    try:
        print(repr(b.decode(*a)))
    except Exception as e:
        print(type(e).__name__, e)
for b in [b"abc", "é".encode(), b"\xff\xfe", b"\xc3", b"\xe2\x82", b"a\x80b", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x28\xa1", b"ab\xc3\x28"]:
    for enc in ["utf-8", "ascii", "latin-1", "utf8", "cp1252", "utf-16"]:
        if enc == "utf-16" and len(b) % 2: continue
        for err in ["strict", "ignore", "replace", "backslashreplace"]:
            t(b, enc, err)
t(b"abc", "nope")
for s in ["abc", "é", "€ 😀"]:
    for enc in ["ascii", "latin-1", "utf-8", "cp1252"]:
        for err in ["strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace"]:
            try:
                print(s.encode(enc, err))
            except Exception as e:
                print(type(e).__name__, e)
print(str(b"abc", "utf-8"), str(b"\xff", errors="replace", encoding="ascii"))
try:
    b"\xff".decode("ascii")
except UnicodeDecodeError as e:
    print(e.encoding, e.start, e.end, e.reason, e.object)
