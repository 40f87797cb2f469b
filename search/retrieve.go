package search

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/internal/vector"
)

// legs is what BM25 and vector search found; nil where a leg did not run or failed.
type legs struct {
	lexical   *lexical.Result
	vector    *vector.Result
	embedding []float32
}

// retrieve runs the planned legs side by side. A failed leg is degraded as long as
// the other one answers.
func (q *query) retrieve(ctx context.Context) error {
	var lexErr, vecErr error
	var wg sync.WaitGroup
	if q.route.Mode != route.Vector {
		wg.Go(func() {
			q.timed(ctx, "lexical", &q.results.Stats.Times.Lexical, func() {
				q.legs.lexical, lexErr = q.engine.lex.Search(ctx, q.lexical(q.route.Window))
			})
		})
	}
	if q.route.Mode != route.Lexical {
		wg.Go(func() { vecErr = q.searchVectors(ctx) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := q.judgeLegs(lexErr, vecErr); err != nil {
		return err
	}
	return q.note(ctx)
}

// judgeLegs turns one leg's failure into a degradation, and fails when no leg is left.
func (q *query) judgeLegs(lexErr, vecErr error) error {
	if q.legs.lexical == nil && q.legs.vector == nil {
		return errors.Join(wrap("BM25 search", lexErr), wrap("vector search", vecErr))
	}
	if lexErr != nil {
		q.degrade("lexical", lexErr.Error())
	}
	if vecErr != nil {
		q.degrade("vector", vecErr.Error())
	}
	return nil
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// searchVectors embeds the query and asks for its neighbours. Vectors of another
// model are never compared with it: then the leg fails and says what mends it.
func (q *query) searchVectors(ctx context.Context) error {
	times := &q.results.Stats.Times
	var embedder *embed.Embedder
	var err error
	q.timed(ctx, "load", &times.Load, func() { embedder, err = q.engine.embedder.get() })
	if err != nil {
		return err
	}
	err = catalog.CheckSpace(ctx, q.engine.pool, q.coll, catalog.Space(embedder.Space()))
	var mismatch *catalog.SpaceError
	if errors.As(err, &mismatch) && mismatch.Usable {
		defer q.degrade("vector", mismatch.Error()) // some chunks have no vector yet; the others answer
	} else if err != nil {
		return err
	}
	if !embedder.Knows(q.route.Embed) {
		q.degrade("vector", fmt.Sprintf("model %s knows no character of the query; ask with words", embedder.Space().Model))
		return nil
	}
	q.timed(ctx, "embed", &times.Embed, func() { q.legs.embedding, err = embedder.Query(ctx, q.route.Embed) })
	if err != nil {
		return err
	}
	q.timed(ctx, "vector", &times.Vector, func() {
		q.legs.vector, err = vector.Search(ctx, q.engine.pool, vector.Query{
			CollectionID: q.coll.ID, Embedding: q.legs.embedding, Filter: q.req.Filter, Limit: q.route.Window,
		})
	})
	return err
}

// note records what the legs say about themselves.
func (q *query) note(ctx context.Context) error {
	r := &q.results
	r.Generation = q.coll.Generation
	r.Total.Relation = "ge"
	if l := q.legs.lexical; l != nil {
		r.Stats.LexicalCandidates = len(l.Hits)
		r.Stats.Index = IndexStats{Segments: l.Stats.Segments, TailSegments: l.Stats.TailSegments,
			CacheHits: l.Stats.CacheHits, CacheMisses: l.Stats.CacheMisses, ReadBytes: l.Stats.BytesRead}
		r.Total.Value = l.Total
		if q.route.Mode == route.Lexical && l.TotalExact {
			r.Total.Relation = "eq"
		}
		if q.wordless {
			q.degrade("lexical", "the query holds no letter or digit, so there is no word to look up")
		}
		for _, reason := range l.Degraded {
			q.degrade("lexical", reason)
		}
	}
	if q.route.Constrained && q.legs.lexical == nil {
		q.degrade("lexical", `quotes, +, - and field: in the query were not heeded: only BM25 does, in mode hybrid or lexical`)
	}
	if v := q.legs.vector; v != nil {
		r.Stats.VectorCandidates, r.Stats.VectorExact = len(v.Hits), v.Exact
		r.Total.Value = max(r.Total.Value, int64(len(v.Hits)))
		if v.Underfilled {
			q.degrade("vector", fmt.Sprintf("the index gave %d of %d neighbours that were asked for; some were not looked at", len(v.Hits), q.route.Window))
		}
	}
	if q.pinned >= 0 && q.pinned != r.Generation {
		q.degrade("cursor", fmt.Sprintf("the collection changed since the first page (generation %d, now %d); hits may repeat or be missing", q.pinned, r.Generation))
	}
	return nil
}

// scored is a leg's hits in the words of package rank. A phrase, +must, -not or
// field: in the query is a constraint, which only the BM25 leg can check: then the
// vector leg adds scores to its hits, and no hits of its own.
func (q *query) scored() (lexicalHits, vectorHits []rank.Scored) {
	matches := map[int64]bool{}
	if l := q.legs.lexical; l != nil {
		for _, h := range l.Hits {
			lexicalHits = append(lexicalHits, rank.Scored{ID: h.Chunk, Score: h.Score})
			matches[h.Chunk] = true
		}
	}
	if v := q.legs.vector; v != nil {
		constrained := q.route.Constrained && q.legs.lexical != nil
		for _, h := range v.Hits {
			if !constrained || matches[h.Chunk] {
				vectorHits = append(vectorHits, rank.Scored{ID: h.Chunk, Score: h.Cosine})
			}
		}
	}
	return lexicalHits, vectorHits
}
