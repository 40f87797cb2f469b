hits = search.hybrid_search("consensus leader", top_k=6)
top = reranker.rerank("consensus leader", hits, top_k=2)
assert len(top) == 2
assert top[0].rerank_score >= top[1].rerank_score
assert "rerank_score" in top[0].to_dict()
assert hits[0].rerank_score is None
---
hits = search.hybrid_search("leader lamport consensus", top_k=6)
a = rerank(hits[:20], top_k=5)  ### name 'rerank' is not defined
---
from bmcis_knowledge.reranking import rerank
hits = search.hybrid_search("consensus leader", top_k=6)
a = await rerank(hits[:20], top_k=5)
b = rerank("consensus leader", [h.to_dict() for h in hits], top_k=5)
assert [h.id for h in a] == [d["id"] for d in b]
assert [h.rerank_score for h in a] == [d["rerank_score"] for d in b]
assert rerank("x", []) == []
c = rerank("egg", [{"text": "a dog"}, {"text": "an egg"}], top_k=1)
assert c[0]["text"] == "an egg" and c[0]["rerank_score"] > 0.5
assert rerank("egg", [{"text": "a dog"}, {"text": "an egg"}], threshold=0.6) == c
---
from reranking import rerank
rerank([{"text": "a"}])  ### rerank() needs a query
---
reranker.rerank("x", "y")  ### documents must be a list of results, got str 'y'
---
hits = search.hybrid_search("a is the", top_k=10)
f = filter.filter_by_domain(hits, "consensus")
assert len(f) == 3 and all(h.metadata["domain"] == "consensus" for h in f)
assert len(filtering.filter_by_domain(hits, domain=["consensus", "food"])) == 4
assert len(FilterAPI().filter_by_domain([h.to_dict() for h in hits], "food")) == 1
assert list(filter(lambda x: x > 1, [1, 2, 3])) == [2, 3]
assert list(filter(None, [0, 1, "", "a"])) == [1, "a"]
assert [h.source for h in filter.filter_by_source(hits, "paxos")] == ["paxos"]
assert len(filter.where(hits, "year >= 2014")) == 4
assert len(filter.where(hits, {"domain": "consensus", "year": {"lt": 2000}})) == 1
assert len(filter.where(hits, lambda h: h.score > 2)) == 0
assert len(filter.filter_by_date(hits, start="2024-01-01", end="2024-12-31", field="date")) == 1
assert len(filter.filter_by_date(hits, "2026-02-03", "2026-02-03")) == 7
assert len(filter.filter_by_date(hits, end="2026-02-02")) == 0
s = filter.filter_by_score(hits, min_score=0.5)
assert all(h.score >= 0.5 for h in s) and len(s) < 7
boosted = filter.boost(hits, {"domain": "food"}, 2.0)
food = [h for h in hits if h.source == "kitchen"][0]
after = [h for h in boosted if h.source == "kitchen"][0]
assert after.score == min(1.0, food.score * 2)
assert [h.score for h in boosted] == sorted([h.score for h in boosted], reverse=True)
g = filter.group_by(hits, "domain")
assert sorted(g) == ["bmcis_architecture", "consensus", "food", "language"], sorted(g)
assert len(g["consensus"]) == 3
assert len(filter.group_by(hits, lambda h: h.source)["docs"]) == 3
assert len(filter.dedupe(hits + hits)) == 7
assert len(filter.dedupe(hits, by="document_id")) == 6
---
hits = search.hybrid_search("raft")
filter.where(hits, "year >= = 3")  ### condition, character
---
hits = search.hybrid_search("raft")
filter.boost(hits, "year > 3", 7)  ### factor must be 0.5..2, got 7.0
---
filter.filter_by_domain(search.batch_search(["raft"]), "x")  ### list of lists
