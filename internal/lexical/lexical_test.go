package lexical

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
)

// fixture is a collection in a fresh database, with a copy of what it should hold.
type fixture struct {
	t    testing.TB
	pool *pgxpool.Pool
	ix   *Index
	c    Collection
	docs map[int64]Document
	next int64
	// analysed remembers what brute computes of a document's text.
	analysed map[string]bruteStats
}

// bruteStats are a document's weighted frequencies and length.
type bruteStats struct {
	tf     map[string]float64
	length float64
}

func (f *fixture) analyse(d Document, p params) bruteStats {
	key := fmt.Sprint(d.Title, "\x00", d.Headings, "\x00", d.Body, "\x00", d.Path, p.weights)
	if s, ok := f.analysed[key]; ok {
		return s
	}
	a, err := text.New(f.c.Language)
	if err != nil {
		f.t.Fatal(err)
	}
	s := bruteStats{tf: map[string]float64{}}
	for field, tokens := range analyse(a, d) {
		for _, t := range tokens {
			s.tf[t.Term] += p.weights[field]
		}
		s.length += p.weights[field] * float64(len(tokens))
	}
	if f.analysed == nil {
		f.analysed = map[string]bruteStats{}
	}
	f.analysed[key] = s
	return s
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, pool: pgtest.New(t), docs: map[int64]Document{}, next: 1}
	f.ix = New(f.pool, Config{})
	f.c = Collection{Language: "english", K1: 1.2, B: 0.75}
	if err := f.pool.QueryRow(t.Context(), "insert into collections (name) values ('test') returning id").Scan(&f.c.ID); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) tx(do func(tx pgx.Tx) error) {
	f.t.Helper()
	if err := pgx.BeginFunc(f.t.Context(), f.pool, do); err != nil {
		f.t.Fatal(err)
	}
}

// add appends documents, giving those without a chunk the next number.
func (f *fixture) add(docs ...Document) {
	f.t.Helper()
	for i := range docs {
		if docs[i].Chunk == 0 {
			docs[i].Chunk = f.next
			f.next++
		}
		f.docs[docs[i].Chunk] = docs[i]
	}
	f.tx(func(tx pgx.Tx) error { return f.ix.Append(f.t.Context(), tx, f.c, docs) })
}

func (f *fixture) delete(chunks ...int64) {
	f.t.Helper()
	for _, c := range chunks {
		delete(f.docs, c)
	}
	f.tx(func(tx pgx.Tx) error { return f.ix.Delete(f.t.Context(), tx, f.c, chunks) })
}

func (f *fixture) search(q Query) *Result {
	f.t.Helper()
	q.Collection = f.c
	r, err := f.ix.Search(f.t.Context(), q)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// brute is BM25 as the formula says, over the copy: no index, no shared code but the
// analysis.
func (f *fixture) brute(query string, limit int, keep func(int64) bool) []Hit {
	a, err := text.New(f.c.Language)
	if err != nil {
		f.t.Fatal(err)
	}
	p, _ := f.c.params()
	all := map[int64]bruteStats{}
	df := map[string]int{}
	var sum float64
	for id, d := range f.docs {
		s := f.analyse(d, p)
		for t := range s.tf {
			df[t]++
		}
		sum += s.length
		all[id] = s
	}
	n := float64(len(f.docs))
	var hits []Hit
	for id, s := range all {
		var score float64
		for _, t := range a.Tokens(nil, query) {
			if tf := s.tf[t.Term]; tf > 0 {
				idf := math.Log(1 + (n-float64(df[t.Term])+0.5)/(float64(df[t.Term])+0.5))
				score += idf * tf / (tf + p.k1*(1-p.b+p.b*s.length/(sum/n)))
			}
		}
		if score > 0 && (keep == nil || keep(id)) {
			hits = append(hits, Hit{id, score})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		switch {
		case math.Abs(a.Score-b.Score) > 1e-9 && a.Score > b.Score:
			return -1
		case math.Abs(a.Score-b.Score) > 1e-9:
			return 1
		}
		return int(a.Chunk - b.Chunk)
	})
	return hits[:min(limit, len(hits))]
}

func (f *fixture) compare(query string, limit int) {
	f.t.Helper()
	got := f.search(Query{Text: query, Limit: limit}).Hits
	sameHits(f.t, query, got, f.brute(query, limit, nil))
}

func sameHits(t testing.TB, query string, got, want []Hit) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%q: %d hits, want %d\n%v\n%v", query, len(got), len(want), got, want)
	}
	for i := range got {
		if got[i].Chunk != want[i].Chunk || math.Abs(got[i].Score-want[i].Score) > 1e-9 {
			t.Fatalf("%q: hit %d is %v, want %v", query, i, got[i], want[i])
		}
	}
}

