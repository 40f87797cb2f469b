package load

import (
	"context"
	"fmt"
	"time"
)

// Step is one rate that was tried.
type Step struct {
	Rate      float64 `json:"rate_per_s"`
	Holds     bool    `json:"holds"`
	Why       string  `json:"why,omitempty"` // it does not
	P95       float64 `json:"p95_ms"`
	Accepted  float64 `json:"accepted_per_s"`
	ErrorRate float64 `json:"error_rate"`
	Refused   int     `json:"refused"`
	Load      float64 `json:"machine_load_after"`
}

// HighestRate looks for the highest rate of calls at which the 95th percentile stays below
// limit, nothing fails and nothing is refused: it doubles from 1 a second until a step
// does not hold, and then halves the interval until that is less than a tenth. Each step is
// a run of its own of o.Duration. 0: not even the first holds. An error, or a server that
// dies, ends the search.
func HighestRate(ctx context.Context, o Options, limit time.Duration) (best float64, steps []Step, err error) {
	try := func(rate float64) (bool, error) {
		o := o
		o.Rate, o.Seed = rate, o.Seed+uint64(len(steps)) // other questions: those before are in caches
		p, err := Run(ctx, o)
		if err != nil {
			return false, err
		}
		if p.Died != nil {
			return false, fmt.Errorf("the server died at %.3g calls a second, after %.1f s: %s", rate, p.Died.AtSeconds, p.Died.Why)
		}
		s := Step{Rate: rate, P95: p.Latency.P95, Accepted: p.AcceptedPS, ErrorRate: p.ErrorRate, Load: p.LoadAfter}
		for _, n := range p.Refused {
			s.Refused += n
		}
		switch {
		case p.Accepted == 0:
			s.Why = "nothing was answered"
		case s.ErrorRate > 0:
			s.Why = "errors: " + kinds(p.Errors)
		case s.Refused > 0:
			s.Why = "refused: " + kinds(p.Refused)
		case s.P95 >= float64(limit.Milliseconds()):
			s.Why = fmt.Sprintf("p95 %.0f ms", s.P95)
		default:
			s.Holds = true
		}
		steps = append(steps, s)
		if o.Progress != nil {
			o.Progress(fmt.Sprintf("%.3g a second: p95 %.0f ms %s", rate, s.P95, s.Why))
		}
		return s.Holds, ctx.Err()
	}
	low, high := 0.0, 1.0
	for {
		holds, err := try(high)
		if err != nil {
			return low, steps, err
		}
		if !holds {
			break
		}
		low, high = high, 2*high
	}
	for low > 0 && high-low > low/10 {
		mid := (low + high) / 2
		holds, err := try(mid)
		if err != nil {
			return low, steps, err
		}
		if holds {
			low = mid
		} else {
			high = mid
		}
	}
	return low, steps, nil
}
