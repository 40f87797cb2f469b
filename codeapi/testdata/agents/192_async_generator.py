import asyncio
from contextlib import asynccontextmanager
from bmcis_knowledge import search

@asynccontextmanager
async def session(name, log):
    log.append(f"open {name}")
    try:
        yield {"name": name, "n": 0}
    finally:
        log.append(f"close {name}")

async def stream(queries):
    for q in queries:
        hits = await search.hybrid_search(q, top_k=2)
        for h in hits:
            yield q, h.title

async def main():
    log, out = [], []
    async with session("s1", log) as s:
        async for q, title in stream(["vacuum", "etag caching"]):
            s["n"] += 1
            out.append(title)
    print(log, s["n"])
    return [t.lower() for t in out]

result = await main()
