// Package private runs a PostgreSQL cluster of our own under BMCIS_HOME.
package private

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg"
)

// Ensure makes sure that the private cluster of this BMCIS_HOME runs and
// returns its DSN. Until release is called (or the process ends) the cluster
// counts as used and is not stopped for idleness. release may be called twice.
func Ensure(ctx context.Context) (dsn string, release func(), err error) {
	return "", nil, errors.New("not built yet")
}

// Connect opens cfg.DSN, or the private cluster when it is empty. A pool on the
// private cluster starts it again when it has died. close closes the pool too.
func Connect(ctx context.Context, cfg pg.Config) (pool *pgxpool.Pool, close func(), err error) {
	return nil, nil, errors.New("not built yet")
}
