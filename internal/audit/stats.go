package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Stats are sums over runs.
type Stats struct {
	Runs int64 `json:"runs"`
	// Outcomes and Tools count runs by outcome and by tool, Methods host calls by
	// method: the 100 most frequent of each.
	Outcomes       map[string]int64 `json:"outcomes"`
	Tools          map[string]int64 `json:"tools"`
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
func (s *Store) Stats(ctx context.Context, f Filter) (st Stats, err error) {
	where, args := f.where()
	where = " where r.kind in ('program', 'tool') and " + where
	err = s.snapshot(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `select count(*), coalesce(sum(host_calls), 0)::bigint, coalesce(sum(tokens_touched), 0)::bigint,
			coalesce(sum(tokens_returned), 0)::bigint, coalesce(sum(duration_us) / 1000.0, 0)::float8,
			coalesce(percentile_cont(0.5) within group (order by duration_us) / 1000.0, 0)::float8,
			coalesce(percentile_cont(0.95) within group (order by duration_us) / 1000.0, 0)::float8,
			min(started_at), max(started_at) from audit_runs r`+where, args...).
			Scan(&st.Runs, &st.HostCalls, &st.TokensTouched, &st.TokensReturned, &st.TotalMillis, &st.P50Millis, &st.P95Millis, &st.First, &st.Last)
		if err != nil {
			return err
		}
		for _, group := range []struct {
			into      *map[string]int64
			key, from string
		}{
			{&st.Outcomes, "r.outcome", "audit_runs r"},
			{&st.Tools, "r.tool", "audit_runs r"},
			{&st.Methods, "m.method", "audit_runs r join audit_calls m on m.run_id = r.id"},
		} {
			if *group.into, err = counts(ctx, tx, group.key, group.from+where, args); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Stats{}, fmt.Errorf("add up audit log: %w", err)
	}
	return st, nil
}

func counts(ctx context.Context, tx pgx.Tx, key, from string, args []any) (map[string]int64, error) {
	rows, err := tx.Query(ctx, "select "+key+", count(*) from "+from+" group by 1 order by 2 desc, 1 limit 100", args...)
	if err != nil {
		return nil, err
	}
	m := map[string]int64{}
	var name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error { m[name] = n; return nil })
	return m, err
}

// Prune deletes the runs that started before a time, says how many, and records that
// it did, by whom. Only the owner of the tables may: for a server with a role of its
// own it fails.
func (s *Store) Prune(ctx context.Context, before time.Time, by string) (n int64, err error) {
	start := time.Now()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select audit_prune($1)`, before).Scan(&n); err != nil {
			return err
		}
		r := Record{Started: start, Kind: KindPrune, Outcome: "ok", Identity: by,
			Description: fmt.Sprintf("%d runs that started before %s were deleted", n, before.UTC().Format(time.RFC3339))}.clean()
		_, err := tx.Exec(ctx, `insert into audit_runs (started_at, duration_us, identity_id, identity, session, transport, kind, tool,
				program, digest, description, outcome, error, tokens_touched, tokens_returned, host_calls, calls_omitted)
			values ($1, $2, 0, $3, '', '', $4, '', '', $5, $6, $7, '', 0, 0, 0, 0)`,
			r.Started, time.Since(start).Microseconds(), r.Identity, string(r.Kind), r.Digest[:], r.Description, r.Outcome)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("prune audit log: %w", err)
	}
	return n, nil
}
