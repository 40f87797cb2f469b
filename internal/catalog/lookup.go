package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// ChunkIDs turns public chunk ids into internal ones, in the order given. Ids that do
// not exist are left out.
func ChunkIDs(ctx context.Context, db DB, collectionID int64, stableIDs []string) ([]int64, error) {
	rows, err := db.Query(ctx, `select k.id
		from unnest($2::text[]) with ordinality as want (stable_id, place)
		join chunks k on k.collection_id = $1 and k.stable_id = want.stable_id
		order by want.place`, collectionID, stableIDs)
	if err != nil {
		return nil, fmt.Errorf("look up %d chunks: %w", len(stableIDs), err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("look up %d chunks: %w", len(stableIDs), err)
	}
	return ids, nil
}

// Embedding returns the stored vector of a chunk, or an error that wraps
// [ErrNotFound] when the chunk does not exist or has no vector yet.
func Embedding(ctx context.Context, db DB, chunk int64) ([]float32, error) {
	var v *pgvector.HalfVector
	err := db.QueryRow(ctx, `select embedding from chunks where id = $1`, chunk).Scan(&v)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && v == nil) {
		return nil, fmt.Errorf("vector of chunk %d %w; index the collection again to make it", chunk, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read vector of chunk %d: %w", chunk, err)
	}
	return v.Slice(), nil
}

// Embeddings returns the stored vectors of chunks by internal id; chunks without one
// are left out.
func Embeddings(ctx context.Context, db DB, chunks []int64) (map[int64][]float32, error) {
	rows, err := db.Query(ctx, `select id, embedding from chunks where id = any($1) and embedding is not null`, chunks)
	if err != nil {
		return nil, fmt.Errorf("read %d vectors: %w", len(chunks), err)
	}
	vectors := make(map[int64][]float32, len(chunks))
	var id int64
	var v pgvector.HalfVector
	_, err = pgx.ForEachRow(rows, []any{&id, &v}, func() error {
		vectors[id] = v.Slice()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %d vectors: %w", len(chunks), err)
	}
	return vectors, nil
}
