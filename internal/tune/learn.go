package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bmcis/bmcis/internal/eval"
	"github.com/bmcis/bmcis/internal/route"
)

const (
	// leastQueries is what two halves need for intervals to mean anything.
	leastQueries = 40
	folds        = 5
)

// Candidates are what both legs know of one query.
type Candidates struct {
	Class route.Class
	// Prior is the rules' weight of the lexical leg, Features what a route.Model sees.
	Prior    float64
	Features []float64
	List     []Candidate
}

// Candidate is a chunk with its leg scores, each scaled to 0..1 as linear fusion does.
type Candidate struct {
	Document        string
	Lexical, Vector float64
}

// Asker answers the queries that Learn asks.
type Asker interface {
	// Lexical is BM25 alone with these parameters, best first.
	Lexical(ctx context.Context, query string, p BM25) ([]eval.Ranked, error)
	// Candidates are both legs' windows with every score completed.
	Candidates(ctx context.Context, query string, p BM25) (Candidates, error)
}

// grid is what is tried for BM25: the values of the literature around the usual ones
// (Lucene's 1.2 and 0.75, Anserini's 0.9 and 0.4).
var (
	gridK1 = []float64{0.6, 0.9, 1.2, 1.6, 2}
	gridB  = []float64{0.2, 0.4, 0.6, 0.75, 0.9}
)

// Options bound the work.
type Options struct {
	// Queries is the largest number of judged queries to use, drawn at random; 0: all.
	Queries int
	// Progress may be nil.
	Progress func(done, total int64)
}

// Learn divides the judged queries at random (the same way each time) into two halves,
// learns from one and measures on the other. now is what the collection has.
func Learn(ctx context.Context, set *eval.Set, now BM25, ask Asker, o Options) (*Tuning, error) {
	if len(set.Queries) < leastQueries || o.Queries != 0 && o.Queries < leastQueries {
		return nil, fmt.Errorf("%w: %d, and at least %d are needed to learn from one half and measure on the other", errTooFew, len(set.Queries), leastQueries)
	}
	l := &learner{set: set, ask: ask, progress: o.Progress}
	order := rand.New(rand.NewPCG(7, 11)).Perm(len(set.Queries))
	if o.Queries > 0 {
		order = order[:min(o.Queries, len(order))]
	}
	half := len(order) / 2
	l.train, l.held = order[:half], order[half:]
	l.total = int64(half*len(gridK1)*len(gridB) + 2*len(l.held) + 2*len(order))

	t := &Tuning{Format: Format, Collection: set.Name}
	t.Report.TrainingQueries, t.Report.HeldOutQueries = len(l.train), len(l.held)
	if err := l.bm25(ctx, t, now); err != nil {
		return nil, err
	}
	before, err := l.candidates(ctx, l.held, now)
	if err != nil {
		return nil, err
	}
	held, use := before, now
	if t.BM25 != nil {
		if held, err = l.candidates(ctx, l.held, *t.BM25); err != nil {
			return nil, err
		}
		use = *t.BM25
		if fused := mean(minus(scores(held, nil), scores(before, nil))); fused < 0 {
			part := &t.Report.BM25
			t.BM25, part.Kept, held, use = nil, false, before, now
			part.Why = fmt.Sprintf("%s, but left out: with vectors nDCG@10 changes by %+.4f", strings.Replace(part.Why, ": kept,", ": better alone,", 1), fused)
		}
	}
	train, err := l.candidates(ctx, l.train, use)
	if err != nil {
		return nil, err
	}
	weigh(t, train, held)
	calibrate(t, train, held)
	a, b := scores(before, nil), scores(held, t.Weight)
	t.Report.Before, t.Report.After = mean(a), mean(b)
	t.Report.Gain = eval.Bootstrap(minus(b, a))
	l.step(l.total)
	return t, nil
}

type learner struct {
	set         *eval.Set
	ask         Asker
	train, held []int // indices into set.Queries
	progress    func(done, total int64)
	done, total int64
}

func (l *learner) step(n int64) {
	l.done = min(l.done+n, l.total)
	if l.progress != nil {
		l.progress(l.done, l.total)
	}
}

