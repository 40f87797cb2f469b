from bmcis_knowledge import search

query = "memory table flush sorted files"
sweep = []
for w in [0.0, 0.25, 0.5, 0.75, 1.0]:
    hits = search.hybrid_search(query, bm25_weight=w, vector_weight=1 - w, top_k=3)
    sweep.append({"bm25": w, "ids": [h.id for h in hits], "top": hits[0].score})

stable = all(s["ids"][0] == sweep[0]["ids"][0] for s in sweep)
for s in sweep:
    print(f"{s['bm25']:.2f}: {s['ids']} {s['top']:.4f}")
result = {"stable": stable, "tops": [s["top"] for s in sweep]}
