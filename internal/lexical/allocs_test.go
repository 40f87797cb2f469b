package lexical

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bmcis/bmcis/filter"
)

// scoring gives a function that scores a query on what is in memory: what a query does
// beside its one statement.
func (f *fixture) scoring(q Query) func() int64 {
	f.t.Helper()
	q.Collection = f.c
	q.Limit = 10
	for range 3 { // lists are prepared for rough scoring when they are used again
		f.search(q)
	}
	x, err := f.ix.prepare(f.t.Context(), &q)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := x.load(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	if err := x.filter(f.t.Context(), q.Filter); err != nil {
		f.t.Fatal(err)
	}
	return func() int64 {
		x.stats.Postings = 0
		top := newTop(q.Limit)
		for i := range x.view.segs {
			if allowed, any := x.allowed(i); any {
				x.scoreSegment(i, allowed, top)
			}
		}
		return x.stats.Postings
	}
}

func manyDocuments(f *fixture, n int) {
	f.t.Helper()
	r := rand.New(rand.NewPCG(6, 1))
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = Document{Body: randomWords(r, 20)}
	}
	f.add(docs...)
	if _, err := f.ix.Optimize(f.t.Context(), f.c); err != nil {
		f.t.Fatal(err)
	}
}

// TestScoringDoesNotAllocatePerPosting: a few allocations a query, whatever it scores.
func TestScoringDoesNotAllocatePerPosting(t *testing.T) {
	f := newFixture(t)
	manyDocuments(f, 30_000)
	few := filter.Lt("created", "2000-01-01")
	for name, q := range map[string]Query{
		"one frequent term": {Text: vocabulary[0]},
		"two terms":         {Text: vocabulary[0] + " " + vocabulary[200]},
		"many terms":        {Text: randomWords(rand.New(rand.NewPCG(1, 1)), 12)},
		"a filter":          {Text: vocabulary[0] + " " + vocabulary[1], Filter: filter.Not(few)},
	} {
		t.Run(name, func(t *testing.T) {
			score := f.scoring(q)
			postings := score()
			if q.Filter == nil && postings < 1000 {
				t.Fatalf("only %d postings were scored: nothing is tested", postings)
			}
			if allocs := testing.AllocsPerRun(20, func() { score() }); allocs > 8 {
				t.Errorf("%.0f allocations for %d postings", allocs, postings)
			}
		})
	}
}

// TestWarmQueriesTakeNoLock: the cache's lock is for what comes and goes. Here somebody
// else holds it all the time.
func TestWarmQueriesTakeNoLock(t *testing.T) {
	f := newFixture(t)
	manyDocuments(f, 3000)
	queries := []Query{
		{Text: vocabulary[0] + " " + vocabulary[3]}, {Text: `"` + vocabulary[0] + " " + vocabulary[1] + `"`}, {Text: vocabulary[5][:2] + "*"},
		{Text: vocabulary[0], Filter: filter.Exists("source")},
	}
	for range 3 {
		for _, q := range queries {
			f.search(q)
		}
	}
	f.ix.cache.mu.Lock()
	defer f.ix.cache.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		for _, q := range queries {
			q.Collection = f.c
			if _, err := f.ix.Search(t.Context(), q); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("a warm query waits for the cache's lock")
	}
}

// BenchmarkScoring: go test ./internal/lexical -bench Scoring -benchmem
func BenchmarkScoring(b *testing.B) {
	f := newFixture(b)
	manyDocuments(f, 30_000)
	for _, c := range []struct {
		name string
		q    Query
	}{
		{"1term", Query{Text: vocabulary[0]}},
		{"3terms", Query{Text: vocabulary[0] + " " + vocabulary[50] + " " + vocabulary[300]}},
		{"12terms", Query{Text: randomWords(rand.New(rand.NewPCG(1, 1)), 12)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			score := f.scoring(c.q)
			postings := score()
			b.ReportAllocs()
			for b.Loop() {
				score()
			}
			b.ReportMetric(float64(postings), "postings/op")
		})
	}
}
