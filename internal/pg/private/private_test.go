package private

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/pg"
)

// bin returns the folder of initdb and postgres: BMCIS_TEST_PG_BIN, or what
// setup fetched. Without either the test is skipped, and fails when CI is set.
func bin(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("BMCIS_TEST_PG_BIN"); dir != "" {
		return dir
	}
	dir, err := home.PostgresBin()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no PostgreSQL to test with: %v", err)
		}
		t.Skipf("no PostgreSQL to test with: %v", err)
	}
	return dir
}

// folder is t.TempDir, but short and with parents that everybody may enter.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bmcis-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func cluster(t *testing.T, dir string) *Cluster {
	t.Helper()
	c, err := New(Config{Home: filepath.Join(dir, "home"), Bin: bin(t), Idle: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := c.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
		if t.Failed() {
			log, _ := os.ReadFile(c.LogFile())
			t.Logf("postgres.log:\n%s", log)
		}
	})
	return c
}

func ensure(t *testing.T, c *Cluster) string {
	t.Helper()
	dsn, release, err := c.Ensure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return dsn
}

func one(t *testing.T, dsn, sql string) (value string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func TestEnsureMakesAClusterOfItsOwn(t *testing.T) {
	t.Parallel()
	c := cluster(t, filepath.Join(folder(t), `it's "é" \ is it`))
	begin := time.Now()
	dsn := ensure(t, c)
	t.Logf("made and started in %s", time.Since(begin).Round(time.Millisecond))
	for sql, want := range map[string]string{
		"select current_database()":    "bmcis",
		"show listen_addresses":        "",
		"show fsync":                   "on",
		"show server_encoding":         "UTF8",
		"show unix_socket_permissions": "0700",
		"select datcollate from pg_database where datname = 'bmcis'":          "C",
		"select string_agg(distinct auth_method, ',') from pg_hba_file_rules": "peer",
	} {
		if got := one(t, dsn, sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	begin = time.Now()
	if again := ensure(t, c); again != dsn {
		t.Errorf("second Ensure gives %s, first %s", again, dsn)
	}
	t.Logf("second Ensure in %s", time.Since(begin).Round(time.Millisecond))
}

func TestConnectMigratesAndComesBackAfterStop(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	pool, close, err := c.Connect(t.Context(), pg.Config{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer close()
	if _, err := pool.Exec(t.Context(), "insert into collections (name) values ('kept')"); err != nil {
		t.Fatal(err)
	}
	if was, err := c.Stop(t.Context()); err != nil || !was {
		t.Fatalf("stop: %v %v", was, err)
	}
	// Connections that the stop cut off may fail once; the next ones are new.
	var name string
	for try := 0; ; try++ {
		err = pool.QueryRow(t.Context(), "select name from collections").Scan(&name)
		if err == nil {
			break
		}
		if try == 5 {
			t.Fatal(err)
		}
	}
	if name != "kept" {
		t.Errorf("found %q", name)
	}
}
