package lexical

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/filter"
)

// scoreAll scores every document of a segment that matches and is allowed, one list
// after the other: what scoreSegment must be equal to.
func (x *execution) scoreAll(seg int, allowed []uint64, top *top) (matches int64, exact bool) {
	s := x.view.segs[seg]
	lists := x.postingsOf(nil, seg)
	lens, inv := x.scoring.lens[seg].code, x.scoring.inv[seg]
	acc := make([]float64, s.meta.Docs)
	touched := make([]uint64, (s.meta.Docs+63)/64)
	for _, l := range lists {
		if l.List == nil {
			continue
		}
		x.stats.Postings += int64(len(l.Docs))
		for i, d := range l.Docs {
			acc[d] += gainOf(l.gain, l.wtf[l.Codes[i]]*inv[lens[d]])
			touched[d>>6] |= 1 << (d & 63)
		}
	}
	for w, set := range touched {
		if allowed != nil {
			set &= allowed[w]
		}
		for ; set != 0; set &= set - 1 {
			d := w<<6 + bits.TrailingZeros64(set)
			if acc[d] > 0 {
				matches++
				top.add(s.docs.Chunks[d], acc[d])
			}
		}
	}
	return matches, true
}

// exhaustive answers a query by scoreAll.
func (f *fixture) exhaustive(q Query) []Hit {
	f.t.Helper()
	q.Collection = f.c
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
	top := newTop(q.Limit)
	for i := range x.view.segs {
		allowed, any := x.allowed(i)
		if any {
			x.scoreAll(i, allowed, top)
		}
	}
	return top.sorted()
}

// TestPruningChangesNothing compares ids and scores bit by bit, on segments of many
// windows, with a tail, deletions, filters, required and excluded terms, field weights.
func TestPruningChangesNothing(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(5, 1))
	skipped := int64(0)
	for round := range 2 {
		docs := make([]Document, 15_000)
		for i := range docs {
			docs[i] = Document{Body: randomWords(r, 1+r.IntN(40)), Title: randomWords(r, r.IntN(3))}
			if r.IntN(200) == 0 { // uneven: some windows are much better
				docs[i].Body += " " + strings.Repeat(vocabulary[r.IntN(40)]+" ", r.IntN(20))
			}
		}
		f.add(docs...)
		if round < 1 {
			if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
				t.Fatal(err)
			}
		}
		var gone []int64
		for id := range f.docs {
			if r.IntN(30) == 0 {
				gone = append(gone, id)
			}
		}
		f.delete(gone...)
		for i := range 250 {
			q := Query{Text: randomWords(r, 1+r.IntN(12)), Limit: []int{1, 10, 10, 100}[r.IntN(4)]}
			switch i % 8 {
			case 1:
				q.Text += " +" + vocabulary[r.IntN(30)]
			case 2:
				q.Text += " -" + vocabulary[r.IntN(30)]
			case 3:
				q.Text += " title:" + vocabulary[r.IntN(10)]
			case 4:
				q.Text += " " + vocabulary[r.IntN(100)][:2] + "*"
			case 5:
				q.Text = vocabulary[r.IntN(100)] // one term: many equal scores
			}
			if i%10 == 9 { // the average drifts under what is cached
				f.add(randomDocument(r), Document{Body: randomWords(r, 300)})
			}
			f.c.Weights = []FieldWeights{{}, {}, {Title: 2.5, Body: 1.1}, {Body: 1}}[r.IntN(4)]
			got, want := f.search(q), f.exhaustive(q)
			if !slices.Equal(got.Hits, want) {
				t.Fatalf("%q (limit %d, weights %v):\n%v\nexhaustive:\n%v", q.Text, q.Limit, f.c.Weights, got.Hits, want)
			}
			skipped += got.Stats.WindowsSkipped
		}
	}
	if skipped == 0 {
		t.Fatal("no window was ever skipped: nothing was tested")
	}
}

