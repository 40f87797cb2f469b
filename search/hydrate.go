package search

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/rank"
)

// read is a candidate with its text.
type read struct {
	item      rank.Item
	chunk     catalog.Chunk
	relevance *float64 // the reranker's, where it ran
}

// hydrate reads the texts of the candidates that may reach the page. Those that were
// deleted since they were ranked are dropped; grouping and variety need all of them.
func (q *query) hydrate(ctx context.Context) (err error) {
	q.timed(ctx, "hydrate", &q.results.Stats.Times.Hydrate, func() { err = q.readCandidates(ctx) })
	return err
}

func (q *query) readCandidates(ctx context.Context) error {
	need := len(q.order)
	if q.req.GroupBy == "" && q.req.Diversity == 0 {
		page := q.offset + q.req.Limit + spare
		if q.mayRerank() {
			page = max(page, q.req.Rerank.TopK)
		}
		need = min(need, page)
	}
	if q.route.Name != "" {
		need = max(need, min(len(q.order), nameWindow))
	}
	q.looked = need
	chunks, err := catalog.Hydrate(ctx, q.engine.pool, idsOf(q.order[:need]))
	if err != nil {
		return err
	}
	q.read = pair(q.order[:need], chunks)
	q.results.Stats.Dropped = need - len(q.read)
	q.leadWithName()
	if q.req.GroupBy != "" {
		q.group()
	}
	if q.req.Diversity > 0 {
		return q.diversify(ctx)
	}
	return nil
}

func idsOf(items []rank.Item) []int64 {
	ids := make([]int64, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids
}

// pair puts candidates and their chunks together, in the order of the candidates and
// without those that have none.
func pair(items []rank.Item, chunks []catalog.Chunk) []read {
	byID := make(map[int64]catalog.Chunk, len(chunks))
	for _, c := range chunks {
		byID[c.ID] = c
	}
	pairs := make([]read, 0, len(chunks))
	for _, item := range items {
		if c, ok := byID[item.ID]; ok {
			pairs = append(pairs, read{item: item, chunk: c})
		}
	}
	return pairs
}

// spare is how many candidates more than the page are read, so that it stays full
// when some were deleted meanwhile.
const spare = 10

// group keeps the best candidate of each group; what lacks the field stands alone.
func (q *query) group() {
	keys := make(map[int64]string, len(q.read))
	for _, r := range q.read {
		keys[r.item.ID] = groupKey(r.chunk, q.req.GroupBy)
	}
	q.reorder(rank.Group(q.items(), 1, func(id int64) string { return keys[id] }))
}

func groupKey(c catalog.Chunk, field string) string {
	switch field {
	case "document":
		return c.DocumentID
	case "source":
		return c.Source
	}
	v, ok := c.Metadata[field]
	if !ok {
		return fmt.Sprint("chunk ", c.ID)
	}
	key, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint("chunk ", c.ID)
	}
	return string(key)
}

// diversify orders by maximal marginal relevance over the stored vectors.
func (q *query) diversify(ctx context.Context) error {
	ids := make([]int64, len(q.read))
	for i, r := range q.read {
		ids[i] = r.item.ID
	}
	vectors, err := catalog.Embeddings(ctx, q.engine.pool, ids)
	if err != nil {
		return err
	}
	items, err := rank.MMR(q.items(), q.req.Diversity, func(a, b int64) float64 {
		return dot(vectors[a], vectors[b])
	})
	if err != nil {
		return invalid("%v", err)
	}
	q.reorder(items)
	return nil
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func (q *query) items() []rank.Item {
	items := make([]rank.Item, len(q.read))
	for i, r := range q.read {
		items[i] = r.item
	}
	return items
}

// reorder puts the read candidates into the order of items and takes their scores.
func (q *query) reorder(items []rank.Item) {
	byID := make(map[int64]read, len(q.read))
	for _, r := range q.read {
		byID[r.item.ID] = r
	}
	next := make([]read, len(items))
	for i, item := range items {
		next[i] = byID[item.ID]
		next[i].item = item
	}
	q.read = next
}
