// Package pg opens the database: a DSN goes in, a pool of connections that
// know pgvector's types comes out, or one line that says what is wrong and what
// to do. Callers: internal/pg/private, which everything else goes through, and
// doctor.
package pg

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxvec "github.com/pgvector/pgvector-go/pgx"

	"github.com/bmcis/bmcis/migrations"
)

// Config says how to open a database.
type Config struct {
	// DSN is a URL or key=value form; the PG* environment variables fill gaps.
	DSN string
	// Migrate brings the schema to the newest version first.
	Migrate bool
	// MaxConns bounds the pool. Defaults to pgxpool's: 4 or the number of cores.
	MaxConns int32
	// BeforeConnect runs before each new connection and may correct its
	// settings; nil for none. The private cluster starts itself again here.
	BeforeConnect func(context.Context, *pgx.ConnConfig) error
	// Warn receives what works but should be mended, such as an old pgvector.
	// Nil drops it.
	Warn func(string)
}

// Versions of pgvector: below the first, halfvec or iterative scans are missing;
// below the second, HNSW has known faults.
const (
	MinVector  = "0.8.0"
	GoodVector = "0.8.4"
)

// connectTimeout is used when the DSN names none: an unreachable host must not
// look like a hang.
const connectTimeout = 10 * time.Second

// Open connects, checks server and privileges, migrates when asked to, and
// returns the pool, which the caller closes. Errors are [*Error].
//
// Poolers: PgBouncer in transaction mode gives each transaction another server
// connection, and named prepared statements may be missing there. So they are kept
// only where no pooler stands between; see [modes]. A DSN that sets
// default_query_exec_mode itself is obeyed. Migrations take a session lock: run
// `bmcis db migrate` once on a direct connection.
func Open(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	pc, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		return nil, explainDSN(err)
	}
	if cfg.MaxConns > 0 {
		pc.MaxConns = cfg.MaxConns
	}
	if pc.ConnConfig.ConnectTimeout == 0 {
		pc.ConnConfig.ConnectTimeout = connectTimeout
	}
	if pc.ConnConfig.RuntimeParams["application_name"] == "" {
		pc.ConnConfig.RuntimeParams["application_name"] = ApplicationName
	}
	m := &modes{given: strings.Contains(cfg.DSN, "default_query_exec_mode"), before: cfg.BeforeConnect}
	m.direct.Store(true) // until a connection shows that it is not
	pc.BeforeConnect, pc.AfterConnect = m.beforeConnect, m.afterConnect
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, Explain(err)
	}
	if err := prepare(ctx, pool, cfg); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// ApplicationName marks our connections in pg_stat_activity.
const ApplicationName = "bmcis"

func prepare(ctx context.Context, pool *pgxpool.Pool, cfg Config) error {
	info, err := Inspect(ctx, pool)
	if errors.Is(err, errPooler) {
		info, err = Inspect(ctx, pool)
	}
	if err != nil {
		return err
	}
	if err := info.check(); err != nil {
		return err
	}
	if info.VectorInstalled != "" {
		var loads string
		if err := pool.QueryRow(ctx, `select '[0]'::halfvec::text`).Scan(&loads); err != nil {
			return Explain(err)
		}
	}
	if cfg.Warn != nil {
		if text := info.Warning(); text != "" {
			cfg.Warn(text)
		}
	}
	if !cfg.Migrate {
		return nil
	}
	if err := migrations.Up(ctx, pool); err != nil {
		return Explain(err)
	}
	if info.VectorInstalled == "" {
		pool.Reset() // connections made before the extension do not know its types
	}
	return nil
}

// modes decides how a pool's connections send statements. On a direct connection they are
// prepared once and kept on the server, which saves parsing and planning each time. Through
// a pooler they are sent unnamed, with their description cached in the program (pgx's
// cache_describe): one round trip as well, planned anew each time.
//
// A connection is direct when the server process that answers has the number that the
// connection was told at its start: poolers tell a number of their own, since they serve
// many connections with one process. Each new connection is looked at; the first that finds
// a pooler is given up, and all later ones take account of it.
type modes struct {
	given  bool // by the DSN
	before func(context.Context, *pgx.ConnConfig) error
	direct atomic.Bool
}

