load("search", "hybrid_search", "bm25_search")

lexical = bm25_search("index btree pages", top_k=3)
mixed = hybrid_search("index btree pages", top_k=3)
result = {
    "lexical": [h.id for h in lexical],
    "mixed": [h.id for h in mixed],
    "terms": [h.lexical_score for h in lexical],
}
