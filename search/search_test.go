package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/search"
)

// TestMain skips the package, visibly, where there is no database: examples cannot
// skip themselves. In CI that is an error.
func TestMain(m *testing.M) {
	if os.Getenv("BMCIS_TEST_DATABASE_URL") == "" {
		fmt.Println("SKIP: BMCIS_TEST_DATABASE_URL is not set: run `make test`, which starts a database")
		if os.Getenv("CI") != "" {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// exampleDatabase is a database of the example's own, left empty by the run before.
func exampleDatabase(ctx context.Context) string {
	base := os.Getenv("BMCIS_TEST_DATABASE_URL")
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return base
	}
	defer conn.Close(ctx)
	_, _ = conn.Exec(ctx, "drop database if exists bmcis_example with (force)")
	_, _ = conn.Exec(ctx, "create database bmcis_example")
	return base + " dbname=bmcis_example"
}

// newEngine is an engine with the real models on a fresh database.
func newEngine(t *testing.T, cfg search.Config) *search.Engine {
	t.Helper()
	engine, err := search.New(pgtest.New(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// library is a small collection with one clear answer to each question below.
func library() notes {
	doc := func(id, title, text, domain string, year int) search.SourceDocument {
		return search.SourceDocument{ID: id, Title: title, Text: text, Source: domain,
			Metadata: map[string]any{"domain": domain, "year": year}}
	}
	return notes{
		doc("raft", "Raft", "A candidate that gathers the votes of a majority becomes leader. Leaders send heartbeats.", "consensus", 2014),
		doc("paxos", "Paxos", "Proposers and acceptors agree on one value although messages may be lost.", "consensus", 1998),
		doc("vacuum", "Vacuum", "Dead tuples are reclaimed by vacuum so that tables do not grow without end.", "database", 2001),
		doc("wal", "Write-ahead log", "Every change is written to the log before the page; error code XX7731 means a torn page.", "database", 2003),
		doc("bread", "Bread", "The dough rests for an hour before it goes into the oven.", "kitchen", 2020),
		doc("soup", "Soup", "Simmer the vegetables gently; salt at the end.", "kitchen", 2021),
	}
}

func index(t *testing.T, e *search.Engine, docs notes) search.IndexReport {
	t.Helper()
	report, err := e.Index(t.Context(), search.IndexOptions{}, docs)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Failed) > 0 {
		t.Fatalf("failed documents: %v", report.Failed)
	}
	return report
}

func find(t *testing.T, e *search.Engine, r search.Request) *search.Results {
	t.Helper()
	results, err := e.Search(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func ids(r *search.Results) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.DocumentID)
	}
	return out
}

func TestEachModeFindsTheRightDocument(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	for _, c := range []struct {
		query string
		mode  search.Mode
		want  string
	}{
		{"vacuum dead tuples", search.ModeLexical, "vacuum"},
		{"how to make a loaf", search.ModeVector, "bread"},
		{"who becomes leader by majority votes?", search.ModeHybrid, "raft"},
		{"XX7731", search.ModeAuto, "wal"},
		{`"log before the page"`, search.ModeAuto, "wal"},
	} {
		t.Run(string(c.mode)+" "+c.query, func(t *testing.T) {
			r := find(t, e, search.Request{Query: c.query, Mode: c.mode, Limit: 3})
			if len(r.Hits) == 0 || r.Hits[0].DocumentID != c.want {
				t.Fatalf("found %v, want %s first", ids(r), c.want)
			}
			if len(r.Degraded) > 0 {
				t.Errorf("degraded: %v", r.Degraded)
			}
			if c.mode == search.ModeHybrid && (r.Hits[0].LexicalScore == nil || r.Hits[0].VectorScore == nil) {
				t.Error("a hybrid hit must carry the scores of both legs")
			}
			for _, h := range r.Hits {
				if h.Score < 0 || h.Score > 1 {
					t.Errorf("score %v of %s is outside 0..1", h.Score, h.DocumentID)
				}
			}
		})
	}
}

func TestWhatWasCommittedIsFoundByTheNextQuery(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	index(t, e, notes{{ID: "new", Title: "Zymurgy", Text: "Fermentation of quasibrew in casks."}})
	if got := ids(find(t, e, search.Request{Query: "quasibrew"})); len(got) == 0 || got[0] != "new" {
		t.Fatalf("found %v, want the document that was just committed", got)
	}
	if missing, err := e.DeleteDocuments(t.Context(), "default", []string{"new", "never"}); err != nil || !slices.Equal(missing, []string{"never"}) {
		t.Fatalf("delete: missing %v, error %v", missing, err)
	}
	if got := ids(find(t, e, search.Request{Query: "quasibrew", Mode: search.ModeLexical})); len(got) != 0 {
		t.Fatalf("found %v, which was deleted", got)
	}
}

func TestFilterHoldsForBothLegs(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	where, err := filter.Parse(`domain = "kitchen" and year >= 2021`)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []search.Mode{search.ModeLexical, search.ModeVector, search.ModeHybrid} {
		r := find(t, e, search.Request{Query: "dough vegetables leader", Mode: mode, Filter: where})
		if got := ids(r); !slices.Equal(got, []string{"soup"}) {
			t.Errorf("%s: found %v, want only soup", mode, got)
		}
	}
}

func TestConstraintsHoldForTheWholeAnswer(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	for query, want := range map[string][]string{
		`"log before the page"`:     {"wal"},
		`dough -oven`:               nil, // the only note with dough speaks of the oven
		`+heartbeats leader`:        {"raft"},
		`title:bread oven dough`:    {"bread"},
		`"page before the log" log`: nil,
	} {
		if got := ids(find(t, e, search.Request{Query: query, Mode: search.ModeHybrid})); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", query, got, want)
		}
	}
	unheeded := func(r *search.Results) bool {
		return slices.ContainsFunc(r.Degraded, func(d search.Degradation) bool { return strings.Contains(d.Reason, "not heeded") })
	}
	for _, mode := range []search.Mode{search.ModeVector, search.ModeHybrid} {
		if got, want := unheeded(find(t, e, search.Request{Query: `dough -oven`, Mode: mode})), mode == search.ModeVector; got != want {
			t.Errorf("%s: told that the constraint was not heeded: %v, want %v", mode, got, want)
		}
	}
	if unheeded(find(t, e, search.Request{Query: `dough -oven`, Plain: true, Mode: search.ModeVector})) {
		t.Error("a plain text has no constraint")
	}
	plain := find(t, e, search.Request{Query: `"page before the log" -oven title:x`, Plain: true, Mode: search.ModeLexical})
	if got := ids(plain); !slices.Contains(got, "wal") || !slices.Contains(got, "bread") {
		t.Errorf("as plain text the operators must mean nothing; found %v", got)
	}
}

func TestPagesNeitherRepeatNorLose(t *testing.T) {
	e := newEngine(t, search.Config{})
	var docs notes
	for i := range 25 {
		docs = append(docs, search.SourceDocument{ID: fmt.Sprintf("d%02d", i), Text: fmt.Sprintf("note %d about turbines and rotor number %d", i, i*i)})
	}
	index(t, e, docs)
	all := ids(find(t, e, search.Request{Query: "rotor turbines", Limit: 25}))
	var paged []string
	req := search.Request{Query: "rotor turbines", Limit: 10}
	for range 5 {
		r := find(t, e, req)
		paged = append(paged, ids(r)...)
		if req.Cursor = r.Cursor; req.Cursor == "" {
			break
		}
	}
	if !slices.Equal(paged, all) {
		t.Errorf("pages gave\n%v, one page gives\n%v", paged, all)
	}
	req.Cursor, req.Query = find(t, e, search.Request{Query: "rotor turbines", Limit: 10}).Cursor, "another"
	if _, err := e.Search(t.Context(), req); !search.IsInvalidRequest(err) {
		t.Errorf("a cursor of another request: error %v, want it refused", err)
	}
}

func TestStreamHandsOverWhatSearchFinds(t *testing.T) {
	e := newEngine(t, search.Config{})
	var docs notes
	for i := range 150 {
		docs = append(docs, search.SourceDocument{ID: fmt.Sprintf("d%03d", i), Text: fmt.Sprintf("note %d about turbines and rotor number %d", i, i*i)})
	}
	index(t, e, docs)
	req := search.Request{Query: "rotor turbines", Limit: 150, Window: 200, Rerank: search.RerankOptions{Policy: search.RerankOff}}
	want := ids(find(t, e, req))
	var got []string
	for hit, err := range e.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, hit.DocumentID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("streamed\n%v, searched\n%v", got, want)
	}
	for _, err := range e.Stream(t.Context(), search.Request{Query: "x", Collection: "none"}) {
		if !errors.Is(err, search.ErrNotFound) {
			t.Errorf("error %v", err)
		}
	}
}

func TestBoostsGroupsAndVariety(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	plain := find(t, e, search.Request{Query: "messages votes leader value", Mode: search.ModeHybrid, Limit: 2})
	second := plain.Hits[1]
	boosted := find(t, e, search.Request{Query: "messages votes leader value", Mode: search.ModeHybrid, Limit: 2,
		Boosts: []search.Boost{{When: filter.Eq("id", second.DocumentID), Factor: 2}}})
	if boosted.Hits[0].DocumentID != second.DocumentID {
		t.Errorf("a boost of 2 left %s below %s", second.DocumentID, boosted.Hits[0].DocumentID)
	}
	recent := find(t, e, search.Request{Query: "leader", Boosts: []search.Boost{{HalfLife: time.Hour}}})
	if len(recent.Hits) == 0 {
		t.Error("a recency boost lost the hits")
	}
	grouped := find(t, e, search.Request{Query: "leader value dough vegetables", GroupBy: "domain"})
	seen := map[any]bool{}
	for _, h := range grouped.Hits {
		if seen[h.Metadata["domain"]] {
			t.Errorf("domain %v appears twice in %v", h.Metadata["domain"], ids(grouped))
		}
		seen[h.Metadata["domain"]] = true
	}
	if varied := find(t, e, search.Request{Query: "leader", Diversity: 0.5}); len(varied.Hits) == 0 {
		t.Error("diversity lost the hits")
	}
}

func TestRerankIsBlendedAndShown(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	r := find(t, e, search.Request{Query: "who becomes the leader?", Rerank: search.RerankOptions{Policy: search.RerankOn}})
	if !r.Plan.Rerank || r.Stats.Reranked == 0 || r.Hits[0].RerankScore == nil {
		t.Fatalf("reranked %d, plan %+v", r.Stats.Reranked, r.Plan)
	}
	if r.Hits[0].DocumentID != "raft" {
		t.Errorf("found %v, want raft first", ids(r))
	}
	if !slices.IsSortedFunc(r.Hits, func(a, b search.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	}) {
		t.Error("hits are not in the order of their scores")
	}
}

func TestAFailedPartIsNamedAndTheRestAnswers(t *testing.T) {
	pool := pgtest.New(t)
	good, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close()
	index(t, good, library())
	broken, err := search.New(pool, search.Config{EmbeddingModelDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	r := find(t, broken, search.Request{Query: "who becomes the leader?", Mode: search.ModeHybrid})
	if len(r.Hits) == 0 || len(r.Degraded) == 0 || r.Degraded[0].Stage != "vector" {
		t.Fatalf("hits %v, degraded %v; want BM25's hits and the vector leg named", ids(r), r.Degraded)
	}
	if _, err := broken.Search(t.Context(), search.Request{Query: "leader", Mode: search.ModeVector}); err == nil {
		t.Error("with no leg left the search must fail")
	}
	slow := search.Request{Query: "who becomes the leader?", Rerank: search.RerankOptions{Policy: search.RerankOn, Budget: time.Nanosecond}}
	r = find(t, good, slow)
	if len(r.Hits) == 0 || !slices.ContainsFunc(r.Degraded, func(d search.Degradation) bool { return d.Stage == "rerank" }) {
		t.Errorf("out of time: hits %v, degraded %v", ids(r), r.Degraded)
	}
}

func TestCollectionsTellWhichVectorsAreMissing(t *testing.T) {
	pool := pgtest.New(t)
	e, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	stale := func(want int64) {
		t.Helper()
		list, err := e.Collections(t.Context())
		if err != nil || len(list) != 1 || list[0].StaleEmbeddings != want {
			t.Errorf("%+v, %v; want %d stale", list, err, want)
		}
	}
	if _, err := e.Index(t.Context(), search.IndexOptions{LexicalOnly: true}, library()); err != nil {
		t.Fatal(err)
	}
	stale(6)
	index(t, e, library())
	stale(0)
	if _, err := pool.Exec(t.Context(), `update embedding_spaces set runtime = 'older'`); err != nil {
		t.Fatal(err)
	}
	stale(6)
	if report := index(t, e, library()); report.Reembedded != 6 {
		t.Errorf("%d chunks embedded anew", report.Reembedded)
	}
	stale(0)
}

func TestQueriesWithoutAWord(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, append(library(), search.SourceDocument{ID: "signs", Title: "Signs", Text: "Logic writes ∧ for and, ∨ for or, ⇒ for implies."}))
	said := func(r *search.Results, stage, what string) bool {
		return slices.ContainsFunc(r.Degraded, func(d search.Degradation) bool { return d.Stage == stage && strings.Contains(d.Reason, what) })
	}
	for _, c := range []struct {
		query    string
		mode     search.Mode
		hits     bool
		mode2    search.Mode
		degraded string
	}{
		{"⇒ ∧", search.ModeAuto, true, search.ModeVector, ""},
		{"⇒ ∧", search.ModeHybrid, true, search.ModeHybrid, "no word to look up"},
		{"⇒ ∧", search.ModeLexical, false, search.ModeLexical, "no word to look up"},
		// The model's vocabulary has no emoji: their vectors would be one and the same.
		{"🔥🐘", search.ModeAuto, false, search.ModeVector, "knows no character of the query"},
		{"🔥🐘", search.ModeHybrid, false, search.ModeHybrid, "knows no character of the query"},
		{"🔥🐘", search.ModeVector, false, search.ModeVector, "knows no character of the query"},
		{"🔥 oven", search.ModeAuto, true, search.ModeHybrid, ""},
	} {
		r := find(t, e, search.Request{Query: c.query, Mode: c.mode})
		if (len(r.Hits) > 0) != c.hits || r.Plan.Mode != c.mode2 ||
			c.degraded == "" && len(r.Degraded) > 0 || c.degraded != "" && !said(r, "lexical", c.degraded) && !said(r, "vector", c.degraded) {
			t.Errorf("%s %s: hits %q, mode %s, degraded %v", c.query, c.mode, ids(r), r.Plan.Mode, r.Degraded)
		}
	}
	if got := ids(find(t, e, search.Request{Query: "⇒ ∧"})); got[0] != "signs" {
		t.Errorf("found %q", got)
	}
}

func TestBadRequestsNameTheFieldAndTheRemedy(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	for _, c := range []struct {
		req  search.Request
		want string
	}{
		{search.Request{}, "query"},
		{search.Request{Query: " \t\n "}, "empty"},
		{search.Request{Query: " +\"\" ", Plain: true}, "empty"},
		{search.Request{Query: "a", Limit: -1}, "limit must be 1..1000, got -1"},
		{search.Request{Query: "a", Limit: 1001}, "1..1000"},
		{search.Request{Query: "a", Mode: "fuzzy"}, "none of auto, hybrid, lexical, vector"},
		{search.Request{Query: "a", Fusion: "rrff"}, "rrf"},
		{search.Request{Query: "a", Weights: search.Weights{Lexical: -1}}, "weight lexical"},
		{search.Request{Query: "a", MinScore: 2}, "min_score"},
		{search.Request{Query: "a", Diversity: -0.1}, "diversity"},
		{search.Request{Query: "a", Cursor: "zzz"}, "cursor"},
		{search.Request{Query: "a", Boosts: []search.Boost{{When: filter.Eq("a", 1), Factor: 9}}}, "0.5..2"},
		{search.Request{Query: "a", Rerank: search.RerankOptions{TopK: 999}}, "top_k"},
	} {
		_, err := e.Search(t.Context(), c.req)
		if !search.IsInvalidRequest(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one that says %q", c.req, err, c.want)
		}
	}
	if _, err := e.Search(t.Context(), search.Request{Query: "a", Collection: "defualt"}); !errors.Is(err, search.ErrNotFound) {
		t.Errorf("unknown collection: error %v", err)
	}
}

func TestDocumentsChunksAndSimilar(t *testing.T) {
	e := newEngine(t, search.Config{})
	index(t, e, library())
	d, err := e.Document(t.Context(), "", "raft")
	if err != nil || !strings.Contains(d.Text, "majority") {
		t.Fatalf("document: %+v, %v", d, err)
	}
	hit := find(t, e, search.Request{Query: "raft leader"}).Hits[0]
	chunks, err := e.Chunks(t.Context(), "", []string{"none", hit.ChunkID})
	if err != nil || len(chunks) != 1 || chunks[0].Text != hit.Text {
		t.Fatalf("chunks: %+v, %v", chunks, err)
	}
	near, err := e.Similar(t.Context(), "raft", search.Request{Limit: 1})
	if err != nil || len(near.Hits) != 1 || near.Hits[0].DocumentID != "paxos" {
		t.Fatalf("similar: %v, %v; want paxos", near, err)
	}
	if _, err := e.Similar(t.Context(), "nobody", search.Request{}); !errors.Is(err, search.ErrNotFound) {
		t.Errorf("similar to nobody: error %v", err)
	}
}

// A long document's own chunks stand nearest to each of them; the page is full all the same.
func TestSimilarLooksPastItsOwnDocument(t *testing.T) {
	e := newEngine(t, search.Config{})
	var long strings.Builder
	for i := range 40 {
		fmt.Fprintf(&long, "# Election %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("A candidate in term %d gathers the votes of a majority and becomes leader. ", i), 30))
	}
	docs := append(library(), search.SourceDocument{ID: "elections", Title: "Elections", Text: long.String(), Format: "markdown"})
	index(t, e, docs)
	chunks, err := e.Similar(t.Context(), "elections", search.Request{Limit: 6})
	if err != nil {
		t.Fatal(err)
	}
	if len(chunks.Hits) != 6 || chunks.Hits[0].DocumentID != "raft" {
		t.Errorf("%d hits, the first %+v; want the six others, raft first", len(chunks.Hits), chunks.Hits)
	}
	for _, h := range chunks.Hits {
		if h.DocumentID == "elections" {
			t.Errorf("its own chunk %s", h.ChunkID)
		}
	}
}
