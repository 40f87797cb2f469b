package audit

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotFound says that there is no such run.
var ErrNotFound = errors.New("not found")

// Store reads the log. Its methods may be called concurrently.
type Store struct{ pool *pgxpool.Pool }

// New returns a store on the pool, which stays the caller's to close.
func New(pool *pgxpool.Pool) *Store { return &Store{pool} }

// Filter chooses runs; zero fields choose all.
type Filter struct {
	// IdentityID confines everything to one identity's own runs. Who answers an
	// identity that is no administrator sets it from the connection.
	IdentityID int64
	// Identity by name, Session, Kind, Tool and Outcome match exactly; Outcome "failed"
	// is everything but "ok".
	Identity, Session string
	Kind              Kind
	Tool, Outcome     string
	// Since and Until bound the start: Since is within, Until is not.
	Since, Until time.Time
	// Text occurs in program, description or error, whatever the case of its letters.
	Text string
	// Method occurs among the calls: a call's method or target, exactly.
	Method string
}

// List returns at most limit runs, the newest first, without their calls; limit
// defaults to 100, at most 1,000. before is the id of the last run of the page before,
// or 0. more says that older ones follow.
func (s *Store) List(ctx context.Context, f Filter, limit int, before int64) (runs []Run, more bool, err error) {
	return nil, false, errors.ErrUnsupported
}

// Get returns one run with its calls, or [ErrNotFound], also when f excludes it.
func (s *Store) Get(ctx context.Context, f Filter, id int64) (Run, error) {
	return Run{}, errors.ErrUnsupported
}

// Export writes the runs with their calls as JSON lines, the oldest first, as they
// stand at one moment, and returns how many.
func (s *Store) Export(ctx context.Context, w io.Writer, f Filter) (int, error) {
	return 0, errors.ErrUnsupported
}

// Stats are sums over runs.
type Stats struct {
	Runs int64 `json:"runs"`
	// Outcomes and Tools count runs by outcome and by tool.
	Outcomes map[string]int64 `json:"outcomes"`
	Tools    map[string]int64 `json:"tools"`
	// Methods counts host calls by method.
	Methods        map[string]int64 `json:"methods"`
	HostCalls      int64            `json:"host_calls"`
	TokensTouched  int64            `json:"tokens_touched"`
	TokensReturned int64            `json:"tokens_returned"`
	// TotalMillis is the wall time of all runs together, P50Millis and P95Millis of one.
	TotalMillis float64    `json:"total_ms"`
	P50Millis   float64    `json:"p50_ms"`
	P95Millis   float64    `json:"p95_ms"`
	First       *time.Time `json:"first"` // null: there are no runs
	Last        *time.Time `json:"last"`
}

// Stats adds up the runs that the filter chooses. What a [Writer] has not written yet
// is not in it: see [Writer.Flush].
func (s *Store) Stats(ctx context.Context, f Filter) (Stats, error) {
	return Stats{}, errors.ErrUnsupported
}

// Prune deletes the runs that started before a time, says how many, and records that
// it did, by whom. Only the owner of the tables may: for a server with a role of its
// own it fails.
func (s *Store) Prune(ctx context.Context, before time.Time, by string) (int64, error) {
	return 0, errors.ErrUnsupported
}
