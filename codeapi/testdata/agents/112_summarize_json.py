import json
from bmcis_knowledge import search
from bmcis_knowledge.results import summarize

hits = search.hybrid_search("http2 streams flow control", top_k=2)
compact = [{"t": s["title"], "s": round(s["score"], 3)} for s in summarize(hits, max_content_length=80)]
encoded = json.dumps(compact)
print(encoded)
assert json.loads(encoded) == compact
result = compact
