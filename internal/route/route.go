// Package route decides how a query is answered.
package route

import "time"

// Class is the kind of a query.
type Class string

// The classes.
const (
	Identifier Class = "identifier"
	Phrase     Class = "phrase"
	Keyword    Class = "keyword"
	Natural    Class = "natural"
	Mixed      Class = "mixed"
)

// Mode says which legs answer.
type Mode string

// The modes. Auto is for Input only.
const (
	Auto    Mode = "auto"
	Hybrid  Mode = "hybrid"
	Lexical Mode = "lexical"
	Vector  Mode = "vector"
)

// Weights is the share of each leg; in a Plan they sum to one.
type Weights struct{ Lexical, Vector float64 }

// Term is one analysed query term with its statistics.
type Term struct {
	Text string
	DF   int64 // documents (chunks) that hold it
	IDF  float64
}

// Rerank is what the caller asked of the reranker.
type Rerank string

// The policies.
const (
	RerankAuto Rerank = ""
	RerankOn   Rerank = "on"
	RerankOff  Rerank = "off"
)

// Input is everything that Route looks at.
type Input struct {
	Query string
	// Mode is the caller's; empty is Auto.
	Mode Mode
	// Weights are the caller's; both zero lets the router choose.
	Weights Weights
	// Window is the caller's candidates per leg; 0 lets the router choose. Limit is the page.
	Window, Limit int
	Rerank        Rerank
	// Terms and Documents come from lexical.Analyze; without them the statistics are not used.
	Terms     []Term
	Documents int64
	// NoVector says that the collection has no vectors (or no embedder is at hand).
	NoVector bool
	// Learned is a trained weight; nil uses the rules alone.
	Learned *Model
}

// Model is a learned linear weight.
type Model struct{}

// Plan is the decision.
type Plan struct {
	Class   Class
	Mode    Mode
	Weights Weights
	// Rerank says that the reranker may run; [Gate] decides after fusion.
	Rerank bool
	// Window is the number of candidates from each leg.
	Window  int
	Reasons []string
}

// Route decides.
func Route(in Input) (Plan, error) { return Plan{}, nil }

// GateInput is what is known after fusion.
type GateInput struct {
	Policy Rerank
	Plan   Plan
	// Scores are the fused scores, best first.
	Scores []float64
	// Limit is the page, TopK how many the caller lets be reranked.
	Limit, TopK int
	// Budget is the time left; PerPassage the expected time for one passage (0: not known).
	Budget, PerPassage time.Duration
}

// Gate decides whether to rerank, how many, and why.
func Gate(in GateInput) (topK int, reason string) { return 0, "" }
