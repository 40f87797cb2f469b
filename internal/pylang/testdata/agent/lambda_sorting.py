people = [{"n": "Zed", "a": 30}, {"n": "amy", "a": 25}, {"n": "Bob", "a": 30}]
print([p["n"] for p in sorted(people, key=lambda p: (-p["a"], p["n"].lower()))])
print(max(people, key=lambda p: (p["a"], p["n"]))["n"], min(people, key=lambda p: len(p["n"]))["n"])
