s = "The Quick brown-fox, 42 times"

print(s.upper(), s.lower(), s.swapcase(), sep=" / ")
print(s.startswith(("The", "A")), s.endswith("times"), s.find("fox"), s.find("zebra"), s.count("o"))
print(s.partition(","), s.rpartition(" "))
print("a,b,,c".split(","), "a b  c".split(), "k=v=w".split("=", 1), "x.y.z".rsplit(".", 1))
print("7".zfill(3), "ab".center(6, "*"), "ab".ljust(4) + "|", "ab".rjust(4))
print("abc".isalpha(), "12".isdigit(), "a1".isalnum(), "".isalpha(), "Title Case".istitle(), " ".isspace())
print("xxhixx".strip("x"), "prefix_name".removeprefix("prefix_"), "name.py".removesuffix(".py"))
print("tab\tsep".expandtabs(4), "line1\nline2\r\nline3".splitlines(), "-".join("abc"))
print("straße".casefold(), "ÀÉ".lower(), len("naïve ☕"), "naïve"[2], "☕" in "naïve ☕")
print("hello".translate(str.maketrans("el", "ip")), "abc" < "abd", "%", repr("it's"), ord("A"), chr(8364))
result = s.split()[1:3]
