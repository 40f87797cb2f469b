package search

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/catalog"
)

// Request is one question. It is a value: the engine never changes it, and the same
// request may be used by several goroutines. The zero value of every field but
// Query has a meaning, given with the field.
type Request struct {
	// Query is the question: words, "exact phrases", +must, -not, field:word and
	// prefix*. Required. Without any letter or digit only vectors can answer.
	Query string
	// Plain says that Query is text and not query language: quotes, +, - and field:
	// mean nothing in it.
	Plain bool
	// Collection names what to search. Defaults to "default".
	Collection string
	// Mode chooses the legs. Defaults to ModeAuto: the router decides.
	Mode Mode
	// Weights says how much each leg counts. The zero value lets the router choose
	// by the kind of query. They are normalised to a sum of one.
	Weights Weights
	// Fusion names how the legs' scores become one. Defaults to FusionLinear.
	Fusion Fusion
	// Filter keeps only chunks whose document matches. Nil keeps all.
	Filter filter.Expr
	// Boosts multiply fused scores, each within [0.5, 2]; see [Boost].
	Boosts []Boost
	// Limit is the largest number of hits to return, 1 to 1,000. Defaults to 10.
	Limit int
	// Cursor continues where an earlier answer to the same request ended; see
	// Results.Cursor. Empty starts at the first hit.
	Cursor string
	// Window is the number of candidates taken from each leg, at most 2,000.
	// Defaults to 100, or to 200 when reranking, and is never below Limit.
	Window int
	// Rerank controls the cross-encoder; see [RerankOptions].
	Rerank RerankOptions
	// GroupBy keeps only the best hit of each value of a field: "document",
	// "source", or a key of the metadata. What lacks it stands alone. Empty keeps all.
	GroupBy string
	// Diversity trades relevance for variety by maximal marginal relevance: 0 (the
	// default) is relevance alone, 1 variety alone.
	Diversity float64
	// MinScore drops hits whose fused score is below it, 0 to 1; their Relevance, where
	// a calibration was learned, which makes one threshold right for all queries.
	// Defaults to 0.
	MinScore float64
	// Explain adds Hit.Explain: every number that made the score.
	Explain bool
}

// Mode says which legs answer.
type Mode string

const (
	ModeAuto    Mode = "auto"    // the router chooses the legs and their weights
	ModeHybrid  Mode = "hybrid"  // both legs
	ModeLexical Mode = "lexical" // BM25 alone
	ModeVector  Mode = "vector"  // embeddings alone
)

// Weights is the share of each leg in the fused score.
type Weights struct {
	Lexical float64 `json:"lexical"`
	Vector  float64 `json:"vector"`
}

// Fusion names a method that makes one score from two.
type Fusion string

const (
	// FusionLinear is a convex combination of both legs' exact scores, each scaled by
	// its theoretical bound (Bruch, Gai, Ingber: "An Analysis of Fusion Functions for
	// Hybrid Retrieval", 2023).
	FusionLinear Fusion = "linear"
	// FusionRRF is weighted reciprocal rank fusion with k = 60 (Cormack, Clarke,
	// Büttcher, 2009).
	FusionRRF Fusion = "rrf"
	// FusionRelativeScore scales each leg from its lowest to its highest score.
	FusionRelativeScore Fusion = "relative_score"
	// FusionDBSF scales each leg by its mean ± 3 standard deviations.
	FusionDBSF Fusion = "dbsf"
)

// Boost multiplies the fused score of matching hits. Either When or HalfLife is set.
type Boost struct {
	// When picks the hits; Factor (0.5 to 2) multiplies their score.
	When   filter.Expr
	Factor float64
	// HalfLife makes older documents count less: their score is multiplied by
	// max(0.5, 2^(−age/HalfLife)), with age taken from the field Field ("updated" by
	// default).
	HalfLife time.Duration
	Field    string
}

// RerankOptions controls the cross-encoder.
type RerankOptions struct {
	// Policy is RerankAuto by default.
	Policy RerankPolicy
	// TopK is how many of the best candidates are rescored, at most 200. Defaults to 50.
	TopK int
	// Weight is the share of the reranker in the final score, 0 to 1; the rest is the
	// fused score. Zero means the default of the model, 0.3 for the bundled one; use a
	// Policy of RerankOff to take no account of it.
	Weight float64
	// Budget bounds the time spent. When it runs out, the candidates that were not
	// reached keep their fused order below the others, and Results.Degraded says so.
	// Defaults to 2 s.
	Budget time.Duration
}

