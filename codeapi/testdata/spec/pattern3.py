from src.code_api.search import HybridSearchAPI
from src.code_api.filtering import FilterAPI

search_api = HybridSearchAPI()
filter_api = FilterAPI()

# Route based on query complexity
if len(query.split()) > 10:
    # Complex query: use vector search
    results = await search_api.vector_search(query, top_k=10)
else:
    # Simple query: use hybrid
    results = await search_api.hybrid_search(query, top_k=10)

# Filter by domain
filtered = filter_api.filter_by_domain(
    results,
    domain="bmcis_architecture"
)

# Return compact summary
summaries = [
    {
        'id': r['id'],
        'title': r['title'],
        'score': r['score'],
        'relevance': 'high' if r['score'] > 0.8 else 'medium'
    }
    for r in filtered
]

__result__ = summaries
