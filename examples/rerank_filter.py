# Search + rerank + filter: a hundred candidates from each leg stay in the sandbox;
# a short text comes back.
from src.code_api.search import HybridSearchAPI
from src.code_api.reranking import RerankerAPI
from src.code_api.filtering import FilterAPI
from src.code_api.results import ResultProcessor

question = "start several goroutines and wait until all of them have finished"

search_api = HybridSearchAPI()
results = await search_api.hybrid_search(query=question, top_k=100)

reranked = await RerankerAPI().rerank(
    query=question,
    documents=[r.to_dict() for r in results],
    top_k=20,
)
packages = FilterAPI().filter_by_domain(reranked, domain="sync")

processor = ResultProcessor()
__result__ = processor.format_for_agent(
    processor.summarize(packages[:3], max_content_length=150)
)
