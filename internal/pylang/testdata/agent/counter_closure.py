def make_counter(start=0):
    count = start
    def step(by=1):
        nonlocal count
        count += by
        return count
    def reset():
        nonlocal count
        count = start
    return step, reset
step, reset = make_counter(10)
print(step(), step(5), reset(), step())
