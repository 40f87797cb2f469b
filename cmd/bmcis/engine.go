package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
	"github.com/bmcis/bmcis/search"
)

// openEngine opens the search engine on the database that the flags name.
func (g *globals) openEngine(ctx context.Context) (*search.Engine, error) {
	return search.Open(ctx, search.Config{
		DSN:  g.dsn,
		Warn: func(text string) { fmt.Fprintln(os.Stderr, "bmcis: warning: "+text) },
	})
}

// withPool runs f on the database that the flags name, brought to this program's schema.
func (g *globals) withPool(ctx context.Context, f func(pool *pgxpool.Pool) error) error {
	pool, done, err := private.Connect(ctx, pg.Config{DSN: g.dsn, Migrate: true, MaxConns: 4, Warn: g.warn})
	if err != nil {
		return err
	}
	defer done()
	return f(pool)
}
