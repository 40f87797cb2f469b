from src.code_api.search import HybridSearchAPI

search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="BMCIS overview",
    top_k=5
)

__result__ = results
