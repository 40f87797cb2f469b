flags = {"r": 1 << 2, "w": 1 << 1, "x": 1}
mode = flags["r"] | flags["x"]
print(bin(mode), [k for k, v in flags.items() if mode & v], mode ^ flags["r"], ~mode & 7, mode << 3, 0xFF >> 4, bin(1023).count("1"))
