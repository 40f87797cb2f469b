package rank

import (
	"math"
	"slices"
	"time"
)

// The bounds of a boost: one may halve or double a score, never bury or crown it.
const (
	MinBoost = 0.5
	MaxBoost = 2
)

// BoostAll multiplies each item's score by its factors, each cut to MinBoost..MaxBoost
// and their product too, and orders anew. When a score then exceeds 1, all are
// divided by the largest, so that they keep their order and stay within 0..1.
func BoostAll(items []Item, factors map[int64][]float64) []Item {
	out := slices.Clone(items)
	top := 1.0
	for i, it := range out {
		out[i].Score = it.Score * product(factors[it.ID])
		top = max(top, out[i].Score)
	}
	for i := range out {
		out[i].Score /= top
	}
	Sort(out)
	return out
}

func product(factors []float64) float64 {
	p := 1.0
	for _, f := range factors {
		if !math.IsNaN(f) {
			p *= clamp(f, MinBoost, MaxBoost)
		}
	}
	return clamp(p, MinBoost, MaxBoost)
}

// Recency is the factor of a document's age: max(floor, 2^(−age/halfLife)). A time in
// the future counts as now, and a half-life of 0 or less as no decay.
func Recency(age, halfLife time.Duration, floor float64) float64 {
	if age <= 0 || halfLife <= 0 {
		return 1
	}
	return clamp(math.Exp2(-float64(age)/float64(halfLife)), clamp(floor, 0, 1), 1)
}
