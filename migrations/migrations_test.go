package migrations_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/migrations"
)

// TestDownAndUp: every migration can be taken back, leaves nothing of ours, and can be
// applied again.
func TestDownAndUp(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, 0); err != nil {
		t.Fatal(err)
	}
	var left int
	err = pool.QueryRow(ctx, `select
		(select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S', 'v') and relname not like 'goose%')
		+ (select count(*) from pg_proc where pronamespace = 'public'::regnamespace and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.deptype = 'e'))`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d things are left, %v", left, err)
	}
	if pending, err := migrations.Pending(ctx, pool); err != nil || !pending {
		t.Errorf("pending %v, %v", pending, err)
	}
	if err := migrations.Up(ctx, pool); err != nil {
		t.Fatal(err)
	}
	if pending, err := migrations.Pending(ctx, pool); err != nil || pending {
		t.Errorf("pending %v, %v", pending, err)
	}
}

// TestNewerDatabase: a database of a newer program is refused and left as it is.
func TestNewerDatabase(t *testing.T) {
	pool := pgtest.New(t)
	if _, err := pool.Exec(t.Context(), `insert into goose_db_version (version_id, is_applied) values (9999, true)`); err != nil {
		t.Fatal(err)
	}
	const want = "the database has schema 9999, this bmcis knows "
	if err := migrations.Up(t.Context(), pool); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Up: %v", err)
	}
	if _, err := migrations.Pending(t.Context(), pool); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Pending: %v", err)
	}
}
