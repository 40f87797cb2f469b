// Package vector finds the chunks nearest in meaning to an embedding: a query vector
// and a filter go in, chunk ids with cosine similarities come out. search calls it,
// beside internal/lexical.
package vector

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/filter"
)

// DB is what this package needs of a database; *pgxpool.Pool, *pgx.Conn and pgx.Tx are one.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Query asks for the nearest chunks of one collection.
type Query struct {
	CollectionID int64
	// Embedding is the query vector, of unit length.
	Embedding []float32
	// Filter keeps only chunks whose document matches. Nil keeps all.
	Filter filter.Expr
	// Limit is the largest number of hits. Required.
	Limit int
	// EfSearch is the size of HNSW's candidate list. Defaults to max(100, Limit);
	// pgvector's largest is 1,000.
	EfSearch int
}

// Hit is one chunk and its cosine similarity, −1 to 1.
type Hit struct {
	Chunk  int64
	Cosine float64
}

// Result is an answer: hits by cosine, highest first, ties by chunk id.
type Result struct {
	Hits []Hit
	// Exact is true when every chunk that the filter leaves was compared.
	Exact bool
	// Underfilled is true when there are fewer hits than Limit although more chunks may match.
	Underfilled bool
	// Candidates is the number of chunks that the filter leaves: counted up to a bound
	// when Exact, estimated otherwise.
	Candidates int64
}

// Search returns the chunks nearest to q.Embedding.
func Search(ctx context.Context, db DB, q Query) (*Result, error) { return &Result{}, nil }

// Score returns the cosine similarity of each of these chunks. Chunks that do not
// exist or have no vector are left out.
func Score(ctx context.Context, db DB, embedding []float32, chunks []int64) (map[int64]float64, error) {
	return nil, nil
}
