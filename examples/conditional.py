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

# Scores lie within 0..1 and are as high as the collection lets them be. In Go's
# documentation a passage above 0.5 speaks of the question itself, one below of
# something near it. Look at your own before you choose a bound.
filtered = filter_api.filter_by_domain(results, domain="net")

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
