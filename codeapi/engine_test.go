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

func programOf(source string) sandbox.Program { return sandbox.Program{Source: source} }

func limitsWith(resultBytes int) sandbox.Limits {
	l := sandbox.DefaultLimits()
	l.ResultBytes = int64(resultBytes)
	return l
}

// A call whose answer is awaited late, not awaited at all, or fails.
func TestFutures(t *testing.T) {
	for program, want := range map[string]string{
		"import asyncio\nt = asyncio.create_task(search.hybrid_search('raft', top_k=2))\nhits = await t\nresult = len(hits)":                                                                                                                         "2",
		"import asyncio\nhits = search.hybrid_search('raft', top_k=2)  # no await, but gather is in use\nasyncio.gather\nresult = [len(hits), hits[0].title, [h.id for h in hits], hits[:1][0].id, bool(hits)]":                                      `[2,"Raft overview",["c1","c6"],"c1",true]`,
		"import asyncio\na, b = await asyncio.gather(search.hybrid_search('raft', top_k=1), search.get_document('doc-2'))\nresult = [a[0].title, b['title']]":                                                                                        `["Raft overview","Paxos"]`,
		"import asyncio\nr = await asyncio.gather(search.get_document('nope'), search.hybrid_search('egg'), return_exceptions=True)\nresult = [type(r[0]).__name__, r[1][0].title]":                                                                  `["KeyError","Cooking"]`,
		"import asyncio\ntry:\n    await asyncio.gather(search.get_document('nope'))\nexcept KeyError as e:\n    result = 'caught'":                                                                                                                  `"caught"`,
		"import asyncio\nasync def main():\n    hits = await search.hybrid_search('raft', top_k=1)\n    return hits[0].title\nresult = asyncio.run(main())":                                                                                          `"Raft overview"`,
		"import asyncio\nasync def one(q):\n    return (await search.hybrid_search(q, top_k=1))[0].title\nasync def main():\n    return await asyncio.gather(*(one(q) for q in ['egg', 'raft']))\nresult = asyncio.run(main())":                      `["Cooking","Raft overview"]`,
		"import asyncio\ntasks = []\nfor q in ['egg', 'raft']:\n    tasks.append(asyncio.create_task(search.hybrid_search(q)))\nresult = [(await t)[0].title for t in tasks]":                                                                        `["Cooking","Raft overview"]`,
		"import asyncio\nhits = await asyncio.wait_for(search.hybrid_search('egg'), timeout=5)\nresult = hits[0].title":                                                                                                                              `"Cooking"`,
		"import asyncio\nhits = await search.hybrid_search('raft')\ntop = await reranker.rerank('raft', hits, top_k=1)\nawait asyncio.gather()\nresult = filter.filter_by_domain(await search.hybrid_search('raft'), 'consensus')[0].id + top[0].id": `"c1c1"`,
	} {
		if got := answer(t, program); got != want {
			t.Errorf("%s\n got  %s\n want %s", program, got, want)
		}
	}
}

// What a program may call is told in whatever way it gets hold of the function, and not
// what it cannot: a variable of the same name is no module.
func TestValidateTellsAllCalls(t *testing.T) {
	all := "search.batch search.document search.hybrid search.lexical search.similar search.vector"
	for source, want := range map[string]string{
		"fns = [search.hybrid_search, search.bm25_search]\nfor f in fns: f('q')":                            "search.hybrid search.lexical",
		"from search import hybrid_search as h\nlist(map(h, ['q']))":                                        "search.hybrid",
		"f = search.vector_search\nf('q')":                                                                  "search.vector",
		"def go(api): return api.vector_search('q')\ngo(search)":                                            all,
		"getattr(search, 'similar')('q')":                                                                   all,
		"class A:\n    def __init__(self):\n        self.api = HybridSearchAPI()\nA().api.bm25_search('q')": all,
		"apis = [HybridSearchAPI()]\napis[0].bm25_search('q')":                                              all,
		"api = HybridSearchAPI()\napi.bm25_search('q')":                                                     "search.lexical",
		"api = HybridSearchAPI()\nx = [api]\nx[0].bm25_search('q')":                                         all,
		"import bmcis_knowledge as bk\nbk.search.bm25_search('q')":                                          "search.lexical",
		"results = [1]\nlen(results)":                                                                       "",
		"x = search.bm25_search('q')[0].text":                                                               "results.texts search.lexical",
		"s = 'search.hybrid_search'":                                                                        "",
	} {
		h := newFakeHost()
		res := Engine(t.Context(), sandbox.Program{ValidateOnly: true, Source: source}, sandbox.DefaultLimits(), h)
		var rep report
		if err := json.Unmarshal(res.Report, &rep); err != nil || !rep.OK {
			t.Fatalf("%s: %v %s", source, err, res.Report)
		}
		if got := strings.Join(rep.HostCalls, " "); got != want || len(h.calls) > 0 {
			t.Errorf("%s\n may call %q, want %q", source, got, want)
		}
	}
	for source, want := range map[string]string{
		"search.hybrid_serch('q')":            "did you mean hybrid_search?",
		"HybridSearchAPI().hybrid_serch('q')": "did you mean hybrid_search?",
		"x = filter.filter_by_domian":         "did you mean filter_by_domain?",
	} {
		res := Engine(t.Context(), sandbox.Program{Source: source}, sandbox.DefaultLimits(), newFakeHost())
		if res.Error == nil || res.Error.Kind != sandbox.KindValidation || !strings.Contains(res.Error.Hint, want) {
			t.Errorf("%s: %+v, want %s", source, res.Error, want)
		}
	}
}

