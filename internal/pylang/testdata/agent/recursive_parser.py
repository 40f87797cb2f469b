def parse(tokens):
    def expr(i):
        v, i = term(i)
        while i < len(tokens) and tokens[i] in "+-":
            op = tokens[i]
            w, i = term(i + 1)
            v = v + w if op == "+" else v - w
        return v, i
    def term(i):
        v, i = atom(i)
        while i < len(tokens) and tokens[i] in "*/":
            op = tokens[i]
            w, i = atom(i + 1)
            v = v * w if op == "*" else v / w
        return v, i
    def atom(i):
        if tokens[i] == "(":
            v, i = expr(i + 1)
            return v, i + 1
        return int(tokens[i]), i + 1
    return expr(0)[0]
print(parse("2 + 3 * ( 4 - 1 )".split()), parse("8 / 4 / 2".split()))
