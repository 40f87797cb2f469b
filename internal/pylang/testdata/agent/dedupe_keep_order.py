urls = ["a.com", "b.com", "a.com", "c.com", "b.com"]
seen = set()
unique = [u for u in urls if not (u in seen or seen.add(u))]
print(unique, len(seen), list(dict.fromkeys(urls)))
