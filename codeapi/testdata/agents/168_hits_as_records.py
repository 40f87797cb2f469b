from bmcis_knowledge import search
try:
    doc = search.get_document("does-not-exist")
except Exception as e:
    print("missing:", type(e).__name__ != "")
hits = search.hybrid_search("index pages split", top_k=5)
for rank, h in enumerate(hits, 1):
    d = h.to_dict()
    print(f"{rank}. {h['title']} [{h.source}] {h.metadata.get('domain', '?')} {h.score:.3f} {len(h.text)} {'yes' if h.get('uri') else 'no'} {d['id'] == h.id}")
years = sorted({h.metadata["year"] for h in hits if "year" in h.metadata})
tags = [t for h in hits for t in h.metadata.get("tags", [])]
from collections import Counter
result = {"years": years, "tags": Counter(tags).most_common(3), "ids": [h.id for h in hits], "best": max(hits, key=lambda h: h.score).id}
