def reduce(fn, xs, init):
    acc = init
    for x in xs:
        acc = fn(acc, x)
    return acc
nums = range(1, 8)
print(list(map(lambda x: x ** 2, filter(lambda x: x % 2, nums))), reduce(lambda a, b: a * b, nums, 1), list(map(int, "1 2 3".split())), list(map(max, [1, 5], [4, 2])))
