package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
)

// ranges are the spans of time that the savings are shown for, and the steps in them.
var ranges = map[string]struct{ span, step time.Duration }{
	"hour":  {time.Hour, 2 * time.Minute},
	"day":   {24 * time.Hour, time.Hour},
	"week":  {7 * 24 * time.Hour, 6 * time.Hour},
	"month": {30 * 24 * time.Hour, 24 * time.Hour},
	"year":  {365 * 24 * time.Hour, 7 * 24 * time.Hour},
}

// visible is the part of the log that an identity may see: its own, or all of it for an
// administrator, who may ask for one identity's.
func visible(id identity.Identity, who string) (audit.Filter, error) {
	if id.Admin {
		return audit.Filter{Identity: who}, nil
	}
	if who != "" && who != id.Name {
		return audit.Filter{}, &identity.Denied{Identity: id.Name, What: fmt.Sprintf("the log of %q", who), Why: "is not its own",
			Remedy: "an administrator may allow it: bmcis tokens set " + id.Name + " --admin"}
	}
	return audit.Own(id.ID), nil
}

// fresh waits a moment for what was just run to be in the log.
func (a *api) fresh(ctx context.Context) {
	if a.Flush == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = a.Flush(ctx) // else it shows the next time
}

// savings adds up programs over time: what they touched and what they returned. Direct
// calls save nothing and are not in it.
func (a *api) savings(_ http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	p, err := query(r, "range", "identity")
	if err != nil {
		return nil, err
	}
	name := p.Get("range")
	if name == "" {
		name = "month"
	}
	span, ok := ranges[name]
	if !ok {
		return nil, invalid("range %.40q is none of hour, day, week, month, year", name)
	}
	if a.Log == nil {
		return nil, errNoLog
	}
	return a.Server.Look(r.Context(), toolStats, func(ctx context.Context, id identity.Identity) (any, error) {
		f, err := visible(id, p.Get("identity"))
		if err != nil {
			return nil, err
		}
		a.fresh(ctx)
		f.Kind = audit.KindProgram
		f.Until = time.Now()
		f.Since = f.Until.Add(-span.span)
		points, err := a.Log.Series(ctx, f, span.step)
		if err != nil {
			return nil, err
		}
		st, err := a.Log.Stats(ctx, f)
		if err != nil {
			return nil, err
		}
		return map[string]any{"range": name, "since": f.Since.UTC(), "until": f.Until.UTC(), "step_seconds": span.step.Seconds(), "points": points, "stats": st}, nil
	})
}

// auditFilter reads the filters of the page.
func auditFilter(id identity.Identity, p parameters) (audit.Filter, error) {
	f, err := visible(id, p.Get("identity"))
	if err != nil {
		return f, err
	}
	f.Session, f.Tool, f.Outcome, f.Text, f.Method = p.Get("session"), p.Get("tool"), p.Get("outcome"), p.Get("text"), p.Get("method")
	switch k := audit.Kind(p.Get("kind")); k {
	case "", audit.KindProgram, audit.KindTool, audit.KindGap, audit.KindPrune:
		f.Kind = k
	default:
		return f, invalid("kind %.40q is none of program, tool, gap, prune", k)
	}
	for name, into := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if text := p.Get(name); text != "" {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return f, invalid("%s %.40q is no time such as 2026-01-31T09:00:00Z", name, text)
			}
			*into = t
		}
	}
	return f, nil
}

// wireRun is a run as the page shows it.
type wireRun struct {
	ID          int64           `json:"id"`
	Started     time.Time       `json:"started"`
	Millis      float64         `json:"ms"`
	Identity    string          `json:"identity"`
	Session     string          `json:"session"`
	Transport   string          `json:"transport"`
	Kind        audit.Kind      `json:"kind"`
	Tool        string          `json:"tool"`
	Description string          `json:"description,omitempty"`
	Outcome     string          `json:"outcome"`
	Error       string          `json:"error,omitempty"`
	Ledger      json.RawMessage `json:"ledger,omitempty"`
	// The rest is of one run alone.
	Program string          `json:"program,omitempty"`
	Digest  string          `json:"digest,omitempty"`
	Limits  json.RawMessage `json:"limits,omitempty"`
	Usage   json.RawMessage `json:"usage,omitempty"`
	Calls   []*hostCall     `json:"calls,omitempty"`
	Omitted int             `json:"calls_omitted,omitempty"`
}

func listed(r audit.Run) wireRun {
	return wireRun{ID: r.ID, Started: r.Started.UTC(), Millis: float64(r.Duration.Microseconds()) / 1000, Identity: r.Identity,
		Session: r.Session, Transport: r.Transport, Kind: r.Kind, Tool: r.Tool, Description: r.Description,
		Outcome: r.Outcome, Error: r.Error, Ledger: r.Ledger}
}

func (a *api) auditList(_ http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	p, err := query(r, "identity", "session", "kind", "tool", "outcome", "since", "until", "text", "method", "limit", "before")
	if err != nil {
		return nil, err
	}
	limit, err := p.number("limit", 50, 1, 200)
	if err != nil {
		return nil, err
	}
	before, err := p.number("before", 0, 1, 1<<62)
	if err != nil {
		return nil, err
	}
	if a.Log == nil {
		return nil, errNoLog
	}
	return a.Server.Look(r.Context(), toolStats, func(ctx context.Context, id identity.Identity) (any, error) {
		f, err := auditFilter(id, p)
		if err != nil {
			return nil, err
		}
		if before == 0 {
			a.fresh(ctx)
		}
		runs, more, err := a.Log.List(ctx, f, int(limit), before)
		if err != nil {
			return nil, err
		}
		out := make([]wireRun, len(runs))
		for i, run := range runs {
			out[i] = listed(run)
		}
		return map[string]any{"runs": out, "more": more}, nil
	})
}

func (a *api) auditRun(_ http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	if _, err := query(r); err != nil {
		return nil, err
	}
	number, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || number < 1 {
		return nil, invalid("run %.40q is no number", r.PathValue("id"))
	}
	if a.Log == nil {
		return nil, errNoLog
	}
	return a.Server.Look(r.Context(), toolStats, func(ctx context.Context, id identity.Identity) (any, error) {
		f, err := visible(id, "")
		if err != nil {
			return nil, err
		}
		run, err := a.Log.Get(ctx, f, number)
		if err != nil {
			return nil, err
		}
		out := listed(run)
		out.Program, out.Digest, out.Limits, out.Usage, out.Omitted = run.Program, run.Digest.String(), run.Limits, run.Usage, run.CallsOmitted
		for _, c := range run.Calls {
			out.Calls = append(out.Calls, wireCall(c))
		}
		return out, nil
	})
}
