// Package vector finds the chunks nearest in meaning to an embedding: a query vector
// and a filter go in, chunk ids with cosine similarities come out. Caller: search,
// beside internal/lexical.
//
// Small candidate sets are compared one by one, exactly; large ones through the HNSW
// index on halfvec. PostgreSQL's planner does not choose so by itself: under a filter
// of 1 to 2 % it takes HNSW, 8 to 27 times slower and with up to 40 % of the recall
// lost. So the choice is made here, by counting what the filter leaves.
package vector

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/bmcis/bmcis/filter"
)

const (
	// ExactRows is up to how many chunks are compared one by one: about 1 µs each.
	ExactRows = 10_000

	// minEfSearch: at 200,000 chunks the 20 nearest are found at 0.94 with 100 and at 0.97
	// with 200 (bmcis eval recall).
	minEfSearch = 200
	maxEfSearch = 1000 // pgvector's largest

	// maxScanTuples bounds how far an iterative scan goes on under a filter. pgvector's
	// 20,000 loses half of the hits under filters of 1 %; such filters on collections
	// of up to some millions are exact here anyway.
	maxScanTuples = 100_000
)

// DB is what this package needs of a database; *pgxpool.Pool and pgx.Tx are one.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Query asks for the nearest chunks of one collection.
type Query struct {
	CollectionID int64
	// Embedding is the query vector. Its length does not matter, but it must not be 0.
	Embedding []float32
	// Filter keeps only chunks whose document matches. Nil keeps all.
	Filter filter.Expr
	// Limit is the largest number of hits, at least 1.
	Limit int
	// EfSearch is the size of HNSW's candidate list. Defaults to max(200, Limit), and
	// under a filter to 1,000, the most: larger values find more and take longer.
	EfSearch int
	// Exact compares every chunk that the filter leaves, however many: about 1 µs each.
	// To measure the index by.
	Exact bool
}

// Hit is one chunk and its cosine similarity, −1 to 1.
type Hit struct {
	Chunk  int64
	Cosine float64
}

// Result is an answer: hits by cosine, highest first, equal ones by chunk id.
type Result struct {
	Hits []Hit
	// Exact is true when every chunk that the filter leaves was compared. Otherwise
	// the HNSW index chose, and a few of the nearest may be missing.
	Exact bool
	// Underfilled is true when there are fewer than Limit hits although the filter
	// leaves more chunks: the index scan gave up before it found them.
	Underfilled bool
	// Candidates is the number of chunks with vectors that the filter leaves: exact
	// when Exact, else only known to be above ExactRows.
	Candidates int64
}

// Search returns the chunks nearest to q.Embedding. Chunks without a vector are not
// found. It reads in one transaction, so count and search see the same data, and may
// be called concurrently.
func Search(ctx context.Context, db DB, q Query) (*Result, error) {
	return search(ctx, db, q, ExactRows)
}

// search is Search with the largest number of chunks to compare one by one.
func search(ctx context.Context, db DB, q Query, exactRows int64) (*Result, error) {
	v, err := halfvec(q.Embedding)
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	if q.Limit < 1 {
		return nil, fmt.Errorf("search vectors: limit must be at least 1, got %d", q.Limit)
	}
	from, args, err := candidates(q)
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	tx, err := db.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it only reads
	if q.Exact {
		exactRows = math.MaxInt32
	}
	res := &Result{}
	res.Candidates, err = count(ctx, tx, from, args, exactRows)
	if err != nil {
		return nil, fmt.Errorf("search vectors: count candidates: %w", err)
	}
	res.Exact = res.Candidates <= exactRows
	if res.Exact {
		res.Hits, err = exact(ctx, tx, from, args, v, q.Limit)
	} else {
		res.Hits, err = approximate(ctx, tx, from, args, v, q)
	}
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	res.Underfilled = int64(len(res.Hits)) < min(int64(q.Limit), res.Candidates)
	return res, nil
}

// candidates is the FROM and WHERE of the chunks that the filter leaves. $1 is the
// collection.
func candidates(q Query) (from string, args []any, err error) {
	from, args = "from chunks k", []any{q.CollectionID}
	if q.Filter == nil {
		return from + " where k.collection_id = $1 and k.embedding is not null", args, nil
	}
	where, more, err := filter.SQL(q.Filter, 2)
	if err != nil {
		return "", nil, err
	}
	from += " join documents d on d.id = k.document_id"
	if filter.NeedsCollection(q.Filter) {
		from += " join collections c on c.id = d.collection_id"
	}
	// The documents' collection is the chunks'; said twice, it lets the planner start
	// from either table.
	from += " where k.collection_id = $1 and d.collection_id = $1 and k.embedding is not null and " + where
	return from, append(args, more...), nil
}

