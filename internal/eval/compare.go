package eval

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Interval is a difference of two means with its 95 percent bootstrap interval.
type Interval struct {
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

func (i Interval) String() string {
	return fmt.Sprintf("%+.4f [%+.4f, %+.4f]", i.Difference, i.Low, i.High)
}

// Comparison says how run b differs from run a on the same queries.
type Comparison struct {
	NDCG10 Interval `json:"nDCG@10"`
	R100   Interval `json:"R@100"`
	RR10   Interval `json:"RR@10"`
	AP     Interval `json:"AP"`
	// Better, Worse and Equal count queries by nDCG@10.
	Better int `json:"better"`
	Worse  int `json:"worse"`
	Equal  int `json:"equal"`
	// Queries are those that differ in nDCG@10, the worst loss first.
	Queries []Difference `json:"queries,omitempty"`
}

// Difference is one query's nDCG@10 in both runs.
type Difference struct {
	Query string  `json:"query"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
}

const bootstrapSamples = 10_000

// Compare measures b against a: mean differences with intervals from a paired
// bootstrap (Efron and Tibshirani 1993: queries are drawn with replacement, each with
// both of its values; 10,000 samples, percentiles). Equal inputs give equal
// intervals: the seed is fixed.
func Compare(set *Set, a, b TRECRun) Comparison {
	ma, mb := a.Judge(set), b.Judge(set)
	column := func(value func(Metrics) float64) Interval {
		d := make([]float64, len(ma))
		for i := range d {
			d[i] = value(mb[i]) - value(ma[i])
		}
		return Bootstrap(d)
	}
	c := Comparison{
		NDCG10: column(func(m Metrics) float64 { return m.NDCG10 }),
		R100:   column(func(m Metrics) float64 { return m.R100 }),
		RR10:   column(func(m Metrics) float64 { return m.RR10 }),
		AP:     column(func(m Metrics) float64 { return m.AP }),
	}
	for i, q := range set.Queries {
		x, y := ma[i].NDCG10, mb[i].NDCG10
		switch {
		case y > x:
			c.Better++
		case y < x:
			c.Worse++
		default:
			c.Equal++
			continue
		}
		c.Queries = append(c.Queries, Difference{Query: q.ID, A: x, B: y})
	}
	slices.SortStableFunc(c.Queries, func(p, q Difference) int { return cmp.Compare(p.B-p.A, q.B-q.A) })
	return c
}

// Regression says whether run b is worse than run a: its mean nDCG@10 is lower by more
// than margin, or the whole interval of the difference lies below 0. The error names
// the figures; nil means no regression.
func (c Comparison) Regression(margin float64) error {
	switch d := c.NDCG10; {
	case d.High < 0:
		return fmt.Errorf("nDCG@10 fell by %.4f, and its whole 95 %% interval [%+.4f, %+.4f] lies below 0", -d.Difference, d.Low, d.High)
	case d.Difference < -margin:
		return fmt.Errorf("nDCG@10 fell by %.4f, more than the margin of %.4f", -d.Difference, margin)
	}
	return nil
}

// Words prints the comparison, with up to most of the queries that lost and gained most.
func (c Comparison) Words(most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "difference, mean and 95 %% interval (paired bootstrap, %d samples):\n", bootstrapSamples)
	for _, m := range []struct {
		name string
		at   Interval
	}{{"nDCG@10", c.NDCG10}, {"R@100", c.R100}, {"RR@10", c.RR10}, {"AP", c.AP}} {
		fmt.Fprintf(&b, "  %-8s %v\n", m.name, m.at)
	}
	fmt.Fprintf(&b, "nDCG@10 by query: %d better, %d worse, %d equal", c.Better, c.Worse, c.Equal)
	worst := c.Queries[:min(most, c.Worse)]
	best := c.Queries[len(c.Queries)-min(most, c.Better):]
	for _, q := range slices.Concat(worst, best) {
		fmt.Fprintf(&b, "\n  %+.4f  %.4f → %.4f  query %s", q.B-q.A, q.A, q.B, q.Query)
	}
	return b.String()
}

// Bootstrap returns the mean of per-query differences with its 95 percent interval.
func Bootstrap(differences []float64) Interval {
	n := len(differences)
	if n == 0 {
		return Interval{}
	}
	var sum float64
	for _, d := range differences {
		sum += d
	}
	rng := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, bootstrapSamples)
	for s := range means {
		var total float64
		for range n {
			total += differences[rng.IntN(n)]
		}
		means[s] = total / float64(n)
	}
	slices.Sort(means)
	return Interval{Difference: sum / float64(n), Low: percentile(means, 0.025), High: percentile(means, 0.975)}
}
