def read(lines):
    for line in lines:
        yield line.strip()
def non_empty(lines):
    return (l for l in lines if l)
def numbered(lines):
    yield from enumerate(lines, 1)
for n, l in numbered(non_empty(read(["  a ", "", "b", "   ", "c"]))):
    print(n, l)