// vocabulary are words with a Zipf-like use.
var vocabulary = func() []string {
	r := rand.New(rand.NewPCG(9, 9))
	words := make([]string, 500)
	for i := range words {
		n := 3 + r.IntN(6)
		var b strings.Builder
		for range n {
			b.WriteByte("bcdfghklmnprtvz"[r.IntN(15)])
		}
		words[i] = b.String()
	}
	return words
}()

func randomWords(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		x := r.Float64()
		words[i] = vocabulary[int(x*x*x*float64(len(vocabulary)))]
	}
	return strings.Join(words, " ")
}

func randomDocument(r *rand.Rand) Document {
	d := Document{Title: randomWords(r, r.IntN(4)), Body: randomWords(r, r.IntN(60))}
	for range r.IntN(3) {
		d.Headings = append(d.Headings, randomWords(r, 1+r.IntN(3)))
	}
	if r.IntN(2) == 0 {
		d.Path = strings.ReplaceAll(randomWords(r, 3), " ", "/") + ".md"
	}
	return d
}

func TestSearchEqualsBruteForce(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(1, 1))
	check := func() {
		t.Helper()
		for range 12 {
			f.compare(randomWords(r, 1+r.IntN(6)), 1+r.IntN(20))
		}
	}
	for round := range 8 {
		docs := make([]Document, 1+r.IntN(400))
		for i := range docs {
			docs[i] = randomDocument(r)
		}
		f.add(docs...)
		var gone []int64
		for id := range f.docs {
			if r.IntN(10) == 0 {
				gone = append(gone, id)
			}
		}
		slices.Sort(gone)
		f.delete(gone...)
		if len(gone) > 2 { // some come back with another text
			d := randomDocument(r)
			d.Chunk = gone[0]
			f.add(d)
		}
		check()
		if round%3 == 1 {
			if _, err := f.ix.Maintain(t.Context(), f.c); err != nil {
				t.Fatal(err)
			}
			check()
		}
	}
	if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	check()
	f.c.Weights = FieldWeights{Title: 3, Headings: 2, Body: 1, Path: 0.5}
	check()
	f.c.K1, f.c.B = 0.9, 0.4
	check()
	res := f.search(Query{Text: vocabulary[0]})
	if res.Documents != int64(len(f.docs)) {
		t.Fatalf("%d documents, want %d", res.Documents, len(f.docs))
	}
	for _, s := range f.ix.viewSlot(f.c.ID).Load().segs {
		if s.deleted != nil {
			t.Fatalf("segment %d still has %d deleted documents", s.id, len(s.deleted))
		}
	}
	var tombs int
	if err := f.pool.QueryRow(t.Context(), "select count(*) from lex_tombs").Scan(&tombs); err != nil || tombs > 0 {
		t.Fatalf("%d tombs after optimizing, %v", tombs, err)
	}
}

func TestReadYourWrites(t *testing.T) {
	f := newFixture(t)
	f.add(Document{Body: "alpha"})
	f.tx(func(tx pgx.Tx) error {
		if err := f.ix.Append(t.Context(), tx, f.c, []Document{{Chunk: 99, Body: "beta"}}); err != nil {
			return err
		}
		if r := f.search(Query{Text: "beta"}); len(r.Hits) != 0 {
			t.Error("an uncommitted document was found")
		}
		return nil
	})
	if r := f.search(Query{Text: "beta"}); len(r.Hits) != 1 || r.Hits[0].Chunk != 99 {
		t.Fatalf("hits after the commit: %v", r.Hits)
	}
	f.delete(99)
	if r := f.search(Query{Text: "beta"}); len(r.Hits) != 0 {
		t.Fatalf("hits after the deletion: %v", r.Hits)
	}
}

