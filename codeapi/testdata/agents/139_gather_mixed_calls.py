import asyncio
from bmcis_knowledge import search


async def main():
    hits, doc, near, batch = await asyncio.gather(
        search.vector_search("dead rows table", top_k=1),
        search.get_document("raft-log"),
        search.similar("quic", top_k=1),
        search.batch_search(["tofu", "yolks"]),
    )
    print(doc.title)
    return {
        "vector": hits[0].id,
        "document": doc["document_id"],
        "near": near[0].document_id,
        "batch": [b[0].document_id for b in batch],
    }


__result__ = asyncio.run(main())
