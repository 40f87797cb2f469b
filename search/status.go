package search

import (
	"context"
	"fmt"
)

// Status is the state of the database and its collections.
type Status struct {
	Postgres      string           `json:"postgres"`
	Pgvector      string           `json:"pgvector"`
	DatabaseBytes int64            `json:"database_bytes"`
	Collections   []CollectionInfo `json:"collections"`
}

// Status reads the state of the database and its collections.
func (e *Engine) Status(ctx context.Context) (*Status, error) {
	var s Status
	err := e.pool.QueryRow(ctx, `select current_setting('server_version'),
		(select extversion from pg_extension where extname = 'vector'), pg_database_size(current_database())`).
		Scan(&s.Postgres, &s.Pgvector, &s.DatabaseBytes)
	if err != nil {
		return nil, fmt.Errorf("read database status: %w", err)
	}
	s.Collections, err = e.Collections(ctx)
	return &s, err
}

// Warm loads the embedding model and the reranker, so that the first search does not
// pay for it.
func (e *Engine) Warm(ctx context.Context) error {
	emb, err := e.embedder.get()
	if err != nil {
		return err
	}
	if _, err := emb.Query(ctx, "warm up"); err != nil {
		return err
	}
	_, err = e.Rerank(ctx, "warm up", []string{"warm up"})
	return err
}
