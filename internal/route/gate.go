package route

import (
	"fmt"
	"time"
)

// GateInput is what is known after fusion.
type GateInput struct {
	Policy Rerank
	Plan   Plan
	// Scores are the fused scores, best first.
	Scores []float64
	// Limit is the page, TopK how many candidates the caller lets be reranked.
	Limit, TopK int
	// Budget is the time that reranking may take, 0 for no bound; PerPassage what one
	// passage is expected to take, 0 when not known.
	Budget, PerPassage time.Duration
}

const (
	// clearMargin is how far the best score must be ahead of the second for the order to
	// stand without a reranker.
	clearMargin = 0.15
	// leastRerank is the smallest number of passages worth starting a reranker for.
	leastRerank = 5
)

// Gate decides after fusion whether the reranker runs: over how many of the best
// candidates (0: not at all), and why.
func Gate(in GateInput) (topK int, reason string) {
	topK = min(in.TopK, len(in.Scores))
	switch {
	case in.Policy == RerankOff:
		return 0, "not reranked: switched off by the caller"
	case !in.Plan.Rerank && in.Policy != RerankOn:
		return 0, fmt.Sprintf("not reranked: a %s query", in.Plan.Class)
	case topK < 2:
		return 0, "not reranked: there is nothing to reorder"
	}
	fits := topK
	if in.Budget > 0 && in.PerPassage > 0 {
		fits = int(in.Budget / in.PerPassage)
	}
	if fits < min(topK, leastRerank) {
		return 0, fmt.Sprintf("not reranked: %v suffice for %d passages only", in.Budget, fits)
	}
	cut := ""
	if fits < topK {
		cut = fmt.Sprintf(" (of %d: %v suffice for no more)", topK, in.Budget)
		topK = fits
	}
	if in.Policy == RerankOn {
		return topK, fmt.Sprintf("reranked the best %d%s: asked for", topK, cut)
	}
	margin := in.Scores[0] - in.Scores[1]
	if margin >= clearMargin {
		return 0, fmt.Sprintf("not reranked: the best leads by %.2f, which is clear", margin)
	}
	return topK, fmt.Sprintf("reranked the best %d%s: the best leads by only %.2f", topK, cut, margin)
}
