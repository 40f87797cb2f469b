package codeapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/sandbox"
)

func runProgram(t *testing.T, h *fakeHost, source string, vars map[string]any) sandbox.EngineResult {
	t.Helper()
	return Engine(t.Context(), sandbox.Program{Source: source, Context: vars}, sandbox.DefaultLimits(), h)
}

// TestScripts runs the programs of testdata. A file holds several, divided by
// lines of dashes; a program must end without an error unless a line of it ends
// with ### and the error's message (part of it) expected there.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in testdata: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			line := 1
			for _, program := range strings.Split(string(text), "\n---\n") {
				runScript(t, f, line, program)
				line += strings.Count(program, "\n") + 2
			}
		})
	}
}

func runScript(t *testing.T, file string, line int, program string) {
	t.Helper()
	wantLine, want := 0, ""
	for i, l := range strings.Split(program, "\n") {
		if _, msg, ok := strings.Cut(l, "###"); ok {
			wantLine, want = i+1, strings.TrimSpace(msg)
		}
	}
	h := newFakeHost()
	res := runProgram(t, h, program, map[string]any{"query": "raft leader", "user_id": json.Number("42")})
	switch {
	case want == "" && res.Error != nil:
		t.Errorf("%s:%d: %s %s (hint: %s)", file, line+res.Error.Line-1, res.Error.Kind, res.Error.Message, res.Error.Hint)
	case want != "" && res.Error == nil:
		t.Errorf("%s:%d: no error, want %q", file, line+wantLine-1, want)
	case want != "":
		full := res.Error.Message + " | " + res.Error.Hint
		if !strings.Contains(full, want) || res.Error.Line != wantLine {
			t.Errorf("%s:%d: got %q at line %d, want %q at line %d", file, line, full, res.Error.Line, want, wantLine)
		}
	}
}

func TestSpecPatterns(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		vars    map[string]any
		check   func(t *testing.T, result json.RawMessage)
	}{
		"search": {`
from src.code_api.search import HybridSearchAPI

search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="BMCIS overview",
    top_k=5
)

__result__ = results
`, nil, func(t *testing.T, result json.RawMessage) {
			var hits []map[string]any
			mustDecode(t, result, &hits)
			if len(hits) == 0 || hits[0]["title"] != "BMCIS overview" || hits[0]["document_id"] != "doc-3" {
				t.Errorf("hits %v", hits)
			}
		}},
		"search, rerank, format": {`
from src.code_api.search import HybridSearchAPI
from src.code_api.reranking import RerankerAPI
from src.code_api.results import ResultProcessor

# Step 1: Get search results
search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="advanced BMCIS features",
    top_k=20  # Get more for reranking
)

# Step 2: Rerank results
reranker = RerankerAPI()
reranked = await reranker.rerank(
    query="advanced BMCIS features",
    documents=[r.to_dict() for r in results],
    top_k=5
)

# Step 3: Format for agent
processor = ResultProcessor()
summary = processor.summarize(reranked, max_content_length=150)

__result__ = processor.format_for_agent(summary)
`, nil, func(t *testing.T, result json.RawMessage) {
			var text string
			mustDecode(t, result, &text)
			if !strings.HasPrefix(text, "1. Advanced features\n   Score: 1.00\n   Advanced BMCIS features") {
				t.Errorf("text %s", text)
			}
		}},
		"conditional": {`
from src.code_api.search import HybridSearchAPI
from src.code_api.filtering import FilterAPI

search_api = HybridSearchAPI()
filter_api = FilterAPI()

# Route based on query complexity
if len(query.split()) > 10:
    # Complex query: use vector search
    results = await search_api.vector_search(query, top_k=10)
else:
    # Simple query: use hybrid
    results = await search_api.hybrid_search(query, top_k=10)

# Filter by domain
filtered = filter_api.filter_by_domain(
    results,
    domain="bmcis_architecture"
)

# Return compact summary
summaries = [
    {
        'id': r['id'],
        'title': r['title'],
        'score': r['score'],
        'relevance': 'high' if r['score'] > 0.8 else 'medium'
    }
    for r in filtered
]

__result__ = summaries
`, map[string]any{"query": "bmcis overview"}, func(t *testing.T, result json.RawMessage) {
			var rows []struct {
				ID, Title, Relevance string
				Score                float64
			}
			mustDecode(t, result, &rows)
			if len(rows) != 2 || rows[0].ID != "c3" || rows[0].Relevance != "high" || rows[1].Relevance != "medium" {
				t.Errorf("rows %+v", rows)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			res := runProgram(t, newFakeHost(), c.program, c.vars)
			if res.Error != nil {
				t.Fatalf("%+v", res.Error)
			}
			c.check(t, res.Result)
		})
	}
}

func mustDecode(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

func TestGatherRunsCallsAtOnce(t *testing.T) {
	h := newFakeHost()
	h.delay = 30 * time.Millisecond
	start := time.Now()
	res := runProgram(t, h, `
import asyncio
from bmcis_knowledge import search
queries = ["raft", "paxos", "egg", "bmcis"]
lists = await asyncio.gather(*[search.hybrid_search(q, top_k=1) for q in queries])
__result__ = [hits[0].title for hits in lists]
`, nil)
	if res.Error != nil {
		t.Fatalf("%+v", res.Error)
	}
	if got := string(res.Result); got != `["Raft overview","Paxos","Cooking","BMCIS overview"]` {
		t.Errorf("got %s", got)
	}
	if h.mostFly != 4 {
		t.Errorf("%d calls at once after %v, want 4", h.mostFly, time.Since(start))
	}
}
