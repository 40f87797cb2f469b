def perms(xs):
    if len(xs) <= 1:
        return [xs]
    return [[x] + rest for i, x in enumerate(xs) for rest in perms(xs[:i] + xs[i + 1:])]
print(perms([1, 2, 3]), len(perms(list("abcd"))))
