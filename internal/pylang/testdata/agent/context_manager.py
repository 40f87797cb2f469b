class Timer:
    log = []
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        Timer.log.append(f"start {self.name}")
        return self
    def __exit__(self, exc_type, exc, tb):
        Timer.log.append(f"end {self.name} {exc_type.__name__ if exc_type else 'ok'}")
        return exc_type is KeyError
with Timer("a") as t, Timer("b"):
    print(t.name)
with Timer("c"):
    {}["missing"]
print(Timer.log)
