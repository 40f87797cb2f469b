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
	// Statements says that prepared statements may be kept on the server. Off by
	// default: see [Open] on poolers.
	Statements bool
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
// connection, and named prepared statements may be missing there. So statements
// are sent unnamed, with their description cached in the program (pgx's
// cache_describe): one round trip as with prepared ones, parsed anew each time.
// The private cluster, where no pooler can stand between, keeps prepared
// statements (Statements). A DSN that sets default_query_exec_mode itself is
// obeyed. Migrations take a session lock: run `bmcis db migrate` once on a
// direct connection.
func Open(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	pc, err := pgxpool.ParseConfig(cfg.DSN)
	if err != nil {
		return nil, explainDSN(err)
	}
	if cfg.MaxConns > 0 {
		pc.MaxConns = cfg.MaxConns
	}
	if !cfg.Statements && !strings.Contains(cfg.DSN, "default_query_exec_mode") {
		pc.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if pc.ConnConfig.ConnectTimeout == 0 {
		pc.ConnConfig.ConnectTimeout = connectTimeout
	}
	if pc.ConnConfig.RuntimeParams["application_name"] == "" {
		pc.ConnConfig.RuntimeParams["application_name"] = ApplicationName
	}
	pc.BeforeConnect = cfg.BeforeConnect
	pc.AfterConnect = registerVector
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

// registerVector teaches a connection halfvec and its kin. A database without
// the extension is no error here: the first migration creates it.
func registerVector(ctx context.Context, conn *pgx.Conn) error {
	var installed bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_type where typname = 'halfvec')").Scan(&installed); err != nil {
		return err
	}
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

// IsError reports whether err is an [*Error] of this kind.
func IsError(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
