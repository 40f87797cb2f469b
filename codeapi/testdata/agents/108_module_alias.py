import bmcis_knowledge as bk

hits = bk.search.hybrid_search("miso soup tofu", top_k=2)
top = bk.reranking.rerank("miso soup tofu", hits, top_k=1)
(top[0].title, top[0].metadata["tags"])