// TestFiltersChangeNothing scores under sets of any density, from one document in five
// hundred to nearly all, and with all but equal documents.
func TestFiltersChangeNothing(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(5, 7))
	docs := make([]Document, 25_000)
	for i := range docs {
		docs[i] = Document{Body: randomWords(r, 1+r.IntN(30))}
		if i%3 == 0 {
			docs[i].Body = "many documents say exactly this " + vocabulary[i%7]
		}
	}
	f.add(docs...)
	for i := range 400 {
		q := Query{Collection: f.c, Text: randomWords(r, 2+r.IntN(8)), Limit: 1 + r.IntN(30)}
		if i%5 == 0 {
			q.Text = "documents exactly " + vocabulary[r.IntN(9)]
		}
		x, err := f.ix.prepare(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.load(t.Context()); err != nil {
			t.Fatal(err)
		}
		allowed := ones(len(docs))
		share := []float64{0.002, 0.01, 0.02, 0.1, 0.5, 0.99}[r.IntN(6)]
		for d := range docs {
			if r.Float64() > share {
				allowed[d>>6] &^= 1 << (d & 63)
			}
		}
		got, want := newTop(q.Limit), newTop(q.Limit)
		x.scoreSegment(0, allowed, got)
		x.scoreAll(0, allowed, want)
		if !slices.Equal(got.sorted(), want.sorted()) {
			t.Fatalf("%q (limit %d, share %v):\n%v\nexhaustive:\n%v", q.Text, q.Limit, share, got.heap, want.heap)
		}
	}
}

// TestTopTenWithEverythingAtOnce: a random corpus in several segments and a tail, with
// deletions and filters, against the formula over the texts (ids and scores) and against
// exhaustive scoring (bit by bit).
func TestTopTenWithEverythingAtOnce(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(5, 11))
	source := map[int64]string{}
	sources := []string{"half", "tenth", "hundredth", "rest"}
	add := func(n int) {
		docs := someDocuments(r, n)
		of := make([]string, n)
		for i := range docs {
			switch x := r.Float64(); {
			case x < 0.5:
				of[i] = sources[0]
			case x < 0.6:
				of[i] = sources[1]
			case x < 0.61:
				of[i] = sources[2]
			default:
				of[i] = sources[3]
			}
			docs[i].Path = of[i] // what store makes the source
		}
		f.store(docs...)
		for i, d := range docs {
			source[d.Chunk] = of[i]
		}
	}
	for _, n := range []int{1500, 1100, 900, 200, 60} {
		add(n)
		if n > 1000 { // sealed; what follows stays in the tail
			if _, err := f.ix.Maintain(t.Context(), f.c); err != nil {
				t.Fatal(err)
			}
		}
	}
	var gone []int64
	for id := range f.docs {
		if r.IntN(12) == 0 {
			gone = append(gone, id)
		}
	}
	f.delete(gone...)
	found := 0
	for i := range 120 {
		words := randomWords(r, 1+r.IntN(14))
		var keep func(int64) bool
		q := Query{Text: words, Limit: 10}
		if i%5 > 0 {
			s := sources[r.IntN(len(sources))]
			q.Filter, keep = filter.Eq("source", s), func(id int64) bool { return source[id] == s }
			if i%2 == 0 {
				q.Filter, keep = filter.Not(q.Filter), func(id int64) bool { return source[id] != s }
			}
		}
		got := f.search(q)
		if len(got.Degraded) > 0 {
			t.Fatalf("degraded: %q", got.Degraded)
		}
		sameHits(t, words, got.Hits, f.brute(words, 10, keep))
		if want := f.exhaustive(q); !slices.Equal(got.Hits, want) {
			t.Fatalf("%q, filter %v:\n%v\nexhaustive:\n%v", words, q.Filter, got.Hits, want)
		}
		found += len(got.Hits)
	}
	if v := f.ix.viewSlot(f.c.ID).Load(); len(v.segs) < 4 || found < 600 {
		t.Fatalf("%d segments, %d hits: too little was tested", len(v.segs), found)
	}
}
