package rank

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Method names a fusion function. Each turns a leg's scores into numbers of 0..1; the
// fused score is their mean, weighted by Weights.
type Method string

const (
	// Linear scales by bounds that do not depend on what else was found: BM25 from 0 to
	// the largest score that any chunk could have, cosines from Bounds.CosineLow to
	// CosineHigh (Bruch, Gai, Ingber, "An Analysis of Fusion Functions for Hybrid
	// Retrieval", 2023). So a score means the same on every page and at every depth.
	Linear Method = "linear"
	// RRF is reciprocal rank fusion (Cormack, Clarke, Büttcher, 2009): (K + 1) / (K + rank)
	// with ranks from 1, and 0 outside a leg's window.
	RRF Method = "rrf"
	// RelativeScore scales each leg from its lowest to its highest score.
	RelativeScore Method = "relative_score"
	// DBSF, distribution-based score fusion, scales each leg from three standard
	// deviations below its mean to three above.
	DBSF Method = "dbsf"
)

// Methods are all of them, the default first.
func Methods() []Method { return []Method{Linear, RRF, RelativeScore, DBSF} }

// Weights is the share of each leg; only their ratio matters.
type Weights struct{ Lexical, Vector float64 }

// normalized returns the weights scaled to a sum of one.
func (w Weights) normalized() (Weights, error) {
	for _, leg := range []struct {
		name  string
		value float64
	}{{"lexical", w.Lexical}, {"vector", w.Vector}} {
		if !finite(leg.value) || leg.value < 0 {
			return w, fmt.Errorf("weight %s must be a number of at least 0, got %v", leg.name, leg.value)
		}
	}
	top := max(w.Lexical, w.Vector)
	if top == 0 {
		return w, errors.New("weights of both legs are 0; give at least one above 0")
	}
	l, v := w.Lexical/top, w.Vector/top // first by the larger: their sum could overflow
	return Weights{Lexical: l / (l + v), Vector: v / (l + v)}, nil
}

// Leg is what one leg knows of the candidates.
type Leg struct {
	// Hits is the leg's own window, in any order; ranks count from 1 by score.
	Hits []Scored
	// Completed are the leg's exact scores of candidates that only the other leg
	// found. Without them absence counts as 0.
	Completed []Scored
}

// Bounds are the ends of the scales of [Linear].
type Bounds struct {
	// Lexical is the largest BM25 score that any chunk could have for this query. Zero
	// takes the largest that was found.
	Lexical float64
	// CosineLow and CosineHigh become 0 and 1. Both zero means the defaults
	// [DefaultCosineLow] and [DefaultCosineHigh].
	CosineLow, CosineHigh float64
}

// FuseOptions say how to fuse. The zero value lacks only Weights.
type FuseOptions struct {
	Method  Method // defaults to Linear
	Weights Weights
	Bounds  Bounds
	K       float64 // RRF's constant; defaults to 60
}

// Part is one leg's contribution to a fused score.
type Part struct {
	Known      bool    // the leg scored this chunk
	Score      float64 // the leg's own
	Rank       int     // in the leg's window, from 1; 0 outside it
	Normalized float64 // 0..1
	Weight     float64 // 0..1
	Share      float64 // Weight × Normalized: what it adds to the fused score
}

// Fused is one candidate. Score is Lexical.Share + Vector.Share, within 0..1.
type Fused struct {
	ID              int64
	Score           float64
	Lexical, Vector Part
	Method          Method
}

// Words tells the sum in two lines, one for each leg.
func (f Fused) Words() []string {
	return []string{f.Lexical.words("lexical", "BM25"), f.Vector.words("vector", "cosine")}
}

func (p Part) words(leg, unit string) string {
	if !p.Known {
		return fmt.Sprintf("%s: no score, counts as 0 (weight %.2f)", leg, p.Weight)
	}
	place := "outside the window"
	if p.Rank > 0 {
		place = fmt.Sprintf("rank %d", p.Rank)
	}
	return fmt.Sprintf("%s: %s %.4f (%s), scaled to %.4f, times weight %.2f = %.4f", leg, unit, p.Score, place, p.Normalized, p.Weight, p.Share)
}

