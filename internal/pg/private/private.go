// Package private runs a PostgreSQL cluster of our own below BMCIS_HOME: nothing
// goes in but the data folder's place, a DSN comes out. Callers: search.Open and
// every command without --dsn.
//
// The cluster listens on one Unix socket in a folder of mode 0700 and on no
// network. It is started by whoever needs it first and shared by all; a small
// supervisor, this same program started again, watches it and stops it when
// nobody has used it for a while. Every state is decided by things that the
// kernel takes back when a process dies (file locks, /proc), so killing any
// process at any moment leaves nothing that the next caller cannot mend. A data
// folder is never deleted.
//
// Authentication is peer: the kernel tells the server who connects, and a map
// lets exactly the owner of BMCIS_HOME and root in. There is no password that
// could leak, and nothing to configure. Trust is never used.
//
// PostgreSQL refuses to run as root. For root the server runs as the user
// postgres, or nobody where that one is missing. That user must be able to enter
// every folder above the data; where it cannot (a home of mode 0700), the server
// runs in a user namespace of its own if the system allows one.
package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/pg"
)

// Config says where the cluster is. The zero value is the user's own.
type Config struct {
	// Home is the data folder. Defaults to home.Dir().
	Home string
	// Bin holds initdb and postgres. Defaults to home.PostgresBin().
	Bin string
	// Idle is how long the cluster runs on without clients. Defaults to
	// $BMCIS_DB_IDLE, and that to 10 minutes; negative means for ever.
	Idle time.Duration
	// Progress is told of slow steps ("creating the database"); nil for silence.
	Progress func(string)
}

// EnvIdle overrides the idle time: a duration such as 30s, or "never".
const EnvIdle = "BMCIS_DB_IDLE"

const (
	defaultIdle = 10 * time.Minute
	// User owns the cluster inside PostgreSQL, Database is where everything lies.
	User     = "bmcis"
	Database = "bmcis"
	port     = 5432 // only a part of the socket's name: nothing listens on TCP
)

// Cluster is one private cluster. All methods may be called concurrently, also
// by several processes.
type Cluster struct {
	home, bin string
	idle      time.Duration
	progress  func(string)
}

// New describes a cluster; nothing is touched.
func New(cfg Config) (*Cluster, error) {
	c := &Cluster{home: cfg.Home, bin: cfg.Bin, idle: cfg.Idle, progress: cfg.Progress}
	var err error
	if c.home == "" {
		if c.home, err = home.Dir(); err != nil {
			return nil, err
		}
	}
	if c.home, err = filepath.Abs(c.home); err != nil {
		return nil, err
	}
	if c.bin == "" {
		if c.bin, err = home.PostgresBin(); err != nil {
			return nil, err
		}
	}
	if c.idle == 0 {
		if c.idle, err = idleFromEnv(); err != nil {
			return nil, err
		}
	}
	if c.progress == nil {
		c.progress = func(string) {}
	}
	return c, nil
}

func idleFromEnv() (time.Duration, error) {
	text := os.Getenv(EnvIdle)
	switch text {
	case "":
		return defaultIdle, nil
	case "never":
		return -1, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s %q is no duration; write it as 10m, 30s or never", EnvIdle, text)
	}
	return d, nil
}

// Paths of the cluster.
func (c *Cluster) dir() string  { return filepath.Join(c.home, "postgres") }
func (c *Cluster) data() string { return filepath.Join(c.dir(), "data") }

// LogFile is the server's log; when it has grown to 8 MiB it is moved to
// LogFile.1, so both together stay below about 16 MiB.
func (c *Cluster) LogFile() string { return filepath.Join(c.home, "postgres.log") }

// The three locks, all released by the kernel when their holders end:
// clients is held shared by every user of the cluster, so an exclusive grab
// proves that there are none; start is held while somebody starts or stops the
// server; supervisor is held by the supervisor as long as it lives.
func (c *Cluster) clientsLock() *flock.Flock    { return c.lockFile("clients.lock") }
func (c *Cluster) startLock() *flock.Flock      { return c.lockFile("start.lock") }
func (c *Cluster) supervisorLock() *flock.Flock { return c.lockFile("supervisor.lock") }

func (c *Cluster) lockFile(name string) *flock.Flock {
	return flock.New(filepath.Join(c.dir(), name), flock.SetPermissions(0o600))
}

// Ensure makes sure that the private cluster of this BMCIS_HOME runs and
// returns its DSN. Until release is called (or the process ends) the cluster
// counts as used and is not stopped for idleness. release may be called twice.
// The database is empty until the migrations ran.
func Ensure(ctx context.Context) (dsn string, release func(), err error) {
	c, err := New(Config{})
	if err != nil {
		return "", nil, err
	}
	return c.Ensure(ctx)
}

// Ensure is the package's Ensure for this cluster.
func (c *Cluster) Ensure(ctx context.Context) (dsn string, release func(), err error) {
	if err := c.makeFolders(); err != nil {
		return "", nil, err
	}
	clients := c.clientsLock()
	if _, err := clients.TryRLockContext(ctx, 20*time.Millisecond); err != nil {
		return "", nil, c.lockError(clients.Path(), err)
	}
	dsn, err = c.ensureRunning(ctx)
	if err != nil {
		clients.Close()
		return "", nil, err
	}
	return dsn, sync.OnceFunc(func() { clients.Close() }), nil
}

// Connect opens cfg.DSN, or the private cluster when it is empty. A pool on the
// private cluster starts the cluster again when it has died. close closes the
// pool too and may be called twice.
func Connect(ctx context.Context, cfg pg.Config) (pool *pgxpool.Pool, close func(), err error) {
	if cfg.DSN != "" {
		pool, err := pg.Open(ctx, cfg)
		if err != nil {
			return nil, nil, err
		}
		return pool, pool.Close, nil
	}
	c, err := New(Config{})
	if err != nil {
		return nil, nil, err
	}
	return c.Connect(ctx, cfg)
}

// Connect opens a pool on this cluster; cfg.DSN is ignored.
func (c *Cluster) Connect(ctx context.Context, cfg pg.Config) (pool *pgxpool.Pool, close func(), err error) {
	dsn, release, err := c.Ensure(ctx)
	if err != nil {
		return nil, nil, err
	}
	cfg.DSN = dsn
	cfg.BeforeConnect = c.revive
	pool, err = pg.Open(ctx, cfg)
	if err != nil {
		release()
		return nil, nil, c.explain(err)
	}
	return pool, sync.OnceFunc(func() { pool.Close(); release() }), nil
}

// explain gives an error about pgvector the remedy that holds here: it comes with the
// server's programs.
func (c *Cluster) explain(err error) error {
	var e *pg.Error
	if !errors.As(err, &e) || e.Kind != pg.NoVector && e.Kind != pg.OldVector {
		return err
	}
	return &pg.Error{Kind: e.Kind, Msg: "private database: " + e.Msg, Hint: "the programs in " + c.bin + " are not whole; run: bmcis setup", Err: e}
}

// revive runs before each new connection of a pool. It costs a few milliseconds
// while the server lives, and starts it again when it does not.
func (c *Cluster) revive(ctx context.Context, cc *pgx.ConnConfig) error {
	if _, err := c.ensureRunning(ctx); err != nil {
		return err
	}
	p, err := readPostmaster(c.data())
	if err == nil && p.socketDir != "" {
		cc.Host = p.socketDir // it may have moved
	}
	return nil
}
