from src.code_api.search import HybridSearchAPI
from src.code_api.reranking import RerankerAPI
from src.code_api.results import ResultProcessor

# Step 1: Get search results
search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="retry with exponential backoff and jitter",
    top_k=20  # Get more for reranking
)

# Step 2: Rerank results
reranker = RerankerAPI()
reranked = await reranker.rerank(
    query="retry with exponential backoff and jitter",
    documents=[r.to_dict() for r in results],
    top_k=3
)

# Step 3: Format for agent
processor = ResultProcessor()
summary = processor.summarize(reranked, max_content_length=150)
text = processor.format_for_agent(summary)

__result__ = {
    "ids": [r["id"] for r in reranked],
    "scores": [r["rerank_score"] for r in reranked],
    "has_title": "Retries with exponential backoff" in text,
    "is_text": isinstance(text, str),
    "previews": [s["preview"][:30] for s in summary],
}
