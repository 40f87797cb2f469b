import asyncio
from bmcis_knowledge import search


async def count(topic: str) -> tuple:
    hits = await search.bm25_search(topic, top_k=50)
    return topic, len(hits)


async def main():
    pairs = await asyncio.gather(*map(count, ["http", "security", "raft", "nothing at all xyz"]))
    return dict(pairs)

asyncio.run(main())