// bm25 takes the best parameters of the grid on the training half, and keeps them when
// the held-out half gains for certain.
func (l *learner) bm25(ctx context.Context, t *Tuning, now BM25) error {
	try := []BM25{now} // first, so that it wins ties
	for _, k1 := range gridK1 {
		for _, b := range gridB {
			if p := (BM25{k1, b}); p != now {
				try = append(try, p)
			}
		}
	}
	best, bestScore := now, math.Inf(-1)
	for _, p := range try {
		list, err := l.lexical(ctx, l.train, p)
		if err != nil {
			return err
		}
		if m := mean(list); m > bestScore+1e-9 {
			best, bestScore = p, m
		}
	}
	part := &t.Report.BM25
	if best == now {
		part.Why = fmt.Sprintf("k1 %v and b %v, which the collection has, are the best of the grid", now.K1, now.B)
		return nil
	}
	before, err := l.lexical(ctx, l.held, now)
	if err != nil {
		return err
	}
	after, err := l.lexical(ctx, l.held, best)
	if err != nil {
		return err
	}
	part.Gain = eval.Bootstrap(minus(after, before))
	part.keep(fmt.Sprintf("k1 %v and b %v in place of %v and %v", best.K1, best.B, now.K1, now.B))
	if part.Kept {
		t.BM25 = &best
	}
	return nil
}

// keep decides by the interval on held-out queries.
func (p *Part) keep(what string) {
	p.Kept = p.Gain.Low > 0
	if p.Kept {
		p.Why = what + ": kept, since the whole interval on held-out queries lies above 0"
	} else {
		p.Why = what + ": left out, since the interval on held-out queries does not lie above 0"
	}
}

func (l *learner) lexical(ctx context.Context, queries []int, p BM25) ([]float64, error) {
	list := make([]float64, len(queries))
	for i, n := range queries {
		q := l.set.Queries[n]
		answer, err := l.ask.Lexical(ctx, q.Text, p)
		if err != nil {
			return nil, fmt.Errorf("query %q: %w", q.ID, err)
		}
		list[i] = eval.Judge(answer, l.set.Qrels[q.ID]).NDCG10
		l.step(1)
	}
	return list, nil
}

// judged is a query with its candidates and what it gains by each weight.
type judged struct {
	Candidates
	grades map[string]int
	curve  []float64 // nDCG@10 by lexical weight, see weightAt
}

const weights = 19 // 0.05 to 0.95

func weightAt(i int) float64 { return float64(i+1) * 0.05 }

func (l *learner) candidates(ctx context.Context, queries []int, p BM25) ([]judged, error) {
	list := make([]judged, len(queries))
	for i, n := range queries {
		q := l.set.Queries[n]
		c, err := l.ask.Candidates(ctx, q.Text, p)
		if err != nil {
			return nil, fmt.Errorf("query %q: %w", q.ID, err)
		}
		j := judged{Candidates: c, grades: l.set.Qrels[q.ID]}
		for w := range weights {
			j.curve = append(j.curve, j.ndcg(weightAt(w)))
		}
		list[i] = j
		l.step(1)
	}
	return list, nil
}

// fuse orders the documents by their best chunk.
func (q judged) fuse(weight float64) []eval.Ranked {
	best := make(map[string]float64, len(q.List))
	for _, c := range q.List {
		best[c.Document] = max(best[c.Document], weight*c.Lexical+(1-weight)*c.Vector)
	}
	list := make([]eval.Ranked, 0, len(best))
	for id, s := range best {
		list = append(list, eval.Ranked{ID: id, Score: s})
	}
	slices.SortFunc(list, func(a, b eval.Ranked) int {
		switch {
		case a.Score > b.Score || a.Score == b.Score && a.ID < b.ID:
			return -1
		}
		return 1
	})
	return list
}

func (q judged) ndcg(weight float64) float64 { return eval.Judge(q.fuse(weight), q.grades).NDCG10 }

// weight is the lexical weight that a model gives this query; nil: the rules'.
func (q judged) weight(m *route.Model) float64 {
	if m == nil || !route.Learns(q.Class) {
		return q.Prior
	}
	return m.Weight(q.Prior, q.Features)
}

// near is nDCG@10 at a model's weight, from the curve.
func (q judged) near(m *route.Model) float64 {
	i := int(math.Round(q.weight(m)/0.05)) - 1
	return q.curve[max(0, min(weights-1, i))]
}

func scores(list []judged, m *route.Model) []float64 {
	out := make([]float64, len(list))
	for i, q := range list {
		out[i] = q.ndcg(q.weight(m))
	}
	return out
}

