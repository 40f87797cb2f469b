hits = search.hybrid_search("raft leader", top_k=3)
s = results.summarize(hits)
assert sorted(s[0]) == ["id", "preview", "score", "title"], s[0]
assert len(s[0]["preview"]) == 200
long = results.summarize(hits, max_content_length=500)
assert len(long[0]["preview"]) == 500
assert results.summarize(hits, fields=["source", "domain"])[0]["domain"] == "consensus"
assert "preview" not in results.summarize(hits, max_content_length=0)[0]
assert ResultProcessor.summarize(hits, 10)[0]["preview"] == hits[0].text[:10]
assert ResultProcessor().summarize([h.to_dict() for h in hits], 300)[0]["preview"] == hits[0].text[:300]
assert results.format_for_agent([]) == "No results found"
text = results.format_for_agent(hits)
assert text.startswith("1. Raft overview\n   Score: 1.00\n"), text
assert [line.endswith("…") for line in text.splitlines()[2::4]] == [True, False, True], text
assert results.format_for_agent(results.summarize(hits, 20)).count("…") == 3
assert results.format_for_agent([{"title": "T", "headings": ["A", "B"], "text": "# A\n## B\n\nHello\nworld", "score": 0.5}]) == "1. T > B\n   Score: 0.50\n   Hello world\n"
assert results.format_for_agent([{"title": "B", "headings": ["B"], "text": "## B"}]) == "1. B\n   ## B\n"
hits[0].title = "Mine"
assert results.format_for_agent(hits).startswith("1. Mine\n")
hits[0].title = "Raft overview"
assert results.cite(hits)[0] == "[1] Raft overview (raft, file:///doc-1)", results.cite(hits)
---
hits = search.hybrid_search("a is the", top_k=10)
p = results.pack(hits, 100)
import json
assert results.count_tokens(p) <= 100, results.count_tokens(p)
assert len(p) >= 1
assert results.count_tokens("abcd") == 1
p = results.pack(hits + hits, 100000)
assert len(p) == 7
assert [h.text for h in hits] == [d["text"] for d in p]
---
results.pack(search.hybrid_search("raft"), 0)  ### max_tokens must be 1..1000000, got 0
---
st = stats.get_execution_stats()
assert st["tokens_touched"] == 1234 and st["calls"]["search.hybrid"] == 1
---
import os  ### Non-whitelisted import: os
---
help(search)
help("search.hybrid_search")
help()
help(filter)
help(search.hybrid_search("raft")[0])
