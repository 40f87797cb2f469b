package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Point are sums over the runs that started within one span of time.
type Point struct {
	// Start of the span, in UTC.
	Start          time.Time `json:"start"`
	Runs           int64     `json:"runs"`
	Failed         int64     `json:"failed"` // that did not end as "ok"
	TokensTouched  int64     `json:"tokens_touched"`
	TokensReturned int64     `json:"tokens_returned"`
}

// maxPoints bounds a series.
const maxPoints = 2000

// Series adds up the runs that the filter chooses over equal spans of time, the oldest
// first: all spans from the one that holds f.Since to the one before f.Until, those
// without a run too. Spans begin at multiples of step after midnight of 1 January 2001,
// UTC, a Monday. Errors: a filter without Since or Until, a step below a second, more than
// 2,000 spans.
func (s *Store) Series(ctx context.Context, f Filter, step time.Duration) ([]Point, error) {
	if f.Since.IsZero() || !f.Until.After(f.Since) || step < time.Second || f.Until.Sub(f.Since)/step >= maxPoints {
		return nil, fmt.Errorf("series of the audit log from %v to %v by %v: give both ends, a step of a second or more, and fewer than %d steps", f.Since, f.Until, step, maxPoints)
	}
	where, args := f.where()
	args = append(args, step.Microseconds(), f.Since, f.Until)
	n := len(args)
	const origin = "timestamptz '2001-01-01 00:00:00+00'"
	width := fmt.Sprintf("$%d * interval '1 microsecond'", n-2)
	rows, err := s.pool.Query(ctx, fmt.Sprintf(`
		select b.start, count(r.id), count(r.id) filter (where r.outcome <> 'ok'),
			coalesce(sum(r.tokens_touched), 0)::bigint, coalesce(sum(r.tokens_returned), 0)::bigint
		from generate_series(date_bin(%[1]s, $%[2]d, %[3]s), $%[4]d::timestamptz - interval '1 microsecond', %[1]s) b(start)
			left join (select r.*, date_bin(%[1]s, r.started_at, %[3]s) span from audit_runs r where r.kind in ('program', 'tool') and %[5]s) r
			on r.span = b.start
		group by 1 order by 1`, width, n-1, origin, n, where), args...)
	if err != nil {
		return nil, fmt.Errorf("add up audit log over time: %w", err)
	}
	points, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Point, err error) {
		err = row.Scan(&p.Start, &p.Runs, &p.Failed, &p.TokensTouched, &p.TokensReturned)
		p.Start = p.Start.UTC()
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up audit log over time: %w", err)
	}
	return points, nil
}
