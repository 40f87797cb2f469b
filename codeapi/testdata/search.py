hits = search.hybrid_search("raft leader", top_k=3)
assert len(hits) == 3, len(hits)
h = hits[0]
assert h.id == h["id"] == h.get("id") == h.to_dict()["id"]
assert h.score == h.relevance_score == h["score"] == h["relevance_score"]
assert h.title == "Raft overview"
assert h.metadata["domain"] == "consensus"
assert "title" in h and "nope" not in h
assert h.get("nope") is None and h.get("nope", 5) == 5
assert isinstance(h.score, float)
assert h.rerank_score is None
assert "text" in h.keys()
assert h.content == h.text[:200]
assert len(h.text) > 200
for k, v in h.items():
    assert h[k] == v, k
assert h == hits[0] and h != hits[1]
assert len(set(hits) & set(hits[:2])) == 2
assert h in hits
d = h.to_dict()
assert sorted(d) == ["content", "document_id", "id", "metadata", "relevance_score", "score", "source", "title"], sorted(d)
h.note = "mine"
h["rank"] = 1
assert h.note == "mine" and h.rank == 1 and h.to_dict()["note"] == "mine"
assert {**h}["title"] == "Raft overview"
---
from bmcis_knowledge.search import hybrid_search
from src.code_api.search import HybridSearchAPI as A
from code_api.search import bm25_search
from search import HybridSearchAPI, vector_search
import bmcis_knowledge
from bmcis_knowledge import search, reranking, filtering, results, stats
assert A().hybrid_search("raft")[0].id == hybrid_search("raft")[0].id
assert bm25_search("raft")[0].vector_score is None
assert vector_search("raft")[0].lexical_score is None
assert HybridSearchAPI().vector_search("paxos")[0].title == "Paxos"
assert bmcis_knowledge.search.hybrid_search("egg")[0].title == "Cooking"
---
hits = await search.hybrid_search("raft", bm25_weight=0.4, vector_weight=0.6, filters={"domain": "consensus"})
assert hits[0].title == "Raft overview"
---
search.hybrid_search("raft", top_k=-1)  ### top_k must be 1..1000, got -1
---
search.hybrid_search("raft", limit=5)  ### top_k
---
search.hybrid_serch("raft")  ### hybrid_search
---
q = 5
search.hybrid_search(q)  ### query must be a string, got int 5
---
search.hybrid_search("  ")  ### query must not be empty
---
lists = search.batch_search(["raft", {"query": "egg", "top_k": 1}], top_k=2)
assert [len(l) for l in lists] == [2, 1], [len(l) for l in lists]
---
search.batch_search(["raft", "fail"])  ### queries[1]: this query fails
---
search.batch_search("raft")  ### queries must be a list of queries, got str 'raft'
---
n = 0
for batch in search.hybrid_search_streaming("a the is", batch_size=2):
    assert len(batch) <= 2
    n += len(batch)
assert n == 7, n
---
api = HybridSearchAPI()
best = None
for batch in api.hybrid_search_streaming(query, batch_size=2):
    processed = reranker.rerank(batch, top_k=5)
    best = best or processed[0].title
assert best == "Raft overview"
---
d = search.get_document("doc-2")
assert d["title"] == "Paxos" and "Lamport" in d["text"]
assert search.get_document(search.hybrid_search("paxos")[0])["document_id"] == "doc-2"
try:
    search.get_document("nobody")
    assert False
except KeyError as e:
    assert "nobody" in str(e)
---
a = search.bm25_search("raft consensus")
b = search.vector_search("leader lamport")
f = search.fuse(a, b, weights=(0.3, 0.7))
assert [h.text[:200] for h in f] == [h.content for h in f]  # whole texts, also of hits that both lists have
assert {h.id for h in f} == {h.id for h in a} | {h.id for h in b}
assert [h.score for h in f] == sorted([h.score for h in f], reverse=True)
both = [h for h in f if h.lexical_score is not None and h.vector_score is not None]
assert len(both) > 0
u = search.union(a, b)
assert len(u) == len(f)
assert [h.id for h in search.intersect(a, b)] == [h.id for h in a if h in b]
assert all(h not in b for h in search.subtract(a, b))
assert len(search.fuse(a, b, method="rrf", top_k=2)) == 2
---
assert all(h.id != "c1" for h in search.similar("c1"))
---
x = search.hybrid_search("raft")[0]
x.nothing  ### 'Hit' object has no attribute 'nothing'
---
x = search.hybrid_search("raft")[0]
x["domain"]  ### 'domain' is in the hit's metadata
---
import json
ds = [r.to_dict() for r in search.hybrid_search("a", top_k=100)]
assert json.loads(json.dumps(ds)) == ds
---
r = attempt(search.hybrid_search, "raft", top_k=0)
assert not r["ok"] and "top_k must be 1..1000, got 0" in r["error"], r
r = attempt(search.hybrid_search, "raft")
assert r["ok"] and r["error"] is None and r["value"][0].title == "Raft overview"
r = attempt(lambda: {}["x"])
assert r == {"ok": False, "value": None, "error": "KeyError: 'x'"}, r
---
search("raft")  ### call its functions, such as search.hybrid_search(query
---
d = search.get_document("doc-2")
assert d.title == d["title"] == d.get("title") == "Paxos"
assert isinstance(d, dict) and "text" in d and sorted(d)[0] == "created"
assert d.to_dict()["source"] == "paxos"
d.nothing  ### 'Document' object has no attribute 'nothing'
