def parse_expr(s):
    tokens = []
    i = 0
    while i < len(s):
        c = s[i]
        if c.isspace():
            i += 1
            continue
        if c.isdigit() or c == ".":
            j = i
            while j < len(s) and (s[j].isdigit() or s[j] == "."):
                j += 1
            tokens.append(float(s[i:j]) if "." in s[i:j] else int(s[i:j]))
            i = j
            continue
        tokens.append(c)
        i += 1
    pos = 0
    def peek():
        return tokens[pos] if pos < len(tokens) else None
    def take():
        nonlocal pos
        t = tokens[pos]
        pos += 1
        return t
    def expr():
        v = term()
        while peek() in ("+", "-"):
            op = take()
            r = term()
            v = v + r if op == "+" else v - r
        return v
    def term():
        v = factor()
        while peek() in ("*", "/"):
            if take() == "*":
                v *= factor()
            else:
                d = factor()
                if d == 0:
                    raise ZeroDivisionError("division in expression")
                v /= d
        return v
    def factor():
        t = take()
        if t == "(":
            v = expr()
            assert take() == ")", "missing )"
            return v
        if t == "-":
            return -factor()
        return t
    return expr()

for e in ["1 + 2 * 3", "(1+2)*3", "-4 / (2 - 2)", "10 / 4", "2 * (3.5 - 1)", "((2)"]:
    try:
        print(f"{e:>15} = {parse_expr(e)}")
    except (ZeroDivisionError, AssertionError) as err:
        print(f"{e:>15} ! {err.__class__.__name__}: {err}")
    except IndexError:
        print(f"{e:>15} ! unexpected end")
