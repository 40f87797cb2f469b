import asyncio
from src.code_api.search import HybridSearchAPI
from src.code_api.filtering import FilterAPI
from src.code_api.results import ResultProcessor


async def main() -> None:
    api = HybridSearchAPI()
    results = await api.hybrid_search(query="metrics alert error rate", top_k=8)
    filtered = FilterAPI().filter_by_domain(results, domain="ops")
    if not filtered:
        print("Nothing found")
        return
    for item in ResultProcessor.summarize(filtered, max_content_length=120):
        print(f"* {item['title']} ({item['score']:.2f}): {item['preview'][:40]}")


if __name__ == "__main__":
    asyncio.run(main())
