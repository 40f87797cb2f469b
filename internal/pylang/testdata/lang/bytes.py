b = bytearray(b"abc")
b.append(100); b += b"ef"; b[0] = 65
print(b, len(b), bytes(b), b.decode(), b[1:3], list(b[:2]), b.hex())
b.extend([1, 2]); del b[-1]; print(b)
print(int.from_bytes(b"\x01\x00", "big"), (258).to_bytes(2, "big"), (5).bit_length(), (255).bit_count(), bytes(3), bytes([1, 2]), b"a,b".split(b","), b"ab" + b"c", b"abc".find(b"c"), b" x ".strip(), b"abc".replace(b"b", b"z"), b"abc".upper(), b"abc".startswith(b"a"), b"-".join([b"a", b"b"]), b"a%db" % 3)
print(b"abc"[0], b"abc"[:2], [x for x in b"ab"], b"a" in b"abc", 97 in b"abc", b"abc" == bytearray(b"abc"))
print(bytes.fromhex("0aff"), b"\x00\xff".hex(), b"\x00\xff".hex(":"), "x".encode().ljust(3, b"."))
