import asyncio
from bmcis_knowledge import search

ids = ["paxos-notes", "does-not-exist", "gossip"]


async def fetch(doc_id):
    try:
        doc = await search.get_document(doc_id)
        return {"id": doc_id, "chars": len(doc["text"])}
    except Exception:
        return {"id": doc_id, "error": "not found"}


docs = await asyncio.gather(*[fetch(i) for i in ids])
ok = [d for d in docs if "error" not in d]
print(f"{len(ok)} of {len(docs)} fetched")
result = docs
