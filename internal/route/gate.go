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
	// TopK is how many candidates the caller lets be reranked.
	TopK int
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

// Decision is what [Gate] decides.
type Decision struct {
	// TopK is how many of the best candidates the reranker reads; 0: it does not run.
	TopK int
	// Reason says why, in words.
	Reason string
	// Cut says that the reranker would read more of them, were there more time.
	Cut bool
}

// Gate decides after fusion whether the reranker runs, over how many of the best
// candidates, and why.
func Gate(in GateInput) Decision {
	topK := min(in.TopK, len(in.Scores))
	switch {
	case in.Policy == RerankOff:
		return Decision{Reason: "not reranked: switched off by the caller"}
	case !in.Plan.Rerank && in.Policy != RerankOn:
		return Decision{Reason: fmt.Sprintf("not reranked: a %s query", in.Plan.Class)}
	case topK < 2:
		return Decision{Reason: "not reranked: there is nothing to reorder"}
	}
	why := "asked for"
	if in.Policy != RerankOn {
		margin := in.Scores[0] - in.Scores[1]
		if margin >= clearMargin {
			return Decision{Reason: fmt.Sprintf("not reranked: the best leads by %.2f, which is clear", margin)}
		}
		why = fmt.Sprintf("the best leads by only %.2f", margin)
	}
	fits := topK
	if in.Budget > 0 && in.PerPassage > 0 {
		fits = int(in.Budget / in.PerPassage)
	}
	switch {
	case fits < min(topK, leastRerank):
		return Decision{Cut: true, Reason: fmt.Sprintf("not reranked: %v suffice for %d passages only, at %v each", in.Budget, fits, in.PerPassage.Round(time.Millisecond))}
	case fits < topK:
		return Decision{TopK: fits, Cut: true, Reason: fmt.Sprintf("reranked the best %d (of %d: %v suffice for no more, at %v each): %s", fits, topK, in.Budget, in.PerPassage.Round(time.Millisecond), why)}
	}
	return Decision{TopK: topK, Reason: fmt.Sprintf("reranked the best %d: %s", topK, why)}
}