func (m *modes) beforeConnect(ctx context.Context, c *pgx.ConnConfig) error {
	if !m.given && !m.direct.Load() {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if m.before == nil {
		return nil
	}
	return m.before(ctx, c)
}

// errPooler is what the first connection through a pooler ends with.
var errPooler = errors.New("a connection pooler stands before the database since a moment ago; try again")

func (m *modes) afterConnect(ctx context.Context, conn *pgx.Conn) error {
	var process uint32
	var vector bool
	// Unnamed: what kind of connection it is, this has yet to tell.
	err := conn.QueryRow(ctx, "select pg_backend_pid(), exists (select from pg_type where typname = 'halfvec')", pgx.QueryExecModeExec).
		Scan(&process, &vector)
	if err != nil {
		return err
	}
	if direct := process == conn.PgConn().PID(); m.direct.Swap(direct) && !direct && !m.given {
		return errPooler
	}
	return registerVector(ctx, conn, vector)
}

// registerVector teaches a connection halfvec and its kin. A database without
// the extension is no error here: the first migration creates it.
func registerVector(ctx context.Context, conn *pgx.Conn, installed bool) error {
	if !installed {
		return nil
	}
	if err := pgxvec.RegisterTypes(ctx, conn); err != nil {
		return fmt.Errorf("register vector types: %w", err)
	}
	return nil
}

// Querier is what Inspect asks; pools and connections are one.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Info is what the server says about itself.
type Info struct {
	Server          string // "18.4"
	ServerNum       int    // 180004
	VectorInstalled string // pgvector in this database, empty when not yet created
	VectorAvailable string // pgvector that "create extension" would bring
	CanCreate       bool   // may create tables and extensions here
	Database, User  string
}

// Inspect asks the server for its versions and our rights.
func Inspect(ctx context.Context, db Querier) (Info, error) {
	var i Info
	err := db.QueryRow(ctx, `
		select split_part(current_setting('server_version'), ' ', 1),
		       current_setting('server_version_num')::int,
		       coalesce((select extversion from pg_extension where extname = 'vector'), ''),
		       coalesce((select default_version from pg_available_extensions where name = 'vector'), ''),
		       has_database_privilege(current_database(), 'CREATE')
		           and coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
		       current_database()::text, current_user::text`).
		Scan(&i.Server, &i.ServerNum, &i.VectorInstalled, &i.VectorAvailable, &i.CanCreate, &i.Database, &i.User)
	if err != nil {
		return i, Explain(err)
	}
	return i, nil
}

// Vector is the version of pgvector that counts: the installed one, else the available one.
func (i Info) Vector() string {
	if i.VectorInstalled != "" {
		return i.VectorInstalled
	}
	return i.VectorAvailable
}

// Warning names what works but should be mended; empty when nothing.
func (i Info) Warning() string {
	if v := i.Vector(); v != "" && olderThan(v, GoodVector) {
		return fmt.Sprintf("pgvector %s has known faults in its HNSW index; %s or newer mends them", v, GoodVector)
	}
	return ""
}

func (i Info) check() error {
	switch {
	case i.Vector() == "":
		return &Error{NoVector, fmt.Sprintf("database %q has no pgvector", i.Database),
			"install the extension on the server (package postgresql-" + major(i.Server) + "-pgvector), or give no database to use the private one", nil}
	case olderThan(i.Vector(), MinVector):
		return &Error{OldVector, fmt.Sprintf("pgvector %s is too old: halfvec and iterative scans need %s", i.Vector(), MinVector),
			"install a newer pgvector, then: alter extension vector update", nil}
	case i.VectorInstalled == "" && !i.CanCreate:
		return &Error{Privileges, fmt.Sprintf("user %q may not create tables in database %q", i.User, i.Database),
			fmt.Sprintf("as its owner: grant create on database %q to %q; grant create on schema public to %q", i.Database, i.User, i.User), nil}
	}
	return nil
}

func major(version string) string {
	m, _, _ := strings.Cut(version, ".")
	return m
}

// olderThan compares dotted versions by their numbers.
func olderThan(a, b string) bool {
	var x, y [3]int
	fmt.Sscanf(a, "%d.%d.%d", &x[0], &x[1], &x[2])
	fmt.Sscanf(b, "%d.%d.%d", &y[0], &y[1], &y[2])
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}
