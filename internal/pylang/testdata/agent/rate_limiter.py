class Limiter:
    def __init__(self, limit, per):
        self.limit, self.per, self.calls = limit, per, []
    def allow(self, now):
        self.calls = [t for t in self.calls if now - t < self.per]
        if len(self.calls) >= self.limit:
            return False
        self.calls.append(now)
        return True
lim = Limiter(2, 10)
print([(t, lim.allow(t)) for t in (0, 1, 2, 9, 10, 11, 12)])
