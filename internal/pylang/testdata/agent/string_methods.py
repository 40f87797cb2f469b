t = "  The Quick, brown fox  "
print(t.strip().lower().replace(",", "").split(), t.title().strip(), t.count("o"), t.find("Quick"), "a-b-c".rsplit("-", 1), "x".center(5, "*"), "42".zfill(5), "abc".partition("b"))
print("snake_case_name".replace("_", " ").title().replace(" ", ""), "CamelCase".swapcase(), "tab\tbed".expandtabs(4), "é".encode("utf-8"), b"\xc3\xa9".decode())
