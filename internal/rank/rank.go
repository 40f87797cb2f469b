// Package rank makes one order from the scores of several stages. Lists of (chunk id,
// score) go in, lists in a new order come out, each number with its explanation:
// [Fuse] joins the lexical and the vector leg, then come boosts, grouping, variety,
// the blend with a reranker, and the guard of exact matches. Pure functions; caller:
// search (and codeapi through it).
//
// Every score lies within 0..1. Equal scores are ordered by id and sums are taken in a
// fixed order, so equal input gives equal output on every machine.
package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Scored is a chunk with a score.
type Scored struct {
	ID    int64
	Score float64
}

// compare orders best first, ties by id.
func (s Scored) compare(t Scored) int {
	return cmp.Or(cmp.Compare(t.Score, s.Score), cmp.Compare(s.ID, t.ID))
}

// Item is a candidate after fusion, on its way to the page.
type Item struct {
	ID    int64
	Score float64 // within 0..1
}

// Sort orders best first, ties by id.
func Sort(items []Item) {
	slices.SortFunc(items, func(a, b Item) int { return Scored(a).compare(Scored(b)) })
}

// MinScore drops the items below least. The order stays.
func MinScore(items []Item, least float64) []Item {
	kept := make([]Item, 0, len(items))
	for _, it := range items {
		if it.Score >= least {
			kept = append(kept, it)
		}
	}
	return kept
}

// Group keeps at most size items of each group, the first ones. The order stays.
func Group(items []Item, size int, key func(id int64) string) []Item {
	seen := map[string]int{}
	kept := make([]Item, 0, len(items))
	for _, it := range items {
		k := key(it.ID)
		if seen[k]++; seen[k] <= size {
			kept = append(kept, it)
		}
	}
	return kept
}

// MinMax maps the lowest score to 0 and the highest to 1. Where all are equal there is
// nothing to tell them apart, and each becomes 1.
func MinMax(scores []float64) []float64 {
	out := make([]float64, len(scores))
	if len(scores) == 0 {
		return out
	}
	low, high := slices.Min(scores), slices.Max(scores)
	for i, s := range scores {
		out[i] = scale(s, low, high, 1)
	}
	return out
}

// scale maps low..high to 0..1 and cuts what lies outside; flat is the answer when
// there is no room between them.
func scale(s, low, high, flat float64) float64 {
	if !(high > low) {
		return flat
	}
	return clamp((s-low)/(high-low), 0, 1)
}

func clamp(x, low, high float64) float64 { return max(low, min(high, x)) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Blend joins the fused scores of reranked items with the reranker's logits:
// weight × min-max(logit) + (1 − weight) × min-max(fused), in the order given. The
// bundled reranker's card advises a weight of 0.3. Errors: lists of unequal length, a
// weight outside 0..1, or a number that is not finite.
func Blend(fused, logits []float64, weight float64) ([]float64, error) {
	if len(fused) != len(logits) {
		return nil, fmt.Errorf("blend: %d fused scores with %d of the reranker", len(fused), len(logits))
	}
	if !(weight >= 0 && weight <= 1) {
		return nil, fmt.Errorf("blend: weight must be 0..1, got %v", weight)
	}
	for i := range fused {
		if !finite(fused[i]) || !finite(logits[i]) {
			return nil, fmt.Errorf("blend: item %d has the scores %v and %v", i, fused[i], logits[i])
		}
	}
	out, l := MinMax(fused), MinMax(logits)
	for i := range out {
		out[i] = clamp(weight*l[i]+(1-weight)*out[i], 0, 1)
	}
	return out, nil
}
