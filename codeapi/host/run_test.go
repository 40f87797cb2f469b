package host_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	_ "github.com/bmcis/bmcis/codeapi/child"
	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

type library []search.SourceDocument

func (l library) Documents(context.Context) iter.Seq2[search.SourceDocument, error] {
	return func(yield func(search.SourceDocument, error) bool) {
		for _, d := range l {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// setUp is the whole way: a fresh database with a few documents, the real models,
// a runner that starts real children.
func setUp(t *testing.T) (*host.Host, *sandbox.Runner) {
	t.Helper()
	engine, err := search.New(pgtest.New(t), search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	long := strings.Repeat("The architecture separates retrieval from ranking and keeps every stage explainable. ", 12)
	doc := func(id, title, text, domain string, year int) search.SourceDocument {
		return search.SourceDocument{ID: id, Title: title, Text: text, Source: domain + "-docs", Metadata: map[string]any{"domain": domain, "year": year}}
	}
	report, err := engine.Index(t.Context(), search.IndexOptions{}, library{
		doc("overview", "BMCIS overview", "BMCIS is a hybrid search knowledge engine. "+long, "bmcis_architecture", 2026),
		doc("features", "Advanced features", "Advanced BMCIS features are reranking, filters and programs that run in a sandbox.", "bmcis_architecture", 2025),
		doc("raft", "Raft", "A candidate that gathers the votes of a majority becomes leader. Leaders send heartbeats.", "consensus", 2014),
		doc("paxos", "Paxos", "Proposers and acceptors agree on one value although messages may be lost.", "consensus", 1998),
		doc("bread", "Bread", "The dough rests for an hour before it goes into the oven.", "kitchen", 2020),
	})
	if err != nil || len(report.Failed) > 0 {
		t.Fatalf("index: %v, failed %v", err, report.Failed)
	}
	runner, err := sandbox.NewRunner(sandbox.Config{Slots: 2, Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	return host.New(engine, host.Config{}), runner
}

func TestProgramsOverTheRealEngine(t *testing.T) {
	h, runner := setUp(t)
	for name, c := range map[string]struct {
		program string
		context map[string]any
		want    string // part of the result
	}{
		"search": {`
from src.code_api.search import HybridSearchAPI
search_api = HybridSearchAPI()
results = await search_api.hybrid_search(query="BMCIS overview", top_k=5)
__result__ = results
`, nil, `"title":"BMCIS overview"`},
		"search, rerank, format": {`
from src.code_api.search import HybridSearchAPI
from src.code_api.reranking import RerankerAPI
from src.code_api.results import ResultProcessor
results = await HybridSearchAPI().hybrid_search(query="advanced BMCIS features", top_k=20)
reranked = await RerankerAPI().rerank(query="advanced BMCIS features", documents=[r.to_dict() for r in results], top_k=5)
processor = ResultProcessor()
__result__ = processor.format_for_agent(processor.summarize(reranked, max_content_length=150))
`, nil, `1. Advanced features`},
		"conditional": {`
from src.code_api.search import HybridSearchAPI
from src.code_api.filtering import FilterAPI
search_api = HybridSearchAPI()
if len(query.split()) > 10:
    results = await search_api.vector_search(query, top_k=10)
else:
    results = await search_api.hybrid_search(query, top_k=10)
filtered = FilterAPI().filter_by_domain(results, domain="bmcis_architecture")
__result__ = [{'id': r['id'], 'title': r['title'], 'score': r['score']} for r in filtered]
`, map[string]any{"query": "hybrid search architecture"}, `"title":"BMCIS overview"`},
		"filter, weights and text": {`
hits = search.hybrid_search("leader votes", bm25_weight=0.5, vector_weight=0.5, filters={"domain": "consensus", "year": {"gte": 2000}})
assert [h.document_id for h in hits] == ["raft"], hits
result = hits[0].text
`, nil, "gathers the votes"},
		"batch, document, similar, pack": {`
a, b = search.batch_search(["leader election", "bread in the oven"], top_k=1)
doc = search.get_document(b[0])
near = search.similar(a[0], top_k=1)
packed = results.pack(a + b, max_tokens=200)
assert results.count_tokens(packed) <= 200
result = [doc["title"], near[0].title, len(packed), stats.get_execution_stats()["calls"]["search.batch"]]
`, nil, `["Bread","Paxos",2,1]`},
		"context keeps its order": {`
hits = search.hybrid_search("bread", top_k=1)
result = [list(config), config["n"], list(config["z"])]
`, map[string]any{"config": json.RawMessage(`{"z": {"b": 1, "a": 2}, "n": 12345678901234567890, "a": 0}`)}, `[["z","n","a"],12345678901234567890,["b","a"]]`},
		"errors can be caught": {`
try:
    search.hybrid_search("x", collection="nope")
except ValueError as e:
    result = "caught: " + str(e)
`, nil, "nope"},
		"gather": {`
import asyncio
async def first(q):
    hits = await search.hybrid_search(q, top_k=1)
    return hits[0].title
result = await asyncio.gather(*[first(q) for q in ["leader votes", "dough"]])
`, nil, `["Raft","Bread"]`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := h.Execute(t.Context(), runner, sandbox.Program{Source: c.program, Context: c.context}, sandbox.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Success {
				t.Fatalf("%s line %d: %s (%s)", r.Error.Kind, r.Error.Line, r.Error.Message, r.Error.Hint)
			}
			if !strings.Contains(string(r.Result), c.want) {
				t.Errorf("result %s, want %s in it", r.Result, c.want)
			}
			if r.Ledger.TokensTouched <= 0 && name != "errors can be caught" || r.Ledger.TokensReturned <= 0 || len(r.Degraded) > 0 {
				t.Errorf("ledger %+v, degraded %v", r.Ledger, r.Degraded)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOutcomesOfPrograms(t *testing.T) {
	h, runner := setUp(t)
	for name, c := range map[string]struct {
		program string
		limits  sandbox.Limits
		kind    sandbox.Kind
		want    string
	}{
		"syntax":         {"x = (1,\n", sandbox.Limits{}, sandbox.KindSyntax, ""},
		"import":         {"import os\n", sandbox.Limits{}, sandbox.KindValidation, "Non-whitelisted import: os"},
		"wrong argument": {"search.hybrid_search('x', limit=3)\n", sandbox.Limits{}, sandbox.KindValidation, "limit"},
		"wrong value":    {"search.hybrid_search('x', top_k=-1)\n", sandbox.Limits{}, sandbox.KindRuntime, "top_k must be 1..1000, got -1"},
		"steps":          {"while True: pass\n", sandbox.Limits{MaxSteps: 200_000}, sandbox.KindSteps, ""},
		"calls":          {"for i in range(9):\n    search.hybrid_search('x')\n", sandbox.Limits{HostCalls: 3}, sandbox.KindCalls, ""},
		"not JSON":       {"result = {'a': [1, 2, 3, lambda: 0]}\n", sandbox.Limits{}, sandbox.KindRuntime, `result["a"][3]: a function cannot be returned as JSON`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := h.Execute(t.Context(), runner, sandbox.Program{Source: c.program}, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if r.Success || r.Error == nil || r.Error.Kind != c.kind || !strings.Contains(r.Error.Message, c.want) {
				t.Errorf("got %+v, want %s with %q", r.Error, c.kind, c.want)
			}
		})
	}
	r, err := h.Execute(t.Context(), runner, sandbox.Program{Source: "result = list(range(100000))"}, sandbox.Limits{ResultBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Success || !r.Truncated || !strings.Contains(string(r.Result), "more elements") || len(r.Result) > 1000 {
		t.Errorf("truncated %v, result %s, error %v", r.Truncated, r.Result, r.Error)
	}
	r, err = h.Execute(t.Context(), runner, sandbox.Program{Source: "hits = search.hybrid_search('x')\nreranker.rerank('x', hits)\n", ValidateOnly: true}, sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Success || !strings.Contains(string(r.Report), `"host_calls":["rerank","search.hybrid"]`) || r.Usage.HostCalls != 0 {
		t.Errorf("report %s, usage %+v, error %v", r.Report, r.Usage, r.Error)
	}
}
