from src.code_api.search import HybridSearchAPI
from src.code_api.reranking import RerankerAPI
from src.code_api.results import ResultProcessor

# Step 1: Get search results
search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="advanced BMCIS features",
    top_k=20  # Get more for reranking
)

# Step 2: Rerank results
reranker = RerankerAPI()
reranked = await reranker.rerank(
    query="advanced BMCIS features",
    documents=[r.to_dict() for r in results],
    top_k=5
)

# Step 3: Format for agent
processor = ResultProcessor()
summary = processor.summarize(reranked, max_content_length=150)

__result__ = processor.format_for_agent(summary)
