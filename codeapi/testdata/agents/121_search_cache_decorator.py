from functools import wraps
from bmcis_knowledge import search

calls = {"hit": 0, "miss": 0}


def cached(fn):
    memory = {}

    @wraps(fn)
    def wrapper(query, **kw):
        key = (query, tuple(sorted(kw.items())))
        if key in memory:
            calls["hit"] += 1
        else:
            calls["miss"] += 1
            memory[key] = fn(query, **kw)
        return memory[key]

    return wrapper


find = cached(search.hybrid_search)
for q in ["raft", "quic", "raft", "raft"]:
    find(q, top_k=1)
find("raft", top_k=2)
__result__ = {**calls, "same": find("raft", top_k=1)[0].id == find("raft", top_k=1)[0].id}