func TestValidateOnly(t *testing.T) {
	h := newFakeHost()
	res := Engine(t.Context(), sandbox.Program{ValidateOnly: true, Source: "import os\nfrom bmcis_knowledge.search import hybrid_search\nhybrid_search('a', limit=3)\nprint(undefined_name)\n"}, sandbox.DefaultLimits(), h)
	var rep report
	mustDecode(t, res.Report, &rep)
	if rep.OK || len(rep.Problems) != 3 || rep.Problems[0].Line != 1 || rep.Problems[1].Line != 3 || rep.Problems[2].Line != 4 {
		t.Errorf("report %+v", rep)
	}
	res = Engine(t.Context(), sandbox.Program{ValidateOnly: true, Source: "from search import HybridSearchAPI\nhits = HybridSearchAPI().hybrid_search('a')\nresults.pack(hits, 100)\nimport json\njson.dumps(1)\n"}, sandbox.DefaultLimits(), h)
	rep = report{}
	mustDecode(t, res.Report, &rep)
	if !rep.OK || strings.Join(rep.Calls, " ") != "results.pack search.hybrid_search" || strings.Join(rep.HostCalls, " ") != "results.texts results.tokens search.hybrid" {
		t.Errorf("report %+v", rep)
	}
	if len(h.calls) > 0 || h.output.Len() > 0 {
		t.Errorf("validation made calls %v and printed %q", h.calls, h.output.String())
	}
}

func TestHostErrorsBecomeExceptions(t *testing.T) {
	for kind, class := range map[sandbox.Kind]string{sandbox.KindValidation: "ValueError", sandbox.KindTimeout: "TimeoutError", sandbox.KindHost: "RuntimeError"} {
		h := newFakeHost()
		h.fail = map[string]*sandbox.Error{MethodHybrid: {Kind: kind, Message: "no luck"}}
		res := runProgram(t, h, "try:\n    search.hybrid_search('a')\nexcept "+class+" as e:\n    result = str(e)\n", nil)
		if res.Error != nil || string(res.Result) != `"no luck"` {
			t.Errorf("%s: %s %+v", kind, res.Result, res.Error)
		}
	}
	// A limit that was reached cannot be caught.
	h := newFakeHost()
	h.fail = map[string]*sandbox.Error{MethodHybrid: {Kind: sandbox.KindCalls, Message: "too many calls"}}
	res := runProgram(t, h, "try:\n    search.hybrid_search('a')\nexcept:\n    result = 'caught'\nfinally:\n    print('finally')\n", nil)
	if res.Error == nil || res.Error.Kind != sandbox.KindCalls || h.output.Len() > 0 {
		t.Errorf("%s %+v, printed %q", res.Result, res.Error, h.output.String())
	}
}

func TestStepsAreCounted(t *testing.T) {
	l := sandbox.DefaultLimits()
	l.MaxSteps = 50_000
	res := Engine(t.Context(), programOf("n = 0\nwhile True:\n    n += 1\n"), l, newFakeHost())
	if res.Error == nil || res.Error.Kind != sandbox.KindSteps || res.Steps < 40_000 || res.Steps > 60_000 {
		t.Errorf("%+v after %d steps", res.Error, res.Steps)
	}
}

func TestTextsAreFetchedOncePerList(t *testing.T) {
	h := newFakeHost()
	h.docs = append(h.docs[:1:1], h.docs[2]) // two long ones
	res := runProgram(t, h, "hits = search.hybrid_search('the leader architecture', top_k=10)\nresult = [len(h.text) for h in hits] + [len(h.text) for h in hits]\nsearch.hybrid_search('the leader')[0].text\n", nil)
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	n := 0
	for _, c := range h.calls {
		if strings.HasPrefix(c, MethodTexts) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d calls for texts, want one for the list: %v", n, h.calls)
	}
}

// BenchmarkTrivialProgram is the cost of everything around a program: modules,
// compiling, running. A child pays it once, contracts and all.
func BenchmarkTrivialProgram(b *testing.B) {
	for b.Loop() {
		Engine(b.Context(), programOf("1 + 1"), sandbox.DefaultLimits(), newFakeHost())
	}
}
