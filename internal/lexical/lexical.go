// Package lexical is exact BM25 on ordinary PostgreSQL. In: documents, within the
// caller's transaction, and queries. Out: chunk ids with scores, equal to scoring every
// chunk one by one. Callers: internal/ingest writes, search asks, cmd/bmcis maintains.
//
// The way of a query (Search): parse the text into clauses → view: one statement says
// which segments and deletions are committed → load: the lists of the terms, from the
// cache or in two reads → score: document frequencies over all segments, then the best
// documents of each segment → hits. The way of a document (Append): analyse → a small
// segment of the tail → Maintain seals and merges. docs/segment-format.md says why.
package lexical

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
)

// Config says how much an Index may hold.
type Config struct {
	// CacheBytes bounds the memory for the index's pages and lists. Defaults to 256 MiB.
	CacheBytes int64
}

const defaultCacheBytes = 256 << 20

// Index searches and maintains the lexical index of all collections of a database.
// Its methods may be called concurrently, from any number of processes.
type Index struct {
	pool     *pgxpool.Pool
	cache    *cache
	segments sync.Map // id int64 → *segState
	views    sync.Map // collection int64 → *atomic.Pointer[view]
	analyses sync.Map // language → *text.Analyzer
}

// New returns an index on a migrated database. The pool stays the caller's.
func New(pool *pgxpool.Pool, cfg Config) *Index {
	if cfg.CacheBytes <= 0 {
		cfg.CacheBytes = defaultCacheBytes
	}
	return &Index{pool: pool, cache: &cache{budget: cfg.CacheBytes}}
}

// FieldWeights multiply the term frequencies and lengths of the fields (BM25F in its
// simple form; Robertson, Zaragoza and Taylor, CIKM 2004). They act at query time: a
// change needs no reindex. The zero value means 1 for each.
type FieldWeights struct{ Title, Headings, Body, Path float64 }

// Collection is what the index must know of a collection.
type Collection struct {
	ID int64
	// Language of the analysis, see text.New. Empty means "english".
	Language string
	// K1 and B are the parameters of BM25. Both zero mean 1.2 and 0.75.
	K1, B   float64
	Weights FieldWeights
}

// params are a collection's parameters with the defaults filled in. They are a key of
// caches.
type params struct {
	k1, b   float64
	weights [segment.NumFields]float64
}

func (c Collection) params() (params, error) {
	p := params{k1: c.K1, b: c.B, weights: [segment.NumFields]float64{c.Weights.Title, c.Weights.Headings, c.Weights.Body, c.Weights.Path}}
	if p.k1 == 0 && p.b == 0 {
		p.k1, p.b = 1.2, 0.75
	}
	if !(p.k1 >= 0 && p.k1 <= 1000) || !(p.b >= 0 && p.b <= 1) {
		return p, fmt.Errorf("k1 = %v, b = %v: k1 must be 0..1000 and b 0..1", p.k1, p.b)
	}
	if c.Weights == (FieldWeights{}) {
		p.weights = [segment.NumFields]float64{1, 1, 1, 1}
	}
	for _, w := range p.weights {
		if !(w >= 0 && w <= 1000) {
			return p, fmt.Errorf("field weight %v: weights must be 0..1000", w)
		}
	}
	return p, nil
}

// analyzer is the analysis of a collection's language.
func (ix *Index) analyzer(language string) (*text.Analyzer, error) {
	if a, ok := ix.analyses.Load(language); ok {
		return a.(*text.Analyzer), nil
	}
	a, err := text.New(language)
	if err != nil {
		return nil, err
	}
	ix.analyses.Store(language, a)
	return a, nil
}

// Query asks for the best chunks.
type Query struct {
	Collection Collection
	// Text is words, "phrases" (which must occur, in this order), +must, -not,
	// field:word (title, headings, body, path; must occur there) and prefix*.
	Text string
	// Plain takes Text as words alone: quotes and signs in it mean nothing. For texts
	// that were not written as queries of this language.
	Plain bool
	// Filter keeps the chunks of documents that it holds for. Nil keeps all.
	Filter filter.Expr
	// Limit is the number of hits. Defaults to 10.
	Limit int
	// Seen is an analysis of the same collection: the query sees what it saw, which saves
	// reading the manifest. Nil sees what is committed now.
	Seen *Analysis
}

// Hit is a chunk and its BM25 score.
type Hit struct {
	Chunk int64
	Score float64
}

// Term is a term of the query with its statistics in the collection.
type Term struct {
	Text string
	DF   int64
	IDF  float64
}

// Result is the answer to a query, best first, ties by chunk id.
type Result struct {
	Hits []Hit
	// Total is the number of matching chunks: a lower bound unless TotalExact, since
	// chunks that cannot be among the best are not looked at.
	Total      int64
	TotalExact bool
	// Bound is the largest score that any chunk could have.
	Bound float64
	Terms []Term
	// Documents is the number of chunks in the collection.
	Documents  int64
	Generation int64
	Stats      Stats
	// Degraded names what was cut, ignored or could not be read.
	Degraded []string
}

// Stats says what a search did.
type Stats struct {
	Segments     int `json:"segments"`
	TailSegments int `json:"tail_segments"`
	// Blocks are those of the query's lists. Windows of documents were scored, or
	// skipped since they could not hold a hit. Postings were scored or looked up.
	Blocks         int64 `json:"blocks"`
	Windows        int64 `json:"windows"`
	WindowsSkipped int64 `json:"windows_skipped"`
	Postings       int64 `json:"postings"`
	// CacheHits are terms of segments that were in memory, CacheMisses those that were
	// read, BytesRead what that took from the database, CacheBytes what is in memory now.
	CacheHits   int64 `json:"cache_hits"`
	CacheMisses int64 `json:"cache_misses"`
	BytesRead   int64 `json:"bytes_read"`
	CacheBytes  int64 `json:"cache_bytes"`
	// View is the time for the statement that reads the manifest, Load for reading the
	// query's lists and evaluating its filter, Score for finding the best documents.
	View  time.Duration `json:"view_ns"`
	Load  time.Duration `json:"load_ns"`
	Score time.Duration `json:"score_ns"`
}

// CacheBytes is the memory that the cache holds now.
func (ix *Index) CacheBytes() int64 { return ix.cache.used.Load() }

// errGone says that a segment was merged away between two statements: look again.
var errGone = errors.New("segment has gone")

// retry runs f again with a fresh view while segments go away under it.
func retry(ctx context.Context, f func() error) error {
	for range 5 {
		if err := f(); !errors.Is(err, errGone) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return f()
}

func (ix *Index) viewSlot(collection int64) *atomic.Pointer[view] {
	if p, ok := ix.views.Load(collection); ok {
		return p.(*atomic.Pointer[view])
	}
	p, _ := ix.views.LoadOrStore(collection, &atomic.Pointer[view]{})
	return p.(*atomic.Pointer[view])
}
