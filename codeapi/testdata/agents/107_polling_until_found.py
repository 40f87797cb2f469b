import asyncio
from bmcis_knowledge import search

attempts = 0
min_score = 0.9
hit = None
while hit is None and attempts < 10:
    attempts += 1
    hits = await search.hybrid_search("sql injection parameters", top_k=1)
    if hits and hits[0].score >= min_score:
        hit = hits[0]
    else:
        min_score -= 0.15
        await asyncio.sleep(0.001)

print(f"accepted after {attempts} attempts")
result = {"title": hit.title if hit else None, "attempts": attempts}
