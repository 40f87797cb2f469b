import asyncio
from bmcis_knowledge import search


async def titles(q):
    hits = await search.hybrid_search(q, top_k=1)
    return hits[0].title if hits else None


async def main():
    t1 = asyncio.create_task(titles("gossip membership peer"))
    t2 = asyncio.create_task(titles("quic udp packet"))
    first = await t1
    second = await asyncio.wait_for(t2, timeout=5)
    return [first, second]


__result__ = await main()
