letters = list("abcdefghij")
print(letters[2:5], letters[:3], letters[-3:], letters[::2], letters[::-1][:3])
print("hello world"[::-1], "hello"[1:-1], "hello"[-1])

copy = letters[:]
copy[1:3] = ["X"]
del copy[-2:]
copy.insert(0, "start")
copy.extend(["p", "q"])
print(copy)

window = 3
moving = [letters[i:i + window] for i in range(len(letters) - window + 1)]
rotated = letters[4:] + letters[:4]
__result__ = {"copy": copy, "windows": len(moving), "rotated": "".join(rotated), "index": letters.index("d")}