// RerankPolicy says when to rerank.
type RerankPolicy string

const (
	RerankAuto RerankPolicy = ""    // when the router finds it worth its time
	RerankOn   RerankPolicy = "on"  // always
	RerankOff  RerankPolicy = "off" // never
)

const (
	maxLimit      = 1000
	maxWindow     = 2000
	defaultLimit  = 10
	maxRerankTopK = 200
)

// ErrInvalidRequest is wrapped by every error that names a bad field of a Request.
var ErrInvalidRequest = errors.New("invalid search request")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalidRequest}, args...)...)
}

// withDefaults returns the request with every default filled in, or an error that
// names the first field that cannot be carried out.
func (r Request) withDefaults() (Request, error) {
	r.Collection = catalog.OrDefault(r.Collection)
	if r.Mode == "" {
		r.Mode = ModeAuto
	}
	switch r.Mode {
	case ModeAuto, ModeHybrid, ModeLexical, ModeVector:
	default:
		return r, invalid("mode %q is none of auto, hybrid, lexical, vector", r.Mode)
	}
	if r.Fusion == "" {
		r.Fusion = FusionLinear
	}
	switch r.Fusion {
	case FusionLinear, FusionRRF, FusionRelativeScore, FusionDBSF:
	default:
		return r, invalid("fusion %q is none of linear, rrf, relative_score, dbsf", r.Fusion)
	}
	if r.Limit == 0 {
		r.Limit = defaultLimit
	}
	if r.Limit < 1 || r.Limit > maxLimit {
		return r, invalid("limit must be 1..%d, got %d", maxLimit, r.Limit)
	}
	for name, w := range map[string]float64{"lexical": r.Weights.Lexical, "vector": r.Weights.Vector} {
		if math.IsNaN(w) || math.IsInf(w, 0) || w < 0 {
			return r, invalid("weight %s must be a number of at least 0, got %v", name, w)
		}
	}
	if r.Window < 0 || r.Window > maxWindow {
		return r, invalid("window must be 1..%d, got %d", maxWindow, r.Window)
	}
	if !(r.Diversity >= 0 && r.Diversity <= 1) {
		return r, invalid("diversity must be 0..1, got %v", r.Diversity)
	}
	if !(r.MinScore >= 0 && r.MinScore <= 1) {
		return r, invalid("min_score must be 0..1, got %v", r.MinScore)
	}
	switch r.Rerank.Policy {
	case RerankAuto, RerankOn, RerankOff:
	default:
		return r, invalid("rerank policy %q is none of on, off or empty", r.Rerank.Policy)
	}
	if r.Rerank.TopK == 0 {
		r.Rerank.TopK = 50
	}
	if r.Rerank.TopK < 1 || r.Rerank.TopK > maxRerankTopK {
		return r, invalid("rerank top_k must be 1..%d, got %d", maxRerankTopK, r.Rerank.TopK)
	}
	if !(r.Rerank.Weight >= 0 && r.Rerank.Weight <= 1) {
		return r, invalid("rerank weight must be 0..1, got %v", r.Rerank.Weight)
	}
	if r.Rerank.Weight == 0 {
		r.Rerank.Weight = 0.3
	}
	if r.Rerank.Budget == 0 {
		r.Rerank.Budget = 2 * time.Second
	}
	if r.Rerank.Budget < 0 {
		return r, invalid("rerank budget must not be negative, got %v", r.Rerank.Budget)
	}
	for i, b := range r.Boosts {
		if err := b.check(); err != nil {
			return r, invalid("boost %d: %v", i+1, err)
		}
	}
	return r, nil
}

func (b Boost) check() error {
	switch {
	case b.When != nil && b.HalfLife != 0:
		return errors.New("give either a condition with a factor or a half-life, not both")
	case b.When != nil && !(b.Factor >= 0.5 && b.Factor <= 2):
		return fmt.Errorf("factor must be 0.5..2, got %v", b.Factor)
	case b.When == nil && b.HalfLife <= 0:
		return errors.New("give a condition with a factor, or a half-life above zero")
	}
	return nil
}