// TestSeenIsSeenOn: a query on an earlier analysis sees what that saw, and what is
// committed now once the segments of then are gone.
func TestSeenIsSeenOn(t *testing.T) {
	f := newFixture(t)
	f.add(Document{Chunk: 1, Body: "alpha beta"})
	seen, err := f.ix.Analyze(t.Context(), f.c, "alpha")
	if err != nil {
		t.Fatal(err)
	}
	f.add(Document{Chunk: 2, Body: "alpha gamma"})
	if got := f.search(Query{Text: "alpha", Seen: seen}); len(got.Hits) != 1 || got.Documents != 1 {
		t.Errorf("as of then: %+v of %d", got.Hits, got.Documents)
	}
	if got := f.search(Query{Text: "alpha"}); len(got.Hits) != 2 {
		t.Errorf("as of now: %+v", got.Hits)
	}
	big := make([]Document, 3000) // more than one part: read piece by piece
	for i := range big {
		big[i] = Document{Chunk: int64(10 + i), Body: fmt.Sprintf("omega%d alpha word%d %s", i, i, strings.Repeat(fmt.Sprintf("filler%d ", i), 30))}
	}
	f.add(big...)
	if seen, err = f.ix.Analyze(t.Context(), f.c, "alpha"); err != nil {
		t.Fatal(err)
	}
	if _, err := New(f.pool, Config{}).Optimize(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	if got := f.search(Query{Text: "omega7", Seen: seen}); len(got.Hits) != 1 || len(got.Degraded) > 0 {
		t.Errorf("after a merge: %+v, degraded %q", got.Hits, got.Degraded)
	}
}

func TestQueryLanguage(t *testing.T) {
	f := newFixture(t)
	f.add(
		Document{Chunk: 1, Title: "Connection pools", Body: "The pool keeps a database connection open."},
		Document{Chunk: 2, Body: "A database pool is a pool of database handles.", Path: "docs/pool.md"},
		Document{Chunk: 3, Body: "Call getUserName or os.path.join; see CVE-2024-3094 and v1.2.3.", Headings: []string{"Names", "Paths"}},
		Document{Chunk: 4, Body: "東京都の天気"},
		Document{Chunk: 5, Body: "Connecting the connector; connected already."},
	)
	for query, want := range map[string][]int64{
		`pool`:                       {1, 2},
		`"database pool"`:            {2},
		`"pool database"`:            {},
		`+database connection`:       {1, 2},
		`+database +connection`:      {1},
		`pool -handles`:              {1},
		`pool -"database handles"`:   {1},
		`title:pool`:                 {1},
		`path:pool`:                  {2},
		`headings:paths`:             {3},
		`getusername`:                {3},
		`user`:                       {3},
		`os.path.join`:               {3},
		`"os path join"`:             {3},
		`CVE-2024-3094`:              {3},
		`1.2`:                        {3},
		`東京`:                         {4},
		`"天気"`:                       {4},
		`"京天"`:                       {},
		`connec*`:                    {1, 5},
		`conn* -title:pools`:         {5},
		`+conn* database`:            {1, 5},
		`"unclosed database`:         {},
		`"database pool`:             {2},
		``:                           {},
		`... !!! ""`:                 {},
		`the of`:                     {},
		"pool\x00":                   {1, 2},
		"pool \xff\xfe":              {1, 2},
		`-pool`:                      {},
		`title:`:                     {},
		`+ - * "" : +"" -"" title:*`: {},
	} {
		r := f.search(Query{Text: query})
		got := []int64{}
		for _, h := range r.Hits {
			got = append(got, h.Chunk)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v (terms %v, %v)", query, got, want, r.Terms, r.Degraded)
		}
	}
}

func TestScoreAndExplainAgreeWithSearch(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(4, 1))
	for range 3 {
		docs := make([]Document, 200)
		for i := range docs {
			docs[i] = randomDocument(r)
		}
		f.add(docs...)
	}
	query := randomWords(r, 4) + " " + vocabulary[3][:2] + "*"
	res := f.search(Query{Text: query, Limit: 50})
	var chunks []int64
	for _, h := range res.Hits {
		chunks = append(chunks, h.Chunk)
	}
	scores, err := f.ix.Score(t.Context(), Query{Collection: f.c, Text: query}, append(chunks, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range res.Hits {
		if scores[i] != h.Score {
			t.Fatalf("chunk %d: Score gives %v, Search %v", h.Chunk, scores[i], h.Score)
		}
		e, err := f.ix.Explain(t.Context(), Query{Collection: f.c, Text: query}, h.Chunk)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, term := range e.Terms {
			sum += term.Score
			tf := float64(term.Title + term.Headings + term.Body + term.Path)
			want := float64(term.Count) * term.IDF * tf / (tf + e.K1*(1-e.B+e.B*e.Length/e.Average))
			if math.Abs(want-term.Score) > 1e-9 {
				t.Fatalf("chunk %d, term %q: part %v, the formula gives %v", h.Chunk, term.Text, term.Score, want)
			}
		}
		if e.Score != h.Score || sum != h.Score {
			t.Fatalf("chunk %d: Explain gives %v (parts %v), Search %v", h.Chunk, e.Score, sum, h.Score)
		}
	}
	if scores[len(scores)-1] != 0 {
		t.Fatalf("a chunk that is not there scores %v", scores[len(scores)-1])
	}
}

var _ = context.Background
var _ = fmt.Sprint
var _ = segment.Title