// count stops one above most, so that it costs no more on a large collection.
func count(ctx context.Context, tx pgx.Tx, from string, args []any, most int64) (n int64, err error) {
	sql := fmt.Sprintf("select count(*) from (select %s limit %d) as found", from, most+1)
	return n, tx.QueryRow(ctx, sql, args...).Scan(&n)
}

// exact sorts by an expression that the index does not know, hence "+ 0".
func exact(ctx context.Context, tx pgx.Tx, from string, args []any, v pgvector.HalfVector, limit int) ([]Hit, error) {
	n := len(args)
	sql := fmt.Sprintf("select k.id, (k.embedding <=> $%d::halfvec) + 0 as distance %s order by distance, k.id limit $%d", n+1, from, n+2)
	return hits(ctx, tx, sql, append(slices.Clone(args), v, limit))
}

// approximate walks the HNSW index. relaxed_order goes on where the filter leaves too
// few, in nearly the right order; the order is mended here.
func approximate(ctx context.Context, tx pgx.Tx, from string, args []any, v pgvector.HalfVector, q Query) ([]Hit, error) {
	ef := q.EfSearch
	switch {
	case ef == 0 && q.Filter != nil:
		// The scan ends as soon as Limit candidates pass the filter, and one list of 200 has
		// that many under a filter of 10 %: the nearer ones of the next are never seen.
		ef = maxEfSearch
	case ef == 0:
		ef = max(minEfSearch, q.Limit)
	}
	settings := fmt.Sprintf("set local hnsw.ef_search = %d; set local hnsw.iterative_scan = relaxed_order; set local hnsw.max_scan_tuples = %d",
		min(max(ef, 1), maxEfSearch), maxScanTuples)
	// The simple protocol takes the three in one round trip; they hold nothing from outside.
	if _, err := tx.Exec(ctx, settings, pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, fmt.Errorf("set the options of the index scan (pgvector 0.8 or newer is needed): %w", err)
	}
	n := len(args)
	sql := fmt.Sprintf("select k.id, k.embedding <=> $%d::halfvec as distance %s order by distance limit $%d", n+1, from, n+2)
	return hits(ctx, tx, sql, append(slices.Clone(args), v, q.Limit))
}

func hits(ctx context.Context, tx pgx.Tx, sql string, args []any) ([]Hit, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, scanHit)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, Hit.compare)
	return found, nil
}

func scanHit(row pgx.CollectableRow) (h Hit, err error) {
	var distance float64
	err = row.Scan(&h.Chunk, &distance)
	h.Cosine = similarity(distance)
	return h, err
}

// compare orders by cosine, highest first, then by id.
func (h Hit) compare(other Hit) int {
	switch {
	case h.Cosine > other.Cosine:
		return -1
	case h.Cosine < other.Cosine:
		return 1
	case h.Chunk < other.Chunk:
		return -1
	case h.Chunk > other.Chunk:
		return 1
	}
	return 0
}

// similarity is 1 − distance; a stored vector of length 0 has no angle and gets 0.
func similarity(distance float64) float64 {
	if math.IsNaN(distance) {
		return 0
	}
	return max(-1, min(1, 1-distance))
}

// Score returns the cosine similarity of each of these chunks, computed exactly as
// [Search] does. Chunks that do not exist or have no vector are left out.
func Score(ctx context.Context, db DB, embedding []float32, chunks []int64) (map[int64]float64, error) {
	scores := make(map[int64]float64, len(chunks))
	if len(chunks) == 0 {
		return scores, nil
	}
	v, err := halfvec(embedding)
	if err != nil {
		return nil, fmt.Errorf("score %d chunks: %w", len(chunks), err)
	}
	rows, err := db.Query(ctx, `select k.id, (k.embedding <=> $1::halfvec) + 0 from chunks k
		where k.id = any($2::bigint[]) and k.embedding is not null`, v, chunks)
	if err != nil {
		return nil, fmt.Errorf("score %d chunks: %w", len(chunks), err)
	}
	found, err := pgx.CollectRows(rows, scanHit)
	if err != nil {
		return nil, fmt.Errorf("score %d chunks: %w", len(chunks), err)
	}
	for _, h := range found {
		scores[h.Chunk] = h.Cosine
	}
	return scores, nil
}

// halfvec refuses what has no direction.
func halfvec(v []float32) (pgvector.HalfVector, error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return pgvector.HalfVector{}, fmt.Errorf("the query vector of %d dimensions has length %v", len(v), math.Sqrt(sum))
	}
	return pgvector.NewHalfVector(v), nil
}
