package search

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// An Observer is told what searches do, for metrics and traces. Its methods are called
// concurrently and on the searches' own time.
type Observer interface {
	// Begin is called when a search begins; the search goes on in the context it returns.
	Begin(ctx context.Context) context.Context
	// Stage is called when a stage begins: plan, load, embed, lexical, vector, fuse,
	// hydrate or rerank. What it returns is called when the stage ends.
	Stage(ctx context.Context, stage string) (end func())
	// End is called once for each Begin, with the answer or the error of the search.
	End(ctx context.Context, results *Results, err error, took time.Duration)
}

// IndexStats says what a search did in the lexical index.
type IndexStats struct {
	// Segments that were looked at, TailSegments of them in the tail.
	Segments     int `json:"segments"`
	TailSegments int `json:"tail_segments"`
	// CacheHits are lists of terms that were in memory, CacheMisses those that were read,
	// ReadBytes what that took from the database.
	CacheHits   int64 `json:"cache_hits"`
	CacheMisses int64 `json:"cache_misses"`
	ReadBytes   int64 `json:"read_bytes"`
}

// observed runs a search under the engine's observer.
func (e *Engine) observed(ctx context.Context, search func(context.Context) (*Results, error)) (*Results, error) {
	o := e.cfg.Observer
	if o == nil {
		return search(ctx)
	}
	begun := time.Now()
	ctx = o.Begin(ctx)
	results, err := search(ctx)
	o.End(ctx, results, err, time.Since(begun))
	return results, err
}

// timed runs a stage and adds its wall time to *ms.
func (q *query) timed(ctx context.Context, stage string, ms *float64, f func()) {
	if o := q.engine.cfg.Observer; o != nil {
		defer o.Stage(ctx, stage)()
	}
	timed(ms, f)
}

// IndexHealth is the state of the stored index, over all collections.
type IndexHealth struct {
	Collections, Documents, Chunks int64
	// Segments of the lexical index; TailSegments of them hold what was written since
	// the last were sealed. Tombs are deletions that no merge has applied yet.
	Segments, TailSegments, Tombs int64
	// CacheBytes is what this process holds of the lexical index in memory.
	CacheBytes int64
}

// IndexHealth reads the state of the stored index. It counts rows, so it is for every few
// seconds, not for every search.
func (e *Engine) IndexHealth(ctx context.Context) (h IndexHealth, err error) {
	h.CacheBytes = e.lex.CacheBytes()
	err = e.pool.QueryRow(ctx, `select (select count(*) from collections), (select count(*) from documents), (select count(*) from chunks),
		(select count(*) from lex_segments), (select count(*) from lex_segments where level = 0), (select count(*) from lex_tombs)`).
		Scan(&h.Collections, &h.Documents, &h.Chunks, &h.Segments, &h.TailSegments, &h.Tombs)
	return h, err
}

// Models reports which models are in memory. One that is not is loaded by the next search
// that needs it; what cannot be loaded is named in that search's Degraded.
func (e *Engine) Models() (embedding, reranker bool) {
	_, embedding = e.embedder.opened()
	_, reranker = e.reranker.opened()
	return embedding, reranker
}

// Pool returns the database connections that the engine works with.
func (e *Engine) Pool() *pgxpool.Pool { return e.pool }

// FailureKind names what kind of error a search ended with, for counting: invalid,
// not_found, cancelled, timeout or failed; "" for nil.
func FailureKind(err error) string {
	switch {
	case err == nil:
		return ""
	case IsInvalidRequest(err):
		return "invalid"
	case errors.Is(err, ErrNotFound):
		return "not_found"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "failed"
}
