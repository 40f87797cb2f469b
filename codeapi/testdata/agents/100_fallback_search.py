from src.code_api.search import HybridSearchAPI

api = HybridSearchAPI()


async def search_with_fallback(query, filters_chain):
    """Relax the filters until something turns up."""
    for i, filters in enumerate(filters_chain):
        try:
            hits = await api.hybrid_search(query, top_k=3, filters=filters)
        except Exception as exc:
            print(f"filter {i} failed")
            continue
        if hits:
            return i, hits
    return None, []


level, hits = await search_with_fallback(
    "vacuum dead rows",
    [{"domain": "db", "year": {"lt": 2000}}, {"year": {"approximately": 2023}}, {"domain": "db"}, None],
)
__result__ = {"level": level, "titles": [h.title for h in hits]}