// weigh learns a correction of the weights. Of the regressions with several strengths of
// the ridge, and of a constant, the one is taken that is best in cross-validation on the
// training half; it is kept when the held-out half gains for certain.
func weigh(t *Tuning, train, held []judged) {
	part := &t.Report.Weight
	best, bestScore, bestName := (func([]judged) *route.Model)(nil), 0.0, ""
	rules := 0.0
	for _, q := range train {
		rules += q.near(nil)
	}
	bestScore = rules
	for _, c := range []struct {
		name string
		fit  func([]judged) *route.Model
	}{
		{"a constant correction", fitConstant},
		{"a linear model, ridge 30", func(q []judged) *route.Model { return fitRidge(q, 30) }},
		{"a linear model, ridge 10", func(q []judged) *route.Model { return fitRidge(q, 10) }},
		{"a linear model, ridge 3", func(q []judged) *route.Model { return fitRidge(q, 3) }},
		{"a linear model, ridge 1", func(q []judged) *route.Model { return fitRidge(q, 1) }},
	} {
		total := 0.0
		for f := range folds {
			var in, out []judged
			for i, q := range train {
				if i%folds == f {
					out = append(out, q)
				} else {
					in = append(in, q)
				}
			}
			m := c.fit(in)
			for _, q := range out {
				total += q.near(m)
			}
		}
		if total > bestScore+1e-9 {
			best, bestScore, bestName = c.fit, total, c.name
		}
	}
	if best == nil {
		part.Why = "no correction of the rules' weights is better in cross-validation on the training half"
		return
	}
	m := best(train)
	m.Version = fmt.Sprintf("%s, %d queries", t.Collection, len(train))
	part.Gain = eval.Bootstrap(minus(scores(held, m), scores(held, nil)))
	part.keep(bestName)
	if part.Kept {
		t.Weight = m
	}
}

// fitConstant moves all weights by the same amount.
func fitConstant(list []judged) *route.Model {
	best, bestScore := &route.Model{}, math.Inf(-1)
	for step := -16; step <= 16; step++ {
		m := &route.Model{Bias: float64(step) * 0.05}
		total := -1e-6 * math.Abs(m.Bias) // of equal ones the smallest
		for _, q := range list {
			total += q.near(m)
		}
		if total > bestScore {
			best, bestScore = m, total
		}
	}
	return best
}

// fitRidge regresses, on the features, how far the rules' weight is from the nearest of
// each query's best weights. A query counts as much as the choice matters for it, and
// coefficients are held towards 0, the rules (ridge regression; Hoerl and Kennard 1970).
func fitRidge(list []judged, ridge float64) *route.Model {
	n := len(route.FeatureNames) + 1
	a := make([][]float64, n) // normal equations, with the right side as the last column
	for i := range a {
		a[i] = make([]float64, n+1)
		a[i][i] = ridge
	}
	a[0][0] = 1e-6
	var importance float64
	for _, q := range list {
		importance += slices.Max(q.curve) - slices.Min(q.curve)
	}
	if importance == 0 {
		return &route.Model{}
	}
	for _, q := range list {
		if !route.Learns(q.Class) {
			continue
		}
		top := slices.Max(q.curve)
		target := math.Inf(1)
		for i, v := range q.curve {
			if d := weightAt(i) - q.Prior; v >= top-1e-9 && math.Abs(d) < math.Abs(target) {
				target = d
			}
		}
		v := (top - slices.Min(q.curve)) * float64(len(list)) / importance
		x := append([]float64{1}, q.Features...)
		for i := range n {
			for j := range n {
				a[i][j] += v * x[i] * x[j]
			}
			a[i][n] += v * x[i] * target
		}
	}
	beta := solve(a)
	m := &route.Model{Bias: beta[0], Coefficients: map[string]float64{}}
	for i, name := range route.FeatureNames {
		m.Coefficients[name] = beta[i+1]
	}
	return m
}

// solve is Gauss's elimination with pivots. The matrix is changed; it is positive
// definite by the ridge.
func solve(a [][]float64) []float64 {
	n := len(a)
	for c := range n {
		p := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		a[c], a[p] = a[p], a[c]
		for r := range n {
			if r == c || a[c][c] == 0 {
				continue
			}
			f := a[r][c] / a[c][c]
			for k := c; k <= n; k++ {
				a[r][k] -= f * a[c][k]
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		if a[i][i] != 0 {
			x[i] = a[i][n] / a[i][i]
		}
	}
	return x
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

func mean(list []float64) float64 {
	var sum float64
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}
