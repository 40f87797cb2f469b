import asyncio
from bmcis_knowledge import search

async def lookup(name, query, sem):
    async with sem:
        hits = await search.hybrid_search(query, top_k=3)
    return name, [h.title for h in hits]

async def main():
    sem = asyncio.Semaphore(2)
    topics = {"db": "postgres vacuum", "net": "http caching", "sec": "rotate secrets"}
    async with asyncio.TaskGroup() as tg:
        tasks = [tg.create_task(lookup(n, q, sem), name=n) for n, q in topics.items()]
    out = dict(t.result() for t in tasks)
    for name in sorted(out):
        print(f"{name:<4}{out[name]}")
    return out

result = asyncio.run(main())
