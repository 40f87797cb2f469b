package eval

import (
	"cmp"
	"math"
	"slices"
)

// Metrics are the measures of one query, or their means over all judged queries.
// They agree with trec_eval and ir_measures: documents are ordered by falling score
// and, where scores tie, by falling id (RR@10: by rising id, since ir_measures takes
// it from MS MARCO's script); unjudged documents are not relevant; a query that got no
// answer counts as zero.
type Metrics struct {
	// NDCG10 is trec_eval's ndcg_cut_10: gain = grade, discount = log2(rank + 1).
	NDCG10 float64 `json:"nDCG@10"`
	// R100 is the share of the relevant documents among the first 100.
	R100 float64 `json:"R@100"`
	// RR10 is 1 / rank of the first relevant document among the first 10, else 0.
	RR10 float64 `json:"RR@10"`
	// AP is the mean, over all relevant documents, of the precision at their ranks.
	AP float64 `json:"AP"`
}

// trecOrder sorts an answer as trec_eval does before it looks at ranks: it rounds
// scores to float32, puts higher ones first and, where they tie, higher ids.
func trecOrder(answer []Ranked) []Ranked {
	sorted := slices.Clone(answer)
	slices.SortStableFunc(sorted, func(a, b Ranked) int {
		if c := cmp.Compare(float32(b.Score), float32(a.Score)); c != 0 {
			return c
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return sorted
}

// reciprocalRank is 1 / rank of the first relevant document among the first k in the
// order of MS MARCO's script: falling score, ties by rising id.
func reciprocalRank(answer []Ranked, grades map[string]int, k int) float64 {
	sorted := slices.Clone(answer)
	slices.SortStableFunc(sorted, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	for i, r := range sorted[:min(k, len(sorted))] {
		if grades[r.ID] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Judge measures one answer against its judgements.
func Judge(answer []Ranked, grades map[string]int) Metrics {
	var ideal []int
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, g)
		}
	}
	if len(ideal) == 0 {
		return Metrics{}
	}
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	var best float64
	for i, g := range ideal[:min(10, len(ideal))] {
		best += float64(g) / math.Log2(float64(i+2))
	}
	m := Metrics{RR10: reciprocalRank(answer, grades, 10)}
	found := 0
	for i, r := range trecOrder(answer) {
		g := grades[r.ID]
		if g <= 0 {
			continue
		}
		found++
		m.AP += float64(found) / float64(i+1)
		if i < 100 {
			m.R100++
		}
		if i < 10 {
			m.NDCG10 += float64(g) / math.Log2(float64(i+2))
		}
	}
	m.NDCG10 /= best
	m.R100 /= float64(len(ideal))
	m.AP /= float64(len(ideal))
	return m
}

// mean averages in the order given, so that equal runs give equal bits.
func mean(list []Metrics) Metrics {
	var sum Metrics
	for _, m := range list {
		sum.NDCG10 += m.NDCG10
		sum.R100 += m.R100
		sum.RR10 += m.RR10
		sum.AP += m.AP
	}
	n := float64(max(1, len(list)))
	return Metrics{sum.NDCG10 / n, sum.R100 / n, sum.RR10 / n, sum.AP / n}
}
