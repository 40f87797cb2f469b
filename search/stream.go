package search

import (
	"context"
	"iter"

	"github.com/bmcis/bmcis/internal/catalog"
)

// streamWindow is the number of candidates from each leg where a streaming request
// does not say.
const streamWindow = 1000

// streamBatch is how many texts are read at a time.
const streamBatch = 100

// Stream answers like Search but hands over every candidate of the window, best
// first, and reads texts only as far as the caller goes on; Limit and Cursor of the
// request are not used. An error ends the sequence and comes with a zero Hit. What
// is degraded cannot be told this way: use Search where it matters.
func (e *Engine) Stream(ctx context.Context, req Request) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		if err := e.stream(ctx, req, yield); err != nil {
			yield(Hit{}, err)
		}
	}
}

// stream stops without an error when yield wants no more.
func (e *Engine) stream(ctx context.Context, req Request, yield func(Hit, error) bool) error {
	req.Cursor, req.Limit = "", streamBatch
	if req.Window == 0 {
		req.Window = streamWindow
	}
	q, err := e.begin(ctx, req)
	if err != nil {
		return err
	}
	for _, stage := range []func(context.Context) error{q.plan, q.retrieve, q.fuse, q.hydrate} {
		if err := stage(ctx); err != nil {
			return err
		}
	}
	q.rerank(ctx)
	for _, c := range q.read {
		if !yield(q.hit(c), nil) {
			return nil
		}
	}
	rest := q.order[q.looked:]
	for len(rest) > 0 {
		batch := rest[:min(streamBatch, len(rest))]
		rest = rest[len(batch):]
		chunks, err := catalog.Hydrate(ctx, e.pool, idsOf(batch))
		if err != nil {
			return err
		}
		for _, c := range pair(batch, chunks) {
			if !yield(q.hit(c), nil) {
				return nil
			}
		}
	}
	return nil
}
