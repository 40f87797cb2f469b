def evaluate(tokens):
    stack = []
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}
    for t in tokens.split():
        if t in ops:
            b, a = stack.pop(), stack.pop()
            stack.append(ops[t](a, b))
        else:
            stack.append(float(t) if "." in t else int(t))
    return stack.pop()
print(evaluate("3 4 + 2 *"), evaluate("10 4 /"), evaluate("1.5 2 *"))
