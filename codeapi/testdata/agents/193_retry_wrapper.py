import functools, time
from bmcis_knowledge import search

class SearchFailed(RuntimeError):
    pass

def with_retries(times=3, on=(ValueError, RuntimeError)):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            inner.attempts = 0
            for n in range(times):
                inner.attempts += 1
                try:
                    return fn(*args, **kwargs)
                except on as e:
                    last = e
                    time.sleep(0)
            raise SearchFailed(f"{fn.__name__} failed {times} times") from last
        return inner
    return deco

@with_retries(times=2)
def find(q, k=3):
    """Finds titles."""
    return [h["title"] for h in search.hybrid_search(q, top_k=k)]

good = find("raft leader")
print(find.__name__, find.__doc__, find.attempts, len(good))
try:
    find("", k=3)
except SearchFailed as e:
    print(e, "|", type(e.__cause__).__name__, "|", find.attempts)
    failed = True
result = {"good": good, "failed": failed}
