package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// fakeEngine answers from a list of hits, so that tests can see the requests and
// foresee the answers. Tests of the way through a real engine are in run_test.go.
type fakeEngine struct {
	mu       sync.Mutex
	requests []search.Request
	hits     []search.Hit
	degraded []search.Degradation
	err      error
	panics   bool
	lookups  int
	relevant func(text string) float64
}

func (f *fakeEngine) Search(_ context.Context, r search.Request) (*search.Results, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r)
	if f.panics {
		panic("index out of range")
	}
	if f.err != nil {
		return nil, f.err
	}
	n := min(r.Limit, len(f.hits))
	return &search.Results{Hits: f.hits[:n], Generation: 3, Degraded: f.degraded}, nil
}

func (f *fakeEngine) Rerank(ctx context.Context, _ string, texts []string) ([]float64, error) {
	out := make([]float64, len(texts))
	for i, t := range texts {
		out[i] = f.relevant(t)
	}
	for _, x := range out {
		if math.IsNaN(x) {
			<-ctx.Done()
			return out, ctx.Err()
		}
	}
	return out, nil
}

func (f *fakeEngine) Document(_ context.Context, _, id string) (*search.Document, error) {
	if id == "huge" {
		return &search.Document{ID: id, Text: strings.Repeat("ü\n", 4<<20)}, nil
	}
	for _, h := range f.hits {
		if h.DocumentID == id {
			return &search.Document{ID: id, Title: h.Title, Text: h.Text}, nil
		}
	}
	return nil, fmt.Errorf("document %q %w", id, search.ErrNotFound)
}

func (f *fakeEngine) Chunks(_ context.Context, _ string, ids []string) ([]search.Hit, error) {
	f.mu.Lock()
	f.lookups++
	f.mu.Unlock()
	var out []search.Hit
	for _, id := range ids {
		for _, h := range f.hits {
			if h.ChunkID == id {
				out = append(out, h)
			}
		}
	}
	return out, nil
}

func (f *fakeEngine) Similar(ctx context.Context, _ string, r search.Request) (*search.Results, error) {
	return f.Search(ctx, r)
}

func hits(n, length int) []search.Hit {
	out := make([]search.Hit, n)
	for i := range out {
		score := 1 / float64(i+1)
		text := strings.Repeat(fmt.Sprintf("Passage %d says \"something\" about rafts.\n", i), 1+length/40)
		out[i] = search.Hit{ChunkID: fmt.Sprintf("c%d", i), DocumentID: fmt.Sprintf("d%d", i), Title: fmt.Sprintf("Title <%d>", i),
			Source: "wiki", URI: "file:///x", Text: text, Headings: []string{"A", "B"}, Metadata: map[string]any{"domain": "db", "n": i},
			Score: score / 3, LexicalScore: &score, VectorScore: &score, LexicalRank: i + 1, VectorRank: i + 1, Updated: time.Unix(1.7e9, 5)}
	}
	return out
}

func call(t *testing.T, s *session, method string, args any, reply any) error {
	t.Helper()
	raw, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(b)
	}
	out, err := s.Call(t.Context(), method, json.RawMessage(raw))
	if err == nil && reply != nil {
		if err := json.Unmarshal(out, reply); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	return err
}

