# Conditional search: `query` comes in as context; the program decides how to search.
# bmcis exec examples/conditional.py --collection go --context '{"query": "serve files with http.FileServer"}'
from src.code_api.search import HybridSearchAPI
from src.code_api.filtering import FilterAPI

search_api = HybridSearchAPI()
filter_api = FilterAPI()

if len(query.split()) > 10:
    # A long question: meaning counts more than words.
    results = await search_api.vector_search(query, top_k=10)
else:
    results = await search_api.hybrid_search(query, top_k=10)

filtered = filter_api.filter_by_domain(results, domain="net")

# In this collection, what scores above 0.5 speaks of the question itself.
summaries = [
    {
        "id": r["id"],
        "title": r["title"],
        "score": round(r["score"], 3),
        "relevance": "high" if r["score"] > 0.5 else "medium",
    }
    for r in filtered[:3]
]

__result__ = summaries
