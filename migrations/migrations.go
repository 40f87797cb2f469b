// Package migrations holds the database schema as numbered SQL files, embedded in
// the program, and brings a database to the newest version.
//
// In: a connection pool. Out: a database at the version of the newest file. Callers:
// search.Open, `bmcis db migrate` and the tests. Concurrent callers are safe: a
// session-level advisory lock lets one of them run and makes the others wait.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql
var files embed.FS

// Up applies every migration that the database lacks. A database of a newer program is
// left as it is, and is an error: this program does not know what its tables mean.
func Up(ctx context.Context, pool *pgxpool.Pool) error {
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if err := notAhead(ctx, p); err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

// Pending reports whether [Up] would change something. Its errors are those of Up.
func Pending(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	p, err := provider(db)
	if err != nil {
		return false, fmt.Errorf("read migrations: %w", err)
	}
	if err := notAhead(ctx, p); err != nil {
		return false, err
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("compare migrations: %w", err)
	}
	return pending, nil
}

func notAhead(ctx context.Context, p *goose.Provider) error {
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if has > knows {
		return fmt.Errorf("the database has schema %d, this bmcis knows %d; use the newer bmcis that brought it there, or restore a backup from before", has, knows)
	}
	return nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
}
