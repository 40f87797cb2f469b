from search import HybridSearchAPI
search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="What is Paxos?",
    top_k=5
)
__result__ = [{"title": r.title, "score": r.relevance_score} for r in results]
