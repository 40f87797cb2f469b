"""Find who wrote most about a topic, then what else this author wrote."""
import asyncio
from collections import Counter
from bmcis_knowledge import search


async def main():
    hits = await search.hybrid_search("circuit breaker quic packet gossip peer rejects", top_k=6)
    authors = Counter(h.metadata["author"] for h in hits)
    (author, n), *_ = sorted(authors.items(), key=lambda kv: (-kv[1], kv[0]))
    others = await search.hybrid_search("property test random inputs, token algorithm lifetime", filters={"author": author}, top_k=10)
    known = {h.document_id for h in hits}
    docs = await asyncio.gather(*[search.get_document(d) for d in sorted({o.document_id for o in others} - known)])
    for d in docs:
        print(f"{d['title']}: {len(d['text'])} characters")
    return {"author": author, "mentions": n, "also_wrote": [d["title"] for d in docs]}


result = await main()
