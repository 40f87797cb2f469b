package search

import (
	"context"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/rerank"
)

// clock is a reranker that only looks at the time it is given.
type clock struct{ deadline time.Time }

func (c *clock) Rerank(ctx context.Context, _ string, passages []string) ([]float32, error) {
	c.deadline, _ = ctx.Deadline()
	return make([]float32, len(passages)), nil
}

func TestLoadingTheRerankerIsNotInItsBudget(t *testing.T) {
	const loading, budget = 20 * time.Millisecond, 10 * time.Millisecond
	model := &clock{}
	var loaded time.Time
	e := &Engine{}
	e.reranker.open = func() (rerank.Reranker, error) {
		time.Sleep(loading)
		loaded = time.Now()
		return model, nil
	}
	q := &query{engine: e, route: route.Plan{Rerank: true}}
	q.req.Limit, q.req.Rerank = 10, RerankOptions{Policy: RerankOn, TopK: 50, Weight: 0.3, Budget: budget}
	for i := range 6 {
		q.read = append(q.read, read{item: rank.Item{Score: 1 / float64(i+1)}, chunk: catalog.Chunk{Text: "text"}})
	}
	q.rerank(t.Context())
	if q.results.Stats.Reranked != 6 || len(q.results.Degraded) > 0 {
		t.Fatalf("%d passages scored, degraded %v", q.results.Stats.Reranked, q.results.Degraded)
	}
	if left := model.deadline.Sub(loaded); left < budget {
		t.Errorf("%s were left of a budget of %s after loading", left, budget)
	}
	times := q.results.Stats.Times
	if times.Load < milliseconds(loading) || times.Rerank < 0 {
		t.Errorf("loading took %.3f ms of %s, reranking %.3f ms", times.Load, loading, times.Rerank)
	}
}
