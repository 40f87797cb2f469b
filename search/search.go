package search

import (
	"context"
	"errors"
	"time"
	"unicode"
)

// IsInvalidRequest reports whether err says that a request cannot be carried out as
// written, as against that something failed while carrying it out.
func IsInvalidRequest(err error) bool { return errors.Is(err, ErrInvalidRequest) }

// Search answers one request.
//
// A leg or a reranker that fails or runs out of time does not fail the search: the
// hits are the best that the other parts give, and Results.Degraded names the part
// and the reason. Errors: [ErrInvalidRequest] (wrapped) for a request that cannot be
// carried out, [ErrNotFound] (wrapped) for an unknown collection, and the
// database's own errors. What was committed before the call is found by it.
func (e *Engine) Search(ctx context.Context, req Request) (*Results, error) {
	return e.observed(ctx, func(ctx context.Context) (*Results, error) { return e.search(ctx, req) })
}

func (e *Engine) search(ctx context.Context, req Request) (*Results, error) {
	q, err := e.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := q.plan(ctx); err != nil {
		return nil, err
	}
	if err := q.retrieve(ctx); err != nil { // BM25 beside vectors: one filter, one deadline
		return nil, err
	}
	if err := q.fuse(ctx); err != nil { // complete both legs' scores, combine, boost
		return nil, err
	}
	if err := q.hydrate(ctx); err != nil { // read texts, drop what is gone
		return nil, err
	}
	q.rerank(ctx)
	q.cut()
	if err := q.explain(ctx); err != nil {
		return nil, err
	}
	return &q.results, nil
}

// degrade records a part that did not do its work.
func (q *query) degrade(stage, reason string) {
	q.results.Degraded = append(q.results.Degraded, Degradation{Stage: stage, Reason: reason})
}

// timed runs f and adds its wall time to *ms.
func timed(ms *float64, f func()) {
	start := time.Now()
	f()
	*ms += milliseconds(time.Since(start))
}

func hasLetters(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}
