// Package lexical is exact BM25 on ordinary PostgreSQL. In: documents, within the
// caller's transaction, and queries. Out: chunk ids with scores, equal to scoring
// every chunk one by one. Callers: internal/ingest writes, search asks.
package lexical

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/filter"
)

// Config says how much an Index may hold.
type Config struct {
	// CacheBytes bounds the memory for index pages. Defaults to 256 MiB.
	CacheBytes int64
}

// Index searches and maintains the lexical index of all collections of a database.
// Its methods may be called concurrently, from any number of processes.
type Index struct {
	pool *pgxpool.Pool
	cfg  Config
}

// New returns an index on a migrated database. The pool stays the caller's.
func New(pool *pgxpool.Pool, cfg Config) *Index { return &Index{pool: pool, cfg: cfg} }

// FieldWeights multiply the term frequencies of the fields (BM25F). They act at
// query time: a change needs no reindex. The zero value means 1 for each.
type FieldWeights struct{ Title, Headings, Body, Path float64 }

// Collection is what the index must know of a collection.
type Collection struct {
	ID       int64
	Language string // empty: "english"
	// K1 and B are the parameters of BM25; both zero: 1.2 and 0.75.
	K1, B   float64
	Weights FieldWeights
}

// Document is one chunk to index.
type Document struct {
	Chunk             int64
	Title, Body, Path string
	Headings          []string
}

// Query asks for the best chunks. Text is words, "phrases", +must, -not,
// field:word (title, headings, body, path) and prefix*.
type Query struct {
	Collection Collection
	Text       string
	Filter     filter.Expr // nil: all
	Limit      int         // 0: 10
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
	// Total is the number of matching chunks; a lower bound unless TotalExact.
	Total      int64
	TotalExact bool
	// Bound is the largest score that any chunk could have.
	Bound float64
	Terms []Term
	// Documents is the number of chunks in the collection.
	Documents  int64
	Generation int64
	Stats      Stats
	// Degraded names what was cut or could not be read.
	Degraded []string
}

// Stats says what a search did.
type Stats struct {
	Segments, TailSegments  int
	Windows, WindowsSkipped int
	Postings                int64 // scored
	CacheHits, CacheMisses  int64
	BytesRead               int64
}

// Analysis is a parsed query with the statistics of its terms.
type Analysis struct {
	Terms     []Term
	Phrases   []string
	Documents int64
	Notes     []string
}

// Explanation says how a score came about.
type Explanation struct {
	Chunk   int64
	Score   float64
	Formula string
	Terms   []TermScore
}

// TermScore is one term's part in a score.
type TermScore struct {
	Term
	Frequency FieldWeights // per field
	Score     float64
}

// MaintainReport says what Maintain did.
type MaintainReport struct {
	Sealed, Merged, Dropped int
	Busy                    bool
}

// Search finds the best chunks.
func (ix *Index) Search(ctx context.Context, q Query) (*Result, error) { return &Result{}, nil }

// Score gives the exact BM25 of chunks, 0 where no term matches.
func (ix *Index) Score(ctx context.Context, q Query, chunks []int64) ([]float64, error) {
	return make([]float64, len(chunks)), nil
}

// Explain says how the score of a chunk comes about.
func (ix *Index) Explain(ctx context.Context, q Query, chunk int64) (*Explanation, error) {
	return &Explanation{Chunk: chunk}, nil
}

// Analyze parses text as a query and looks up its terms.
func (ix *Index) Analyze(ctx context.Context, c Collection, text string) (*Analysis, error) {
	return &Analysis{}, nil
}

// Append adds documents to the tail, inside the caller's transaction.
func (ix *Index) Append(ctx context.Context, tx pgx.Tx, c Collection, docs []Document) error {
	return nil
}

// Delete removes chunks, inside the caller's transaction. Append after Delete of the
// same chunk replaces it.
func (ix *Index) Delete(ctx context.Context, tx pgx.Tx, c Collection, chunks []int64) error {
	return nil
}

// Maintain seals the tail and merges segments. Any node may call it at any time.
func (ix *Index) Maintain(ctx context.Context, c Collection) (MaintainReport, error) {
	return MaintainReport{}, nil
}
