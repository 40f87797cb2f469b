from bmcis_knowledge import search

q = "replication of the log to a majority"
lex = search.bm25_search(q, top_k=5)
vec = search.vector_search(q, top_k=5)
lex_ids = {h.id for h in lex}
vec_ids = {h.id for h in vec}

print("both:", sorted(lex_ids & vec_ids))
print("only lexical:", sorted(lex_ids - vec_ids))
print("only vector:", sorted(vec_ids - lex_ids))
overlap = len(lex_ids & vec_ids) / len(lex_ids | vec_ids)
result = {"overlap": round(overlap, 3), "no_vector_score": all(h.vector_score is None for h in lex), "no_lexical_score": all(h.lexical_score is None for h in vec)}
