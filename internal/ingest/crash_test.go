package ingest

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// crashDatabase names the database in which the second process of the crash test works.
const crashDatabase = "BMCIS_TEST_CRASH_DATABASE"

// TestIndexUntilKilled is the second process.
func TestIndexUntilKilled(t *testing.T) {
	name := os.Getenv(crashDatabase)
	if name == "" {
		return
	}
	cfg, err := pgxpool.ParseConfig(os.Getenv("BMCIS_TEST_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.ConnConfig.Database = name
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for version := uint64(1); ; version++ {
		if _, err := newIndexer(t, pool, newHashEncoder("a")).Index(context.Background(), Options{Prune: true}, corpus(150, version)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKilledProcessLosesNothing(t *testing.T) {
	pool := pgtest.New(t)
	enc := newHashEncoder("a")
	mustIndex(t, newIndexer(t, pool, enc), Options{}, corpus(150, 0))
	for range 6 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestIndexUntilKilled$")
		cmd.Env = append(os.Environ(), crashDatabase+"="+pool.Config().ConnConfig.Database)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+rand.IntN(600)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		// A transaction that had begun may still commit: wait until the server noticed.
		quiet(t, pool)
		if n := checkStored(t, pool, enc, "default"); n != 150 {
			t.Fatalf("%d documents after the process was killed", n)
		}
	}
	mustIndex(t, newIndexer(t, pool, enc), Options{}, corpus(150, 9))
	checkStored(t, pool, enc, "default")
}

// quiet waits until no other connection to the database works.
func quiet(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for range 200 {
		var busy int
		err := pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`).Scan(&busy)
		if err != nil {
			t.Fatal(err)
		}
		if busy == 0 {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("the killed process's transaction does not end")
}
