for n in (0, 5, 255, -42):
    print(n, bin(n), oct(n), hex(n), int(bin(n), 2), f"{n:+d}", n.bit_length())
print(int("ff", 16), int("0b101", 0), int("-7"), 7 // 2, -7 // 2, -7 % 3, divmod(-7, 3), 2 ** 64, 5 ** -1)
