package search

import (
	"context"
	"fmt"
	"time"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/internal/vector"
)

// fuse makes one order out of both legs: the scores that a leg's window left out are
// computed, both are combined, and boosts are applied.
func (q *query) fuse(ctx context.Context) (err error) {
	q.timed(ctx, "fuse", &q.results.Stats.Times.Fuse, func() { err = q.fuseLegs(ctx) })
	return err
}

func (q *query) fuseLegs(ctx context.Context) error {
	lex, vec := q.completed(ctx)
	options := rank.FuseOptions{Method: rank.Method(q.req.Fusion), Weights: rank.Weights(q.route.Weights)}
	if q.legs.lexical != nil {
		options.Bounds.Lexical = q.legs.lexical.Bound
	}
	switch { // a leg that failed leaves its weight to the other
	case q.legs.lexical == nil:
		options.Weights = rank.Weights{Vector: 1}
	case q.legs.vector == nil:
		options.Weights = rank.Weights{Lexical: 1}
	}
	fused, err := rank.Fuse(options, lex, vec)
	if err != nil {
		return fmt.Errorf("fuse: %w", err)
	}
	q.fused = make(map[int64]rank.Fused, len(fused))
	items := make([]rank.Item, len(fused))
	for i, f := range fused {
		q.fused[f.ID] = f
		items[i] = rank.Item{ID: f.ID, Score: f.Score}
	}
	factors, err := q.boostFactors(ctx, items)
	if err != nil {
		return err
	}
	if q.exact, err = q.exactMatches(ctx, fused); err != nil {
		return err
	}
	q.order = rank.Guard(q.calibrate(rank.BoostAll(items, factors)), q.exact, max(q.req.Limit, leastGuarded))
	q.results.Stats.Candidates = len(q.order)
	return nil
}

// completed gives each leg the exact scores of the candidates that only the other
// one found, so that absence from a window never counts as a score of zero. A
// completion that fails costs only these scores.
func (q *query) completed(ctx context.Context) (lex, vec rank.Leg) {
	lex.Hits, vec.Hits = q.scored()
	if q.route.Mode != route.Hybrid || q.legs.lexical == nil || q.legs.vector == nil {
		return lex, vec
	}
	stats := &q.results.Stats
	if missing := without(vec.Hits, lex.Hits); len(missing) > 0 {
		scores, err := q.engine.lex.Score(ctx, q.lexical(len(missing)), missing)
		if err != nil {
			q.degrade("lexical", "complete scores: "+err.Error())
		}
		for i, s := range scores {
			lex.Completed = append(lex.Completed, rank.Scored{ID: missing[i], Score: s})
		}
		stats.Completed += len(scores)
	}
	if missing := without(lex.Hits, vec.Hits); len(missing) > 0 {
		scores, err := vector.Score(ctx, q.engine.pool, q.legs.embedding, missing)
		if err != nil {
			q.degrade("vector", "complete scores: "+err.Error())
		}
		for _, id := range missing { // in a fixed order
			if s, ok := scores[id]; ok {
				vec.Completed = append(vec.Completed, rank.Scored{ID: id, Score: s})
			}
		}
		stats.Completed += len(scores)
	}
	return lex, vec
}

// without returns the ids of a that are not in b.
func without(a, b []rank.Scored) []int64 {
	in := make(map[int64]bool, len(b))
	for _, s := range b {
		in[s.ID] = true
	}
	var ids []int64
	for _, s := range a {
		if !in[s.ID] {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// boostFactors asks the database which candidates a boost applies to.
func (q *query) boostFactors(ctx context.Context, items []rank.Item) (map[int64][]float64, error) {
	factors := map[int64][]float64{}
	if len(q.req.Boosts) == 0 || len(items) == 0 {
		return factors, nil
	}
	ids := idsOf(items)
	for i, b := range q.req.Boosts {
		var err error
		if b.When != nil {
			err = q.boostMatching(ctx, ids, b, factors)
		} else {
			err = q.boostRecent(ctx, ids, b, factors)
		}
		if err != nil {
			return nil, fmt.Errorf("boost %d: %w", i+1, err)
		}
	}
	return factors, nil
}

const candidateRows = `from chunks k
	join documents d on d.id = k.document_id
	join collections c on c.id = d.collection_id
	where k.id = any($1)`

func (q *query) boostMatching(ctx context.Context, ids []int64, b Boost, factors map[int64][]float64) error {
	where, args, err := filter.SQL(b.When, 2)
	if err != nil {
		return err
	}
	rows, err := q.engine.pool.Query(ctx, "select k.id "+candidateRows+" and ("+where+")", append([]any{ids}, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		factors[id] = append(factors[id], b.Factor)
	}
	return rows.Err()
}

func (q *query) boostRecent(ctx context.Context, ids []int64, b Boost, factors map[int64][]float64) error {
	column, ok := map[string]string{"": "updated_at", "updated": "updated_at", "created": "created_at"}[b.Field]
	if !ok {
		return invalid("recency field %q is neither updated nor created", b.Field)
	}
	rows, err := q.engine.pool.Query(ctx, "select k.id, d."+column+" "+candidateRows, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var at time.Time
		if err := rows.Scan(&id, &at); err != nil {
			return err
		}
		factors[id] = append(factors[id], rank.Recency(q.begun.Sub(at), b.HalfLife, 0.5))
	}
	return rows.Err()
}
