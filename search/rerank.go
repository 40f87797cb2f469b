package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/rerank"
)

// rerank lets the cross-encoder read the best candidates and blends its verdict with
// the fused scores, when the request or the router wants it. Without a reranker, or
// when the time runs out, the fused order stands and the answer says so.
func (q *query) rerank(ctx context.Context) {
	times := &q.results.Stats.Times
	before := times.Load
	q.timed(ctx, "rerank", &times.Rerank, func() { q.rerankBest(ctx) })
	times.Rerank -= times.Load - before
}

// mayRerank is false when what is known before the texts are read forbids a reranker.
func (q *query) mayRerank() bool {
	return q.req.Rerank.Policy == RerankOn || q.route.Rerank && q.req.Rerank.Policy != RerankOff
}

func (q *query) rerankBest(ctx context.Context) {
	scores := make([]float64, len(q.read))
	for i, r := range q.read {
		scores[i] = r.item.Score
	}
	d := route.Gate(route.GateInput{
		Policy: policyOf(q.req.Rerank.Policy), Plan: q.route, Scores: scores,
		TopK: q.req.Rerank.TopK, Budget: q.req.Rerank.Budget, PerPassage: q.engine.perPassage(),
	})
	q.because("%s", d.Reason)
	if d.Cut {
		q.degrade("rerank", d.Reason)
	}
	topK := d.TopK
	if topK < 2 {
		return
	}
	q.results.Plan.Rerank = true
	logits, err := q.scorePassages(ctx, topK)
	if err != nil {
		q.degrade("rerank", err.Error())
		if len(logits) == 0 {
			return
		}
	}
	if err := q.blend(logits); err != nil {
		q.degrade("rerank", err.Error())
	}
}

// perPassage is what the reranker lately took for a passage, 0 when not known.
func (e *Engine) perPassage() time.Duration {
	model, ok := e.reranker.opened()
	if !ok {
		model = e.cfg.Reranker
	}
	if p, ok := model.(interface{ PerPassage() time.Duration }); ok {
		return p.PerPassage()
	}
	return 0
}

// scorePassages returns a logit for each of the best candidates. When the budget runs
// out it returns the error and only the logits up to the first that is missing.
func (q *query) scorePassages(ctx context.Context, topK int) ([]float64, error) {
	var model rerank.Reranker
	var err error
	q.timed(ctx, "load", &q.results.Stats.Times.Load, func() { model, err = q.engine.reranker.get() }) // not within the budget
	if err != nil {
		return nil, err
	}
	passages := make([]string, topK)
	for i, r := range q.read[:topK] {
		passages[i] = r.chunk.Passage()
	}
	ctx, cancel := context.WithTimeout(ctx, q.req.Rerank.Budget)
	defer cancel()
	raw, err := model.Rerank(ctx, q.req.Query, passages)
	var partial *rerank.PartialError
	if err != nil && !errors.As(err, &partial) {
		return nil, err
	}
	if partial != nil {
		err = fmt.Errorf("%d of %d passages were scored within %v; the others keep their fused order below them", partial.Scored, partial.Total, q.req.Rerank.Budget)
	}
	logits := make([]float64, 0, topK)
	for _, l := range raw {
		if math.IsNaN(float64(l)) {
			break
		}
		logits = append(logits, float64(l))
	}
	q.results.Stats.Reranked = len(logits)
	return logits, err
}

// blend orders the scored candidates anew; the others keep their place below them.
func (q *query) blend(logits []float64) error {
	if len(logits) == 0 {
		return nil
	}
	head := make([]rank.Item, len(logits))
	fused := make([]float64, len(logits))
	for i := range logits {
		relevance := logistic(logits[i])
		q.read[i].relevance = &relevance
		head[i] = q.read[i].item
		fused[i] = head[i].Score
	}
	blended, err := rank.Blend(fused, logits, q.req.Rerank.Weight)
	if err != nil {
		return err
	}
	// Min-max stretches the head over 0..1; scaled back between the head's own ends,
	// its scores stay comparable with those below.
	top, bottom := fused[0], fused[len(fused)-1]
	for i := range head {
		head[i].Score = bottom + (top-bottom)*blended[i]
	}
	rank.Sort(head)
	head = rank.Guard(head, q.exact, q.offset+q.req.Limit) // exact matches stay on the page
	q.reorder(append(head, q.items()[len(logits):]...))
	return nil
}
