from bmcis_knowledge.search import hybrid_search

PAGE = 4
all_hits = hybrid_search("security tokens keys service request", top_k=20)
pages = [all_hits[i:i + PAGE] for i in range(0, len(all_hits), PAGE)]

for number, page in enumerate(pages, start=1):
    print(f"-- page {number} of {len(pages)} --")
    for h in page:
        print(f"{h.score:.3f} {h.title}")

result = {"pages": len(pages), "sizes": [len(p) for p in pages]}
