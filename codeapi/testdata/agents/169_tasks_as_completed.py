import asyncio
from bmcis_knowledge import search
async def main():
    tasks = [asyncio.create_task(search.bm25_search(q, top_k=2)) for q in ("raft leader", "quic handshake")]
    done = await asyncio.gather(*tasks)
    out = {}
    for coro in asyncio.as_completed([search.vector_search("tofu", top_k=1), search.vector_search("yolks", top_k=1)]):
        hits = await coro
        out.setdefault("v", []).append(hits[0].id)
    out["v"].sort()
    return {"tasks": [[h.id for h in r] for r in done], **out}
async def one(q):
    r = await search.hybrid_search(query=q, top_k=1)
    return r[0].id if r else None
if __name__ == "__main__":
    __result__ = asyncio.run(main())
