package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
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
	// identity that is no administrator sets it from the connection: see [Own].
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
	// Refused chooses what a policy refused, in whole or in one of its calls.
	Refused bool
}

// Own returns the filter for what one identity may see of itself. Without an identity
// that is nothing, and not everything.
func Own(identity int64) Filter {
	if identity == 0 {
		identity = -1
	}
	return Filter{IdentityID: identity}
}

// where returns the condition on audit_runs r with its arguments.
func (f Filter) where() (sql string, args []any) {
	sql = "true"
	add := func(condition string, arg any) {
		args = append(args, arg)
		sql += " and " + strings.ReplaceAll(condition, "$", fmt.Sprintf("$%d", len(args)))
	}
	if f.IdentityID != 0 {
		add("r.identity_id = $", f.IdentityID)
	}
	for _, e := range []struct{ column, value string }{
		{"identity", f.Identity}, {"session", f.Session}, {"kind", string(f.Kind)}, {"tool", f.Tool},
	} {
		if e.value != "" {
			add("r."+e.column+" = $", cleanText(e.value))
		}
	}
	switch f.Outcome {
	case "":
	case "failed":
		sql += " and r.outcome <> 'ok'"
	default:
		add("r.outcome = $", cleanText(f.Outcome))
	}
	if !f.Since.IsZero() {
		add("r.started_at >= $", f.Since)
	}
	if !f.Until.IsZero() {
		add("r.started_at < $", f.Until)
	}
	if f.Text != "" {
		add("(strpos(lower(r.program), lower($)) > 0 or strpos(lower(r.description), lower($)) > 0 or strpos(lower(r.error), lower($)) > 0)", cleanText(f.Text))
	}
	if f.Method != "" {
		add("exists (select from audit_calls c where c.run_id = r.id and (c.method = $ or c.target = $))", cleanText(f.Method))
	}
	if f.Refused {
		sql += " and (r.outcome = 'policy' or exists (select from audit_calls c where c.run_id = r.id and c.outcome = 'policy'))"
	}
	return sql, args
}

const selected = `select r.id, r.started_at, r.duration_us, r.identity_id, r.identity, r.session, r.transport, r.kind, r.tool,
	%s, r.digest, r.description, r.limits, r.outcome, r.error, r.ledger, r.usage, r.calls_omitted, r.written_at from audit_runs r `

var (
	selectBrief = fmt.Sprintf(selected, "''")
	selectWhole = fmt.Sprintf(selected, "r.program")
)

func scanRun(row pgx.CollectableRow) (r Run, err error) {
	var micros int64
	var digest []byte
	err = row.Scan(&r.ID, &r.Started, &micros, &r.IdentityID, &r.Identity, &r.Session, &r.Transport, &r.Kind, &r.Tool,
		&r.Program, &digest, &r.Description, &r.Limits, &r.Outcome, &r.Error, &r.Ledger, &r.Usage, &r.CallsOmitted, &r.Written)
	r.Duration = time.Duration(micros) * time.Microsecond
	copy(r.Digest[:], digest)
	return r, err
}

const (
	defaultList = 100
	maxList     = 1000
)

// List returns at most limit runs, the newest first, without their programs and calls;
// limit defaults to 100, at most 1,000. before is the id of the last run of the page
// before, or 0. more says that older ones follow.
func (s *Store) List(ctx context.Context, f Filter, limit int, before int64) (runs []Run, more bool, err error) {
	if limit <= 0 {
		limit = defaultList
	}
	limit = min(limit, maxList)
	where, args := f.where()
	if before > 0 {
		args = append(args, before)
		where += fmt.Sprintf(" and r.id < $%d", len(args))
	}
	rows, err := s.pool.Query(ctx, selectBrief+"where "+where+fmt.Sprintf(" order by r.id desc limit %d", limit+1), args...)
	if err != nil {
		return nil, false, fmt.Errorf("list audit log: %w", err)
	}
	runs, err = pgx.CollectRows(rows, scanRun)
	if err != nil {
		return nil, false, fmt.Errorf("list audit log: %w", err)
	}
	if len(runs) > limit {
		return runs[:limit], true, nil
	}
	return runs, false, nil
}

// Get returns one run with its program and calls, or [ErrNotFound], also when f excludes
// it.
func (s *Store) Get(ctx context.Context, f Filter, id int64) (r Run, err error) {
	where, args := f.where()
	args = append(args, id)
	err = s.snapshot(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, selectWhole+"where "+where+fmt.Sprintf(" and r.id = $%d", len(args)), args...)
		if err != nil {
			return err
		}
		if r, err = pgx.CollectExactlyOneRow(rows, scanRun); err != nil {
			return err
		}
		calls, err := readCalls(ctx, tx, []int64{id})
		r.Calls = calls[id]
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fmt.Errorf("run %d %w in the audit log", id, ErrNotFound)
	}
	if err != nil {
		return r, fmt.Errorf("read run %d of the audit log: %w", id, err)
	}
	return r, nil
}

// snapshot runs f on one state of the log.
func (s *Store) snapshot(ctx context.Context, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}

func readCalls(ctx context.Context, tx pgx.Tx, runs []int64) (map[int64][]Call, error) {
	rows, err := tx.Query(ctx, `select run_id, method, target, args_digest, start_us, duration_us, outcome, error
		from audit_calls where run_id = any($1) order by run_id, ordinal`, runs)
	if err != nil {
		return nil, err
	}
	calls := map[int64][]Call{}
	var run, start, micros int64
	var digest []byte
	var c Call
	_, err = pgx.ForEachRow(rows, []any{&run, &c.Method, &c.Target, &digest, &start, &micros, &c.Outcome, &c.Error}, func() error {
		copy(c.ArgsDigest[:], digest)
		c.Start, c.Duration = time.Duration(start)*time.Microsecond, time.Duration(micros)*time.Microsecond
		calls[run] = append(calls[run], c)
		return nil
	})
	return calls, err
}

// exportPage bounds what an export holds at a time: programs have up to 1 MiB.
const exportPage = 64

// Export writes the runs with their programs and calls as JSON lines, the oldest first,
// as they stand at one moment, and returns how many.
func (s *Store) Export(ctx context.Context, w io.Writer, f Filter) (n int, err error) {
	where, args := f.where()
	query := selectWhole + "where " + where + fmt.Sprintf(" and r.id > $%d order by r.id limit %d", len(args)+1, exportPage)
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	err = s.snapshot(ctx, func(tx pgx.Tx) error {
		for last := int64(0); ; {
			rows, err := tx.Query(ctx, query, append(args[:len(args):len(args)], last)...)
			if err != nil {
				return err
			}
			runs, err := pgx.CollectRows(rows, scanRun)
			if err != nil || len(runs) == 0 {
				return err
			}
			ids := make([]int64, len(runs))
			for i, r := range runs {
				ids[i] = r.ID
			}
			calls, err := readCalls(ctx, tx, ids)
			if err != nil {
				return err
			}
			for _, r := range runs {
				r.Calls = calls[r.ID]
				if err := lines.Encode(r); err != nil {
					return err
				}
				n++
			}
			last = ids[len(ids)-1]
		}
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return n, fmt.Errorf("export audit log: %w", err)
	}
	return n, nil
}
