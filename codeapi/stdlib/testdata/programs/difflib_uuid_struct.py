import calendar, difflib, struct, textwrap, unicodedata, uuid, warnings, pprint, io, sys
from concurrent.futures import ThreadPoolExecutor, as_completed
a = "one\ntwo\nthree\nfour\n".splitlines(True)
b = "one\n2\nthree\nfive\nfour\n".splitlines(True)
print("".join(difflib.unified_diff(a, b, "a.txt", "b.txt")), "".join(difflib.context_diff(a, b, "x", "y")))
s = difflib.SequenceMatcher(None, "private Thread currentThread;", "private volatile Thread currentThread;")
print(round(s.ratio(), 4), s.get_opcodes(), s.get_matching_blocks(), s.quick_ratio() >= s.ratio())
print(difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]), difflib.get_close_matches("x", ["y"]))
print(struct.pack("<hIq?4sfd", -2, 7, 1 << 40, True, b"ab", 1.5, -0.1), struct.unpack(">Bh", b"\x01\xff\xfe"), struct.calcsize("iq"), struct.calcsize("<iq"))
try:
    struct.pack("B", 300)
except struct.error as e:
    print(e)
print(uuid.uuid3(uuid.NAMESPACE_URL, "http://x"), uuid.UUID(int=5), uuid.UUID("{12345678-1234-5678-1234-567812345678}").urn, len({uuid.uuid4() for _ in range(5)}), uuid.uuid4().version)
print(unicodedata.normalize("NFKD", "Crème Brûlée ﬁ").encode("ascii", "ignore").decode(), unicodedata.category("A"), unicodedata.category("é"), unicodedata.combining("\u0301"), unicodedata.normalize("NFC", "e\u0301") == "é")
with ThreadPoolExecutor(max_workers=4) as ex:
    print(list(ex.map(lambda x: x * x, range(5))), sorted(f.result() for f in as_completed([ex.submit(pow, 2, i) for i in range(3)])))
    f = ex.submit(lambda: 1 / 0)
    print(type(f.exception()).__name__)
print(calendar.month(2024, 2), calendar.monthcalendar(2023, 1)[0], calendar.weekday(2024, 1, 1), calendar.leapdays(2000, 2024))
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("old", DeprecationWarning)
    print(len(w), w[0].category.__name__, w[0].message)
pprint.pprint({"name": "x" * 30, "items": [{"id": i, "tags": ["a", "b"]} for i in range(4)], "text": "word " * 30, "t": (1,), "s": {3, 1}})
pprint.pprint([[1, 2], list(range(30))], width=40, compact=True)
print(sys.version_info[:2] >= (3, 8), sys.maxsize == 2**63 - 1, sys.float_info.epsilon)
