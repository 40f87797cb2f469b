import asyncio
from bmcis_knowledge import search, reranking, results as res

async def research(question: str, depth: int = 2) -> dict:
    """Search, look at neighbours, collect."""
    seen: set[str] = set()
    findings: list[dict] = []
    frontier = [question]
    for level in range(depth):
        batches = await asyncio.gather(*[search.hybrid_search(q, top_k=3) for q in frontier])
        frontier = []
        for hits in batches:
            for h in hits:
                if h.id in seen:
                    continue
                seen.add(h.id)
                findings.append({"id": h.id, "title": h.title, "level": level, "score": round(h.score, 3)})
                frontier.append(h.title)
        frontier = frontier[:2]
    return {"question": question, "findings": findings, "n": len(seen)}

__result__ = await research("how does raft elect a leader")
