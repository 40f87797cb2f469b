s = "Zürich, São Paulo, 東京, Łódź"
cities = [c.strip() for c in s.split(",")]
print([(c, len(c), c[0], c[-1], c.upper()) for c in cities])
print(cities[2][::-1], "ó" in s, s.index("東"), sorted(cities, key=len))
