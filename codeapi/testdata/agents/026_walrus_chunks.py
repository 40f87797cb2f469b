data = list(range(1, 24))
size = 5
position = 0
chunks = []
while (chunk := data[position:position + size]):
    chunks.append(chunk)
    position += size

squares = [y for x in data if (y := x * x) % 7 == 1]
if (n := len(chunks)) > 3:
    print(f"{n} chunks, last has {len(chunks[-1])}")
print(squares)
__result__ = {"sums": [sum(c) for c in chunks], "squares": squares}
