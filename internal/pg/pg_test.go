package pg_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// isError reports whether err is a [*pg.Error] of this kind.
func isError(err error, kind pg.Kind) bool {
	var e *pg.Error
	return errors.As(err, &e) && e.Kind == kind
}

// dsnOf writes the DSN of a test's database.
func dsnOf(pool *pgxpool.Pool) string {
	c := pool.Config().ConnConfig
	q := url.Values{"host": {c.Host}, "port": {"5432"}, "user": {c.User}, "dbname": {c.Database}}
	var words []string
	for k := range q {
		words = append(words, k+"='"+q.Get(k)+"'")
	}
	if c.Password != "" {
		words = append(words, "password='"+c.Password+"'")
	}
	return strings.Join(words, " ")
}

func TestOpenMigratesAndKnowsVectors(t *testing.T) {
	for _, pooler := range []bool{false, true} {
		dsn := dsnOf(pgtest.Empty(t))
		if pooler {
			dsn = throughPooler(t, dsn)
		}
		pool, err := pg.Open(t.Context(), pg.Config{DSN: dsn, Migrate: true, MaxConns: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		want := pgvector.NewHalfVector([]float32{0.5, -1, 2})
		for range 3 {
			var got pgvector.HalfVector
			if err := pool.QueryRow(t.Context(), "select $1::halfvec", want).Scan(&got); err != nil || got.String() != want.String() {
				t.Fatalf("pooler %v: %v, %v", pooler, got, err)
			}
		}
		conn, err := pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := conn.Conn().TypeMap().TypeForName("halfvec"); !ok {
			t.Error("a connection of the migrated pool does not know halfvec")
		}
		conn.Release()
		info, err := pg.Inspect(t.Context(), pool)
		if err != nil || info.VectorInstalled == "" || info.ServerNum < 130000 || !info.CanCreate {
			t.Errorf("%+v, %v", info, err)
		}
	}
}

// Prepared statements are kept on a direct connection, and never through a pooler, which
// would mix them up; nor where the DSN says how statements are to be sent.
func TestStatementsAreKeptOnDirectConnectionsOnly(t *testing.T) {
	base := dsnOf(pgtest.Empty(t))
	kept := func(dsn string) (n int) {
		t.Helper()
		pool, err := pg.Open(t.Context(), pg.Config{DSN: dsn, MaxConns: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		for i := range 5 {
			if err := pool.QueryRow(t.Context(), "select count(*) from pg_prepared_statements where $1::int = $1", i).Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	if kept(base) == 0 {
		t.Error("no prepared statement on a direct connection")
	}
	if n := kept(base + " default_query_exec_mode=exec"); n != 0 {
		t.Errorf("%d prepared statements against the DSN", n)
	}
	if n := kept(throughPooler(t, base)); n != 0 {
		t.Errorf("%d prepared statements through a pooler", n)
	}
}

// throughPooler gives a DSN of a listener that hands all on to dsn, but tells connections
// a process number of its own, as poolers do.
func throughPooler(t *testing.T, dsn string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pooler") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); os.RemoveAll(dir) })
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				client.Close()
				continue
			}
			go func() { io.Copy(server, client); server.Close() }()
			go func() { defer client.Close(); renumber(client, server) }()
		}
	}()
	return strings.Replace(dsn, "host='"+cfg.Host+"'", "host='"+dir+"'", 1)
}

// renumber copies a server's messages, with another number in BackendKeyData.
func renumber(client io.Writer, server io.Reader) {
	for head := make([]byte, 5); ; {
		if _, err := io.ReadFull(server, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(server, body); err != nil {
			return
		}
		if head[0] == 'K' {
			body[3]++
		}
		if _, err := client.Write(append(head, body...)); err != nil {
			return
		}
	}
}

func TestErrorsNameTheRemedy(t *testing.T) {
	base := dsnOf(pgtest.Empty(t))
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	port := func(l net.Listener) string { _, p, _ := net.SplitHostPort(l.Addr().String()); return p }
	secret := "sesame"
	for name, c := range map[string]struct {
		dsn  string
		kind pg.Kind
		want string
	}{
		"rubbish":         {"what is this", pg.BadDSN, "write it as postgres://"},
		"bad port":        {"postgres://u:" + secret + "@h:port/db", pg.BadDSN, "wrong database DSN"},
		"bad setting":     {"host=h password=" + secret + " sslmode=perhaps", pg.BadDSN, "sslmode"},
		"nothing listens": {"postgres://u:" + secret + "@127.0.0.1:" + port(closed) + "/db", pg.Unreachable, "nothing listens there"},
		"no socket":       {"host=/nowhere user=u", pg.Unreachable, "no socket there"},
		"unknown host":    {"postgres://u:" + secret + "@no-such-host.invalid/db", pg.Unreachable, "host name is unknown"},
		"silence":         {"postgres://u@127.0.0.1:" + port(silent) + "/db?connect_timeout=1&sslmode=disable", pg.Unreachable, "no answer in time"},
		"no database":     {strings.Replace(base, "dbname='", "dbname='no_such_", 1), pg.NoDatabase, "createdb"},
		"no role":         {strings.Replace(base, "user='", "user='no_such_", 1), pg.AuthFailed, "check user and password"},
	} {
		_, err := pg.Open(t.Context(), pg.Config{DSN: c.dsn})
		var e *pg.Error
		if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") || e.Hint == "" {
			t.Errorf("%s: tells a secret, has two lines or no hint: %q", name, err)
		}
	}
}

func TestMissingPrivileges(t *testing.T) {
	admin := pgtest.Empty(t)
	role := "bmcis_test_role_" + strings.ToLower(admin.Config().ConnConfig.Database[len("bmcis_test_"):])
	if _, err := admin.Exec(t.Context(), "create role "+role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Exec(context.Background(), "drop role "+role) })
	dsn := dsnOf(admin) + " options='-c role=" + role + "'"
	_, err := pg.Open(t.Context(), pg.Config{DSN: dsn, Migrate: true})
	if !isError(err, pg.Privileges) || !strings.Contains(err.Error(), "grant create") {
		t.Errorf("%v", err)
	}
}

func TestCancelledOpen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pg.Open(ctx, pg.Config{DSN: dsnOf(pgtest.Empty(t))}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestDumpAndRestore(t *testing.T) {
	from := pgtest.New(t)
	bin := os.Getenv("BMCIS_TEST_PG_BIN")
	if bin == "" {
		bin, _ = home.PostgresBin() // else pg_dump on PATH must do
	}
	ctx := t.Context()
	_, err := from.Exec(ctx, `
		insert into collections (name) values ('c');
		insert into documents (collection_id, external_id, body, content_hash) values (1, 'd', 'text', '\x01');
		insert into chunks (document_id, collection_id, stable_id, ordinal, body, start_offset, end_offset, embedding)
			values (1, 1, 's', 0, 'text', 0, 4, array_fill(0.5::real, array[384])::halfvec);
		insert into audit_runs (started_at, duration_us, identity_id, identity, session, transport, kind, tool, program, digest, description, outcome, error, tokens_touched, tokens_returned, host_calls, calls_omitted)
			values (now(), 0, 1, 'local', '', '', 'program', '', 'x = 1', sha256('x = 1'), '', 'ok', '', 0, 0, 0, 0)`)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "b.dump")
	if err := pg.Dump(ctx, bin, dsnOf(from), file); err != nil {
		if strings.Contains(err.Error(), "pg_dump") && os.Getenv("CI") == "" {
			t.Skipf("no pg_dump to test with: %v", err)
		}
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup: %v %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	if err := pg.Restore(ctx, bin, dsnOf(from), file, false); !errors.Is(err, pg.ErrNotEmpty) {
		t.Errorf("restore over documents: %v", err)
	}
	skilled := pgtest.New(t)
	if _, err := skilled.Exec(ctx, "insert into skills (owner_id, name) values (1, 'kept')"); err != nil {
		t.Fatal(err)
	}
	if err := pg.Restore(ctx, bin, dsnOf(skilled), file, false); !errors.Is(err, pg.ErrNotEmpty) {
		t.Errorf("restore over a skill: %v", err)
	}
	same := func(pool *pgxpool.Pool) {
		t.Helper()
		var body, vector string
		err := pool.QueryRow(ctx, "select c.body, (embedding)::text from chunks c join documents d on d.id = c.document_id order by embedding <=> embedding limit 1").Scan(&body, &vector)
		if err != nil || body != "text" || !strings.HasPrefix(vector, "[0.5,") {
			t.Errorf("%q %q %v", body, vector, err)
		}
		var program string
		if err := pool.QueryRow(ctx, "select program from audit_runs").Scan(&program); err != nil || program != "x = 1" {
			t.Errorf("audit log: %q, %v", program, err)
		}
		if _, err := pool.Exec(ctx, "delete from audit_runs"); err == nil {
			t.Error("the audit log is not append-only any more")
		}
		var n int64
		if err := pool.QueryRow(ctx, "insert into collections (name) values ('next') returning id").Scan(&n); err != nil || n < 2 {
			t.Errorf("numbers begin anew: %d %v", n, err)
		}
	}
	empty := pgtest.Empty(t)
	if err := pg.Restore(ctx, bin, dsnOf(empty), file, false); err != nil {
		t.Fatal(err)
	}
	same(empty)
	migrated := pgtest.New(t) // no documents: may be overwritten
	if err := pg.Restore(ctx, bin, dsnOf(migrated), file, false); err != nil {
		t.Fatal(err)
	}
	same(migrated)
	if err := pg.Restore(ctx, bin, dsnOf(migrated), file, true); err != nil {
		t.Fatal(err)
	}
	same(migrated)

	// A damaged backup changes nothing.
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.dump")
	for _, n := range []int{0, 3, 100, len(whole) * 3 / 4, len(whole) - 200} {
		if err := os.WriteFile(cut, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := pg.Restore(ctx, bin, dsnOf(migrated), cut, true); err == nil {
			t.Errorf("restored a backup cut at %d of %d bytes", n, len(whole))
		}
	}
	whole[len(whole)/2] ^= 1
	if err := os.WriteFile(cut, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := pg.Restore(ctx, bin, dsnOf(migrated), cut, true); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("restored a backup with a changed bit: %v", err)
	}
	same2 := 0
	if err := migrated.QueryRow(ctx, "select count(*) from documents").Scan(&same2); err != nil || same2 != 1 {
		t.Errorf("after damaged restores: %d documents, %v", same2, err)
	}
}

func TestExplainKeepsUnknownErrors(t *testing.T) {
	cause := errors.New("something else")
	if err := pg.Explain(cause); !errors.Is(err, cause) || !isError(err, pg.Other) {
		t.Errorf("%v", err)
	}
	if err := pg.Explain(nil); err != nil {
		t.Errorf("%v", err)
	}
	if err := pg.Explain(pgx.ErrNoRows); !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("%v", err)
	}
}

func TestBeforeConnectFails(t *testing.T) {
	begin := time.Now()
	_, err := pg.Open(t.Context(), pg.Config{DSN: dsnOf(pgtest.Empty(t)), BeforeConnect: func(context.Context, *pgx.ConnConfig) error {
		return errors.New("the server is on holiday")
	}})
	if err == nil || !strings.Contains(err.Error(), "on holiday") || time.Since(begin) > 5*time.Second {
		t.Errorf("%v", err)
	}
}
