package lexical

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	defaultLimit = 10
	maxLimit     = 100_000
)

// Search finds the best chunks. What part of the index cannot be read is named in
// Result.Degraded, and the rest answers.
func (ix *Index) Search(ctx context.Context, q Query) (*Result, error) {
	if q.Limit < 0 || q.Limit > maxLimit {
		return nil, fmt.Errorf("search: limit %d: must be 1..%d (0: %d)", q.Limit, maxLimit, defaultLimit)
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	var res *Result
	err := retry(ctx, func() (err error) {
		res, err = ix.search(ctx, &q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return res, nil
}

func (ix *Index) search(ctx context.Context, q *Query) (*Result, error) {
	x, err := ix.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := x.load(ctx); err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := x.filter(ctx, q.Filter); err != nil {
		return nil, err
	}
	x.stats.Load += time.Since(begun)
	begun = time.Now()
	top := newTop(q.Limit)
	exact := true
	var total int64
	for i := range x.view.segs {
		if x.read.bad[x.view.segs[i].segState] != nil {
			continue
		}
		allowed, any := x.allowed(i)
		if !any {
			continue
		}
		n, ex := x.scoreSegment(i, allowed, top)
		total += n
		exact = exact && ex
	}
	hits := top.sorted()
	x.stats.Score = time.Since(begun)
	res := x.result()
	res.Hits = hits
	res.Total, res.TotalExact = total, exact
	if !exact && q.Filter == nil && len(x.parsed.required) == 0 && len(x.parsed.excluded) == 0 && len(x.parsed.prefixes) == 0 {
		for _, t := range x.terms { // every document with the term matches
			res.Total = max(res.Total, t.df)
		}
	}
	return res, nil
}

// execution is one query on one view.
type execution struct {
	ix         *Index
	collection int64
	view       *view
	parsed     *parsed
	params     params
	scoring    *scoring
	read       reading
	stats      Stats

	names  []string          // all terms of the query, each once
	place  map[string]int    // names → index
	states [][]*termState    // [segment][name]
	merged [][]*mergedPrefix // [segment][prefix]
	terms  []scoredTerm      // in the order in which scores are added up
	kept   [][]uint64        // [segment], what the filter keeps; nil: everything
}

// scoredTerm is a term of the query with its statistics.
type scoredTerm struct {
	text  string
	name  int // in execution.names; -1: a prefix
	pre   int // in parsed.prefixes
	field int
	count int
	df    int64
	idf   float64 // without count
	gain  float64 // the largest score it can give: count · idf
}

// loaded gives the execution of a query, ready to score what it is asked to, to use. It may
// be called again, when a segment went away under it.
func (ix *Index) loaded(ctx context.Context, q Query, use func(*execution)) error {
	return retry(ctx, func() error {
		x, err := ix.prepare(ctx, &q)
		if err != nil {
			return err
		}
		if err := x.load(ctx); err != nil {
			return err
		}
		use(x)
		return nil
	})
}

// prepare parses the query and takes the view. What q has seen serves once: it is not
// looked at again when a segment of it has gone.
func (ix *Index) prepare(ctx context.Context, q *Query) (*execution, error) {
	c := q.Collection
	p, err := c.params()
	if err != nil {
		return nil, err
	}
	a, err := ix.analyzer(c.Language)
	if err != nil {
		return nil, err
	}
	x := &execution{ix: ix, collection: c.ID, params: p, parsed: parse(a, q.Text, q.Plain)}
	x.read = reading{ix: ix, db: ix.pool, stats: &x.stats}
	if q.Seen != nil && q.Seen.collection == c.ID {
		x.view, q.Seen = q.Seen.view, nil
		return x, nil
	}
	begun := time.Now()
	if x.view, err = ix.view(ctx, ix.pool, c.ID); err != nil {
		return nil, err
	}
	x.stats.View = time.Since(begun)
	return x, nil
}

// load reads the lists of all terms and computes their statistics.
func (x *execution) load(ctx context.Context) error {
	begun := time.Now()
	defer func() { x.stats.Load = time.Since(begun) }()
	x.place = make(map[string]int, len(x.parsed.scored))
	for _, t := range x.parsed.scored {
		x.name(t.text)
	}
	for _, cs := range [][]clause{x.parsed.required, x.parsed.excluded} {
		for _, c := range cs {
			for _, t := range c.terms {
				x.name(t)
			}
		}
	}
	var err error
	if x.states, err = x.read.load(ctx, x.view.segs, x.names); err != nil {
		return err
	}
	if err := x.expand(ctx); err != nil {
		return err
	}
	if err := x.phrasePositions(ctx); err != nil {
		return err
	}
	x.scoring = x.view.scoringFor(x.params)
	for _, t := range x.parsed.scored {
		x.terms = append(x.terms, scoredTerm{text: t.text, name: x.place[t.text], field: t.field, count: t.count})
	}
	for i, p := range x.parsed.prefixes {
		if !p.excluded {
			x.terms = append(x.terms, scoredTerm{text: p.text + "*", name: -1, pre: i, field: p.field, count: 1})
		}
	}
	for i := range x.terms {
		t := &x.terms[i]
		t.df = x.df(t)
		t.idf = idf(x.view.docs, t.df)
		t.gain = float64(t.count) * t.idf
	}
	// Scores are always added up in this order, by every way of scoring: sums of floats
	// depend on it, and equal scores must be equal.
	slices.SortStableFunc(x.terms, func(a, b scoredTerm) int {
		switch {
		case a.gain > b.gain:
			return -1
		case a.gain < b.gain:
			return 1
		}
		return strings.Compare(a.text, b.text)
	})
	return nil
}

func (x *execution) name(term string) {
	if _, ok := x.place[term]; !ok {
		x.place[term] = len(x.names)
		x.names = append(x.names, term)
	}
}

// idf is how much a term tells: Lucene's form, which is never negative.
func idf(docs, df int64) float64 {
	if df <= 0 {
		return 0
	}
	return math.Log(1 + (float64(docs-df)+0.5)/(float64(df)+0.5))
}

// gainOf is a term's part in the score of a document, given x = tf/norm. It is
// gain·tf/(tf+norm), written so that rounding keeps its order: a larger x never gives
// less, so a bound on x is a bound on the score. Everything that scores calls this.
func gainOf(gain, x float64) float64 { return gain - gain/(1+x) }

// df counts the documents that have the term, in all fields, without deleted ones.
func (x *execution) df(t *scoredTerm) int64 {
	if t.name < 0 {
		var n int64
		for i, s := range x.view.segs {
			if m := x.merged[i][t.pre]; m != nil {
				n += int64(len(m.list.Docs)) - countIn(m.list.Docs, s.deleted)
			}
		}
		return n
	}
	if len(x.read.bad) == 0 {
		if n, ok := x.view.dfs.Load(t.text); ok {
			return n.(int64)
		}
	}
	var n int64
	for i, s := range x.view.segs {
		if l := x.states[i][t.name].list; l != nil {
			n += int64(len(l.Docs)) - countIn(l.Docs, s.deleted)
		}
	}
	if len(x.read.bad) == 0 {
		x.view.dfs.Store(t.text, n)
	}
	return n
}

// countIn counts the few that are among the many, which ascend.
func countIn(many, few []uint32) (n int64) {
	for _, d := range few {
		if _, ok := slices.BinarySearch(many, d); ok {
			n++
		}
	}
	return n
}

// result is the answer without its hits.
func (x *execution) result() *Result {
	r := &Result{
		Documents: x.view.docs, Generation: x.view.generation, Stats: x.stats,
		Degraded: slices.Concat(x.parsed.notes, x.view.broken),
	}
	for _, d := range x.read.bad {
		r.Degraded = append(r.Degraded, d.Error())
	}
	for _, t := range x.terms {
		r.Terms = append(r.Terms, Term{Text: t.text, DF: t.df, IDF: t.idf})
		r.Bound += t.gain
	}
	for _, s := range x.view.segs {
		if s.level == 0 {
			r.Stats.TailSegments++
		} else {
			r.Stats.Segments++
		}
	}
	r.Stats.CacheBytes = x.ix.CacheBytes()
	return r
}
