from code_api.search import HybridSearchAPI
from code_api.filtering import FilterAPI

api, flt = HybridSearchAPI(), FilterAPI()
results = api.bm25_search("cluster survives failures", top_k=5)
kept = flt.filter_by_score(results, 0.2)
result = [{"id": r.id, "lexical": r.lexical_score} for r in kept]
