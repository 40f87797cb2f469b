from src.code_api.search import HybridSearchAPI

api = HybridSearchAPI()
titles = []
async for batch in api.hybrid_search_streaming("http cache response header", batch_size=2):
    titles.extend(h["title"] for h in batch)
    if len(titles) >= 4:
        break
__result__ = titles[:4]