func TestHostileArgumentsAreRefused(t *testing.T) {
	long := strings.Repeat("x", codeapi.MaxQueryBytes+1)
	for _, c := range []struct{ method, args, want string }{
		{"engine.Close", `{}`, "no method"},
		{"search.hybrid.x", `{}`, "no method"},
		{"", `{}`, "no method"},
		{codeapi.MethodHybrid, ``, "arguments"},
		{codeapi.MethodHybrid, `null`, "query must not be empty"},
		{codeapi.MethodHybrid, `[]`, "arguments"},
		{codeapi.MethodHybrid, `{"query": 5}`, "arguments"},
		{codeapi.MethodHybrid, `{"query": "a", "quety": 1}`, "unknown field"},
		{codeapi.MethodHybrid, `{"query": "a"} {"query": "b"}`, "more than one value"},
		{codeapi.MethodHybrid, `{"query": " \n"}`, "query must not be empty"},
		{codeapi.MethodHybrid, `{"query": "` + long + `"}`, "query must be at most"},
		{codeapi.MethodHybrid, `{"query": "a\u0000b"}`, "without NUL"},
		{codeapi.MethodHybrid, `{"query": "a", "top_k": -1}`, "top_k must be 1..1000, got -1"},
		{codeapi.MethodHybrid, `{"query": "a", "top_k": 1001}`, "top_k must be 1..1000, got 1001"},
		{codeapi.MethodHybrid, `{"query": "a", "top_k": 1e99}`, "arguments"},
		{codeapi.MethodHybrid, `{"query": "a", "bm25_weight": -1}`, "0 or more"},
		{codeapi.MethodHybrid, `{"query": "a", "bm25_weight": 0, "vector_weight": 0}`, "at least one must count"},
		{codeapi.MethodHybrid, `{"query": "a", "fusion": "magic"}`, "fusion"},
		{codeapi.MethodHybrid, `{"query": "a", "min_score": 2}`, "min_score"},
		{codeapi.MethodHybrid, `{"query": "a", "diversity": -1}`, "diversity"},
		{codeapi.MethodHybrid, `{"query": "a", "filter": "year >= = 3"}`, "filters"},
		{codeapi.MethodHybrid, `{"query": "a", "filter": {"year": {"gt": []}}}`, "filters"},
		{codeapi.MethodHybrid, `{"query": "a", "filter": 7}`, "filters"},
		{codeapi.MethodHybrid, `{"query": "a", "filter": ` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, "arguments"},
		{codeapi.MethodHybrid, `{"query": "a", "filter": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, "filters"},
		{codeapi.MethodHybrid, `{"query": "a", "filter": "` + strings.Repeat("x", codeapi.MaxFilterBytes) + `"}`, "filters must be at most"},
		{codeapi.MethodHybrid, `{"query": "a", "boosts": [{"when": "a = 1", "factor": 100}]}`, "boosts[0]"},
		{codeapi.MethodHybrid, `{"query": "a", "boosts": [{"factor": 1.5}]}`, "boosts[0]"},
		{codeapi.MethodBatch, `{"queries": []}`, "queries must be 1..50"},
		{codeapi.MethodBatch, `{"queries": [` + strings.Repeat(`{"query":"a"},`, 50) + `{"query":"a"}]}`, "queries must be 1..50"},
		{codeapi.MethodTexts, `{"ids": []}`, "ids must be 1..1000"},
		{codeapi.MethodTexts, `{"ids": [""]}`, "empty id"},
		{codeapi.MethodRerank, `{"query": "a", "passages": []}`, "documents must be 1..200"},
		{codeapi.MethodRerank, `{"query": "a", "passages": [{}]}`, "either an id or a text"},
		{codeapi.MethodRerank, `{"query": "a", "passages": [{"id": "x", "text": "y"}]}`, "either an id or a text"},
		{codeapi.MethodRerank, `{"query": "", "passages": [{"text": "y"}]}`, "query must not be empty"},
		{codeapi.MethodSimilar, `{"id": ""}`, "id must not be empty"},
		{codeapi.MethodStats, `{"x": 1}`, "unknown field"},
		{codeapi.MethodTokens, `{"texts": "a"}`, "arguments"},
	} {
		engine := &fakeEngine{hits: hits(3, 10)}
		s := New(engine, Config{}).newSession(t.Context(), 0)
		err := call(t, s, c.method, c.args, nil)
		var e *sandbox.Error
		if !errors.As(err, &e) || e.Kind != sandbox.KindValidation || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s %.80s: got %v, want a validation error with %q", c.method, c.args, err, c.want)
		}
		if len(engine.requests) > 0 {
			t.Errorf("%s %.80s reached the engine", c.method, c.args)
		}
	}
	s := New(&fakeEngine{}, Config{}).newSession(t.Context(), 0)
	if err := call(t, s, codeapi.MethodTokens, `{"texts": ["`+strings.Repeat("x", codeapi.MaxRequestBytes)+`"]}`, nil); err == nil {
		t.Error("arguments beyond the limit were taken")
	}
}

func TestRequestsReachTheEngineAsMeant(t *testing.T) {
	yes, no := true, false
	w := func(x float64) *float64 { return &x }
	for name, c := range map[string]struct {
		method string
		args   codeapi.SearchArgs
		check  func(search.Request) bool
	}{
		"defaults": {codeapi.MethodHybrid, codeapi.SearchArgs{}, func(r search.Request) bool {
			return r.Limit == 10 && r.Collection == "docs" && r.Mode == search.ModeAuto
		}},
		"both weights": {codeapi.MethodHybrid, codeapi.SearchArgs{BM25Weight: w(0.4), VectorWeight: w(0.6)}, func(r search.Request) bool {
			return r.Mode == search.ModeHybrid && r.Weights == search.Weights{Lexical: 0.4, Vector: 0.6}
		}},
		"one weight":     {codeapi.MethodHybrid, codeapi.SearchArgs{VectorWeight: w(0.75)}, func(r search.Request) bool { return r.Weights == search.Weights{Lexical: 0.25, Vector: 0.75} }},
		"a large weight": {codeapi.MethodHybrid, codeapi.SearchArgs{BM25Weight: w(3)}, func(r search.Request) bool { return r.Weights == search.Weights{Lexical: 3} }},
		"rerank on": {codeapi.MethodHybrid, codeapi.SearchArgs{Rerank: &yes}, func(r search.Request) bool {
			return r.Rerank.Policy == search.RerankOn && r.Rerank.Budget > time.Second
		}},
		"rerank off": {codeapi.MethodHybrid, codeapi.SearchArgs{Rerank: &no}, func(r search.Request) bool { return r.Rerank.Policy == search.RerankOff }},
		"lexical": {codeapi.MethodLexical, codeapi.SearchArgs{BM25Weight: w(3), Rerank: &yes}, func(r search.Request) bool {
			return r.Mode == search.ModeLexical && r.Weights == search.Weights{} && r.Rerank.Policy == search.RerankOff
		}},
		"vector":       {codeapi.MethodVector, codeapi.SearchArgs{}, func(r search.Request) bool { return r.Mode == search.ModeVector }},
		"filter":       {codeapi.MethodHybrid, codeapi.SearchArgs{Filter: json.RawMessage(`{"domain": "db"}`)}, func(r search.Request) bool { return r.Filter != nil && r.Filter.String() == `domain = "db"` }},
		"text filter":  {codeapi.MethodHybrid, codeapi.SearchArgs{Filter: json.RawMessage(`"domain = \"db\""`)}, func(r search.Request) bool { return r.Filter != nil && r.Filter.String() == `domain = "db"` }},
		"empty filter": {codeapi.MethodHybrid, codeapi.SearchArgs{Filter: json.RawMessage(`" "`)}, func(r search.Request) bool { return r.Filter == nil }},
		"collection":   {codeapi.MethodHybrid, codeapi.SearchArgs{Collection: "other"}, func(r search.Request) bool { return r.Collection == "other" }},
	} {
		t.Run(name, func(t *testing.T) {
			engine := &fakeEngine{}
			c.args.Query = "raft"
			if err := call(t, New(engine, Config{Collection: "docs"}).newSession(t.Context(), 0), c.method, c.args, nil); err != nil {
				t.Fatal(err)
			}
			if !c.check(engine.requests[0]) {
				t.Errorf("request %+v", engine.requests[0])
			}
		})
	}
}

func TestRepliesLeaveTheTextsBehind(t *testing.T) {
	engine := &fakeEngine{hits: hits(3, 1000), degraded: []search.Degradation{{Stage: "vector", Reason: "no model"}}}
	s := New(engine, Config{}).newSession(t.Context(), 0)
	var reply codeapi.SearchReply
	if err := call(t, s, codeapi.MethodHybrid, codeapi.SearchArgs{Query: "q"}, &reply); err != nil {
		t.Fatal(err)
	}
	h := reply.Hits[0]
	if len(reply.Hits) != 3 || h.Whole || len([]rune(h.Content)) != codeapi.ContentRunes || h.Score != 0.333333 || h.Updated != "2023-11-14T22:13:20Z" {
		t.Errorf("hit %+v", h)
	}
	if len(reply.Degraded) != 1 || s.degradations()[0] != "vector: no model" {
		t.Errorf("degraded %v, %v", reply.Degraded, s.degradations())
	}
	var texts codeapi.TextsReply
	if err := call(t, s, codeapi.MethodTexts, codeapi.TextsArgs{IDs: []string{"c1", "c9", "c0"}}, &texts); err != nil {
		t.Fatal(err)
	}
	if texts.Texts["c1"] != engine.hits[1].Text || texts.Missing[0] != "c9" || len(texts.Texts) != 2 {
		t.Errorf("texts %v missing %v", len(texts.Texts), texts.Missing)
	}
	if engine.lookups != 1 {
		t.Errorf("%d look-ups, want one, for the id that this run has not seen", engine.lookups)
	}
}

func TestTextsBeyondOneReplyComeInSeveral(t *testing.T) {
	engine := &fakeEngine{hits: hits(12, 900_000)}
	s := New(engine, Config{CacheBytes: 1 << 20}).newSession(t.Context(), 0)
	want := map[string]bool{}
	for _, h := range engine.hits {
		want[h.ChunkID] = true
	}
	for round := 0; len(want) > 0; round++ {
		if round == 12 {
			t.Fatal("no progress")
		}
		var ids []string
		for id := range want {
			ids = append(ids, id)
		}
		var reply codeapi.TextsReply
		if err := call(t, s, codeapi.MethodTexts, codeapi.TextsArgs{IDs: ids}, &reply); err != nil {
			t.Fatal(err)
		}
		if len(reply.Texts) == 0 {
			t.Fatal("an empty answer")
		}
		for id := range reply.Texts {
			delete(want, id)
		}
	}
}

func TestRerank(t *testing.T) {
	engine := &fakeEngine{hits: hits(4, 100), relevant: func(text string) float64 { return float64(len(text)%7) / 10 }}
	s := New(engine, Config{}).newSession(t.Context(), 0)
	var reply codeapi.RerankReply
	args := codeapi.RerankArgs{Query: "q", Passages: []codeapi.RerankItem{{ID: "c0"}, {Text: "hello"}, {ID: "gone"}, {ID: "c2"}}}
	if err := call(t, s, codeapi.MethodRerank, args, &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Weight != 0.3 || len(reply.Scores) != 4 || *reply.Scores[1] != 0.5 || reply.Scores[2] != nil ||
		*reply.Scores[0] != engine.relevant(engine.hits[0].Text) || len(reply.Degraded) != 1 {
		t.Errorf("reply %+v", reply)
	}

	engine.relevant = func(text string) float64 {
		if strings.Contains(text, "2") {
			return math.NaN()
		}
		return 0.5
	}
	s = New(engine, Config{}).newSession(t.Context(), 50*time.Millisecond)
	reply = codeapi.RerankReply{}
	args = codeapi.RerankArgs{Query: "q", Passages: []codeapi.RerankItem{{ID: "c0"}, {ID: "c2"}}}
	if err := call(t, s, codeapi.MethodRerank, args, &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Scores[0] == nil || reply.Scores[1] != nil || !strings.Contains(reply.Degraded[0], "1 of 2 documents were scored in time") {
		t.Errorf("reply %+v", reply)
	}
}

func TestDocuments(t *testing.T) {
	s := New(&fakeEngine{hits: hits(1, 10)}, Config{}).newSession(t.Context(), 0)
	out, err := s.Call(t.Context(), codeapi.MethodDocument, json.RawMessage(`{"id": "nobody"}`))
	if err != nil || string(out) != "null" {
		t.Errorf("a document that does not exist: %s, %v", out, err)
	}
	var d codeapi.Document
	if err := call(t, s, codeapi.MethodDocument, codeapi.DocumentArgs{ID: "huge"}, &d); err != nil {
		t.Fatal(err)
	}
	if !d.Truncated || len(d.Text) < 1<<20 {
		t.Errorf("truncated %v, %d bytes", d.Truncated, len(d.Text))
	}
}

func TestFailuresOfTheEngine(t *testing.T) {
	for name, c := range map[string]struct {
		engine *fakeEngine
		kind   sandbox.Kind
	}{
		"panic":         {&fakeEngine{panics: true}, sandbox.KindHost},
		"database gone": {&fakeEngine{err: errors.New("connection refused")}, sandbox.KindHost},
		"too slow":      {&fakeEngine{err: fmt.Errorf("search: %w", context.DeadlineExceeded)}, sandbox.KindTimeout},
		"bad request":   {&fakeEngine{err: fmt.Errorf("%w: no", search.ErrInvalidRequest)}, sandbox.KindValidation},
		"no collection": {&fakeEngine{err: fmt.Errorf("collection %w", search.ErrNotFound)}, sandbox.KindValidation},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(c.engine, Config{}).newSession(t.Context(), 0)
			var e *sandbox.Error
			if err := call(t, s, codeapi.MethodHybrid, codeapi.SearchArgs{Query: "q"}, nil); !errors.As(err, &e) || e.Kind != c.kind {
				t.Errorf("got %v, want kind %s", err, c.kind)
			}
		})
	}
	engine := &fakeEngine{hits: hits(2, 10)}
	var reply codeapi.BatchReply
	s := New(engine, Config{}).newSession(t.Context(), 0)
	err := call(t, s, codeapi.MethodBatch, codeapi.BatchArgs{Queries: []codeapi.SearchArgs{{Query: "a"}, {Query: ""}, {Query: "b", TopK: 1}}}, &reply)
	if err != nil || len(reply.Replies[0].Hits) != 2 || reply.Replies[1].Error == nil || len(reply.Replies[2].Hits) != 1 {
		t.Errorf("batch %+v, %v", reply, err)
	}
}

// The ledger counts what direct tools would have printed: the tokens of each
// answer's print, whole texts included.
func TestLedgerCountsThePrint(t *testing.T) {
	engine := &fakeEngine{hits: hits(20, 700)}
	h := New(engine, Config{})
	s := h.newSession(t.Context(), 0)
	if err := call(t, s, codeapi.MethodHybrid, codeapi.SearchArgs{Query: "q", TopK: 20}, nil); err != nil {
		t.Fatal(err)
	}
	print := make([]render.Hit, 20)
	for i, x := range engine.hits {
		print[i] = renderHit(x)
	}
	want := render.CountTokens(string(render.Hits(print, render.Full)))
	got := s.ledger.soFar()
	if got.TokensTouched < want-20 || got.TokensTouched > want+20 || got.Hits != 20 || got.Calls[codeapi.MethodHybrid] != 1 {
		t.Errorf("ledger %+v, the print has %d tokens", got, want)
	}
	if err := call(t, s, codeapi.MethodTexts, codeapi.TextsArgs{IDs: []string{"c0"}}, nil); err != nil {
		t.Fatal(err)
	}
	if again := s.ledger.soFar(); again.TokensTouched != got.TokensTouched {
		t.Errorf("reading a text that was already printed changed the ledger from %d to %d", got.TokensTouched, again.TokensTouched)
	}
	final := s.ledger.final(`{"a": "raft leader"}`, "printed\n")
	if want := render.CountTokens(`{"a": "raft leader"}`) + render.CountTokens("printed\n"); final.TokensReturned != want {
		t.Errorf("returned %d, want %d", final.TokensReturned, want)
	}
}

func TestLedgerUnderConcurrency(t *testing.T) {
	h := New(&fakeEngine{hits: hits(10, 200)}, Config{})
	s := h.newSession(t.Context(), 0)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := s.Call(t.Context(), codeapi.MethodHybrid, json.RawMessage(`{"query": "q"}`)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	l := s.ledger.soFar()
	one := h.newSession(t.Context(), 0)
	if _, err := one.Call(t.Context(), codeapi.MethodHybrid, json.RawMessage(`{"query": "q"}`)); err != nil {
		t.Fatal(err)
	}
	if want := 20 * one.ledger.soFar().TokensTouched; l.TokensTouched != want || l.Hits != 200 {
		t.Errorf("ledger %+v, want %d tokens", l, want)
	}
}

func BenchmarkSearchCall(b *testing.B) {
	for _, warm := range []bool{true, false} {
		b.Run(fmt.Sprintf("100hits/warm=%v", warm), func(b *testing.B) {
			engine := &fakeEngine{hits: hits(100, 1200)}
			h := New(engine, Config{})
			render.CountTokens("load")
			var waited time.Duration
			for b.Loop() {
				if !warm {
					h = New(engine, Config{})
				}
				s := h.newSession(b.Context(), 0)
				if _, err := s.Call(context.Background(), codeapi.MethodHybrid, json.RawMessage(`{"query": "q", "top_k": 100}`)); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				s.ledger.soFar()
				waited += time.Since(start)
			}
			b.ReportMetric(float64(waited.Microseconds())/float64(b.N), "µs-wait/op")
		})
	}
}
