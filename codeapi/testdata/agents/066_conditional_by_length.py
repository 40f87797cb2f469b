# context: {"query": "what should a service do when a request keeps failing and the deadline has almost passed"}
from src.code_api.search import HybridSearchAPI
from src.code_api.filtering import FilterAPI

search_api = HybridSearchAPI()
filter_api = FilterAPI()

# Route based on query complexity
if len(query.split()) > 10:
    # Complex query: use vector search
    results = await search_api.vector_search(query, top_k=10)
else:
    results = await search_api.hybrid_search(query, top_k=10)

filtered = filter_api.filter_by_domain(results, domain="net")

summaries = [
    {
        'id': r['id'],
        'title': r['title'],
        'score': r['score'],
        'relevance': 'high' if r['score'] > 0.4 else 'medium'
    }
    for r in filtered
]

__result__ = summaries