// Fuse makes one list of the union of both legs, best first, ties by id. Errors: an
// unknown method, weights that are no numbers, negative or both 0, bounds in the
// wrong order, a K below 0, scores that are not finite.
func Fuse(o FuseOptions, lexical, vector Leg) ([]Fused, error) {
	weights, err := o.Weights.normalized()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	lex, err := o.parts(lexical, weights.Lexical, o.lexicalScale)
	if err != nil {
		return nil, fmt.Errorf("lexical %w", err)
	}
	vec, err := o.parts(vector, weights.Vector, o.cosineScale)
	if err != nil {
		return nil, fmt.Errorf("vector %w", err)
	}
	ids := slices.Collect(maps.Keys(lex))
	for id := range vec {
		if _, ok := lex[id]; !ok {
			ids = append(ids, id)
		}
	}
	fused := make([]Fused, len(ids))
	for i, id := range ids {
		f := Fused{ID: id, Lexical: lex[id], Vector: vec[id], Method: o.Method}
		f.Lexical.Weight, f.Vector.Weight = weights.Lexical, weights.Vector
		f.Score = clamp(f.Lexical.Share+f.Vector.Share, 0, 1)
		fused[i] = f
	}
	slices.SortFunc(fused, func(a, b Fused) int { return Scored{a.ID, a.Score}.compare(Scored{b.ID, b.Score}) })
	return fused, nil
}

func (o FuseOptions) withDefaults() (FuseOptions, error) {
	if o.Method == "" {
		o.Method = Linear
	}
	if !slices.Contains(Methods(), o.Method) {
		names := make([]string, len(Methods()))
		for i, m := range Methods() {
			names[i] = string(m)
		}
		return o, fmt.Errorf("fusion %q is none of %s", o.Method, strings.Join(names, ", "))
	}
	if o.K == 0 {
		o.K = 60
	}
	if !finite(o.K) || o.K < 0 {
		return o, fmt.Errorf("the rank constant k must be a number of at least 0, got %v", o.K)
	}
	b := &o.Bounds
	if b.CosineLow == 0 && b.CosineHigh == 0 {
		b.CosineLow, b.CosineHigh = DefaultCosineLow, DefaultCosineHigh
	}
	if !finite(b.Lexical) || b.Lexical < 0 || !finite(b.CosineLow) || !finite(b.CosineHigh) || b.CosineLow >= b.CosineHigh {
		return o, fmt.Errorf("bounds must be finite and in order, got BM25 0..%v, cosine %v..%v", b.Lexical, b.CosineLow, b.CosineHigh)
	}
	return o, nil
}

// scaler maps a leg's own score to 0..1.
type scaler func(float64) float64

func (o FuseOptions) lexicalScale(known []Scored) scaler {
	high := o.Bounds.Lexical
	if high == 0 {
		for _, s := range known {
			high = max(high, s.Score)
		}
	}
	return func(s float64) float64 { return scale(s, 0, high, 0) }
}

func (o FuseOptions) cosineScale([]Scored) scaler {
	return func(s float64) float64 { return scale(s, o.Bounds.CosineLow, o.Bounds.CosineHigh, 0) }
}

// parts scales what a leg knows.
func (o FuseOptions) parts(leg Leg, weight float64, linear func([]Scored) scaler) (map[int64]Part, error) {
	hits := slices.Clone(leg.Hits)
	slices.SortFunc(hits, Scored.compare)
	known := slices.Concat(hits, leg.Completed)
	for _, s := range known {
		if !finite(s.Score) {
			return nil, fmt.Errorf("score of chunk %d is %v", s.ID, s.Score)
		}
	}
	var to scaler
	switch o.Method {
	case Linear:
		to = linear(known)
	case RelativeScore:
		to = relative(known)
	case DBSF:
		to = distribution(known)
	}
	parts := make(map[int64]Part, len(known))
	for i, s := range known {
		if _, twice := parts[s.ID]; twice {
			continue
		}
		p := Part{Known: true, Score: s.Score}
		if i < len(hits) {
			p.Rank = i + 1
		}
		switch {
		case o.Method != RRF:
			p.Normalized = to(s.Score)
		case p.Rank > 0:
			p.Normalized = (o.K + 1) / (o.K + float64(p.Rank))
		}
		p.Share = weight * p.Normalized
		parts[s.ID] = p
	}
	return parts, nil
}

func relative(known []Scored) scaler {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range known {
		low, high = min(low, s.Score), max(high, s.Score)
	}
	return func(s float64) float64 { return scale(s, low, high, 1) }
}

func distribution(known []Scored) scaler {
	var sum, squares float64
	n := float64(len(known))
	for _, s := range known {
		sum += s.Score
	}
	mean := sum / n
	for _, s := range known {
		squares += (s.Score - mean) * (s.Score - mean)
	}
	sd := math.Sqrt(squares / n)
	return func(s float64) float64 { return scale(s, mean-3*sd, mean+3*sd, 0.5) }
}
