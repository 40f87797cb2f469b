import asyncio
from bmcis_knowledge import search

queries = ["raft leader election", "http caching etag", "fuzz parsers untrusted input"]


async def main():
    batches = await asyncio.gather(*[search.hybrid_search(q, top_k=2) for q in queries])
    for q, hits in zip(queries, batches):
        print(f"{q}:")
        for h in hits:
            print(f"  - {h.title} ({h.score:.2f})")
    return {q: [h.document_id for h in hits] for q, hits in zip(queries, batches)}


result = asyncio.run(main())
