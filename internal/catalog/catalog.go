// Package catalog knows what is stored: collections with their settings and counts,
// documents by the caller's id, chunks by their internal and public ids, and the
// embedding spaces that a collection's vectors live in. In: a database handle and
// ids. Out: plain values. Callers: internal/ingest, search, the commands.
//
// All functions may be called concurrently. They hold no state, so nothing here is
// ever stale.
package catalog

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DB is what the functions need of a database: a *pgxpool.Pool, a *pgx.Conn or a
// pgx.Tx.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// DefaultName is the collection that is meant where none is named.
const DefaultName = "default"

// OrDefault is the name, or [DefaultName] when it is empty.
func OrDefault(name string) string {
	if name == "" {
		return DefaultName
	}
	return name
}

// ErrNotFound is wrapped by every error about a collection, document or chunk that
// does not exist.
var ErrNotFound = errors.New("not found")

// ErrInvalid is wrapped by every error about settings that cannot be carried out.
var ErrInvalid = errors.New("invalid collection")
