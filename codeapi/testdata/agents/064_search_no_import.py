hits = search.hybrid_search("write-ahead log backup restore", top_k=4)
for i, hit in enumerate(hits, 1):
    print(f"{i}. {hit.title} [{hit['source']}] score={hit['score']:.3f}")
result = {"count": len(hits), "top": hits[0].document_id}
