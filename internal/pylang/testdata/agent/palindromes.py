def is_pal(s):
    t = [c.lower() for c in s if c.isalnum()]
    return t == t[::-1]
print([s for s in ["A man, a plan, a canal: Panama", "hello", "", "No lemon, no melon"] if is_pal(s)])
