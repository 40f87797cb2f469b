class Countdown:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1
print(list(Countdown(3)), sum(Countdown(4)), [a + b for a, b in zip(Countdown(2), Countdown(2))])
it = iter(Countdown(1))
print(next(it), next(it, "done"))
