package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bmcis/bmcis/internal/render"
)

// clean makes of a record one that PostgreSQL can hold.
func (r Record) clean() Record {
	if r.Digest == (Digest{}) {
		r.Digest = DigestOf([]byte(r.Program))
	}
	if r.Started.IsZero() {
		r.Started = time.Now().Add(-r.Duration)
	}
	for _, s := range []*string{&r.Identity, &r.Session, &r.Transport, &r.Tool, &r.Program, &r.Description, &r.Outcome, &r.Error} {
		*s = cleanText(*s)
	}
	if over := len(r.Calls) - MaxCalls; over > 0 {
		r.Calls = r.Calls[:MaxCalls]
		r.CallsOmitted += over
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		for _, s := range []*string{&c.Method, &c.Target, &c.Outcome, &c.Error} {
			*s = cleanText(*s)
		}
	}
	return r
}

func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// size is about what the record takes in memory.
func (r Record) size() int64 {
	n := 400 + len(r.Program) + len(r.Description) + len(r.Error) + len(r.Limits) + len(r.Ledger) + len(r.Usage) + len(r.Answer)
	for _, c := range r.Calls {
		n += 150 + len(c.Method) + len(c.Target) + len(c.Error)
	}
	return int64(n)
}

// tokens reads what statistics add up. A ledger without it counts as nothing.
func (r Record) tokens() (touched, returned int64) {
	var l struct {
		Touched  int64 `json:"tokens_touched"`
		Returned int64 `json:"tokens_returned"`
	}
	if json.Unmarshal(r.Ledger, &l) != nil {
		return 0, 0
	}
	return l.Touched, l.Returned
}

// countAnswer puts the tokens of the answer into the ledger.
func (r *Record) countAnswer() {
	if r.Answer == "" || r.Ledger != nil {
		return
	}
	n := render.CountTokens(r.Answer)
	r.Ledger = fmt.Appendf(nil, `{"tokens_touched": %d, "tokens_returned": %d}`, n, n)
}

// A batch is written in one transaction. It keeps its ids over all attempts: when the
// connection broke in the commit, the next attempt finds them taken, and is done.
type batch struct {
	records []Record
	ids     []int64
	singly  bool // one of them is refused: each in a transaction of its own
}

// write commits a batch. Records that the database refuses for what is in them, and
// not for the state that it is in, are written without their JSON, and counted in lost
// when that does not help.
func (s *Store) write(ctx context.Context, b *batch) (lost int64, err error) {
	if b.ids == nil {
		rows, err := s.pool.Query(ctx, `select nextval(pg_get_serial_sequence('audit_runs', 'id')) from generate_series(1, $1)`, len(b.records))
		if err != nil {
			return 0, err
		}
		if b.ids, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			b.ids = nil
			return 0, err
		}
	}
	if !b.singly {
		err = s.copyIn(ctx, b.records, b.ids)
		switch {
		case isUniqueViolation(err):
			return 0, s.checkCommitted(ctx, b)
		case !isDataError(err):
			return 0, err
		}
		b.singly = true
	}
	for i, r := range b.records {
		err := s.copyIn(ctx, []Record{r}, b.ids[i:i+1])
		if isDataError(err) {
			r.Description = strings.TrimSpace(r.Description + fmt.Sprintf(" (limits, ledger and usage left out: %s)", cleanText(err.Error())))
			r.Limits, r.Ledger, r.Usage = nil, nil, nil
			err = s.copyIn(ctx, []Record{r}, b.ids[i:i+1])
		}
		switch {
		case isDataError(err):
			lost++
		case isUniqueViolation(err): // an attempt before this one wrote it
		case err != nil:
			return 0, err
		}
	}
	return lost, nil
}

// checkCommitted returns nil when the batch is in the log already. Else its ids are
// somebody else's, as after a restore by hand that left the sequence behind, and the
// next attempt draws others.
func (s *Store) checkCommitted(ctx context.Context, b *batch) error {
	var ours bool
	err := s.pool.QueryRow(ctx, `select exists (select from audit_runs where id = $1 and digest = $2 and identity = $3)`,
		b.ids[0], b.records[0].Digest[:], b.records[0].Identity).Scan(&ours)
	if err == nil && !ours {
		err = fmt.Errorf("ids from %d on are taken; drawing others", b.ids[0])
		b.ids = nil
	}
	return err
}

// isDataError reports an error of class 22: data exception.
func isDataError(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && strings.HasPrefix(pe.Code, "22")
}

func isUniqueViolation(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "23505"
}

var runColumns = []string{"id", "started_at", "duration_us", "identity_id", "identity", "session", "transport", "kind", "tool",
	"program", "digest", "description", "limits", "outcome", "error", "ledger", "usage",
	"tokens_touched", "tokens_returned", "host_calls", "calls_omitted"}

var callColumns = []string{"run_id", "ordinal", "method", "target", "args_digest", "start_us", "duration_us", "outcome", "error"}

func (s *Store) copyIn(ctx context.Context, records []Record, ids []int64) error {
	var runs, calls [][]any
	for i, r := range records {
		r.countAnswer()
		touched, returned := r.tokens()
		runs = append(runs, []any{ids[i], r.Started, r.Duration.Microseconds(), r.IdentityID, r.Identity, r.Session, r.Transport,
			string(r.Kind), r.Tool, r.Program, r.Digest[:], r.Description, nullable(r.Limits), r.Outcome, r.Error,
			nullable(r.Ledger), nullable(r.Usage), touched, returned, len(r.Calls) + r.CallsOmitted, r.CallsOmitted})
		for j, c := range r.Calls {
			calls = append(calls, []any{ids[i], j, c.Method, c.Target, c.ArgsDigest[:], c.Start.Microseconds(), c.Duration.Microseconds(), c.Outcome, c.Error})
		}
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"audit_runs"}, runColumns, pgx.CopyFromRows(runs)); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"audit_calls"}, callColumns, pgx.CopyFromRows(calls))
		return err
	})
}

func nullable(j json.RawMessage) any {
	if len(j) == 0 {
		return nil
	}
	return []byte(j)
}
