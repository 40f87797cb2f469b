// Package rank makes one order from the scores of several stages.
package rank

import "time"

// Scored is a chunk with a score.
type Scored struct {
	ID    int64
	Score float64
}

// Method names a fusion function.
type Method string

// The fusion methods.
const (
	Linear        Method = "linear"
	RRF           Method = "rrf"
	RelativeScore Method = "relative_score"
	DBSF          Method = "dbsf"
)

// Weights is the share of each leg; only the ratio matters.
type Weights struct{ Lexical, Vector float64 }

// Leg is what one leg knows.
type Leg struct {
	// Hits is the leg's own window; ranks count from 1 by descending score, ties by id.
	Hits []Scored
	// Completed are the exact scores of candidates that only the other leg found.
	Completed []Scored
}

// Bounds are the theoretical ends of the scores, for Linear.
type Bounds struct {
	// Lexical is the largest score any chunk could have (lexical.Result.Bound).
	Lexical float64
	// CosineLow and CosineHigh are mapped to 0 and 1. Both zero means the defaults.
	CosineLow, CosineHigh float64
}

// FuseOptions say how to fuse. The zero value needs Weights only.
type FuseOptions struct {
	Method  Method // Defaults to Linear.
	Weights Weights
	Bounds  Bounds
	K       float64 // RRF's constant; defaults to 60.
}

// Part is one leg's contribution to a fused score.
type Part struct {
	Known      bool    // the leg scored this chunk
	Score      float64 // the leg's own
	Rank       int     // in the leg's window, from 1; 0: not in it
	Normalized float64 // 0..1
	Share      float64 // weight × Normalized: what it adds to the fused score
}

// Fused is one candidate with its fused score, within 0..1.
type Fused struct {
	ID              int64
	Score           float64
	Lexical, Vector Part
}

// Words explains the score.
func (f Fused) Words() []string { return nil }

// Fuse makes one list of the union of both legs, best first, ties by id.
func Fuse(o FuseOptions, lexical, vector Leg) ([]Fused, error) { return nil, nil }

// Item is a candidate after fusion, on its way to the page.
type Item struct {
	ID    int64
	Score float64 // within 0..1
}

// Sort orders best first, ties by id.
func Sort(items []Item) {}

// Boost returns score × the product of factors (each within [0.5, 2]), within 0..1.
func Boost(score float64, factors ...float64) float64 { return score }

// Recency is max(floor, 2^(−age/halfLife)).
func Recency(age, halfLife time.Duration, floor float64) float64 { return 1 }

// Blend returns weight × min-max(logits) + (1−weight) × min-max(fused), in the order given.
func Blend(fused, logits []float64, weight float64) ([]float64, error) { return nil, nil }

// Guard moves the guarded items that would fall off the page (the first `page` items) onto its end.
func Guard(items []Item, guarded map[int64]bool, page int) []Item { return items }

// MMR orders by maximal marginal relevance.
func MMR(items []Item, diversity float64, similarity func(a, b int64) float64) ([]Item, error) {
	return items, nil
}

// Group keeps the best `size` items of each group.
func Group(items []Item, size int, key func(id int64) string) []Item { return items }

// MinScore drops items below least.
func MinScore(items []Item, least float64) []Item { return items }
