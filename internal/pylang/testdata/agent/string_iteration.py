vowels = sum(1 for ch in "Programming is fun" if ch.lower() in "aeiou")
print(vowels, [c for c in "héllo"], list(enumerate("ab")), dict(zip("abc", range(3))), "-".join("xyz"), sorted("hello"), max("hello"), list(reversed("abc")))
