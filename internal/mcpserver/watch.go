package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/admit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/telemetry"
)

// Room for what arrives at once. Programs have a queue of their own, in the runner; these
// bound the rest, so that a crowd costs waiting and refusals and not memory.
const (
	maxRequests = 256             // POSTs to /mcp that are held at once; one holds up to maxMessageBytes
	directQueue = 128             // direct calls that wait
	directWait  = 5 * time.Second // and how long
)

// newRequestGate and newDirectGate are the rooms of a server.
func newRequestGate() *admit.Gate { return admit.New(admit.Config{Slots: maxRequests}) }

func newDirectGate() *admit.Gate {
	return admit.New(admit.Config{Slots: 2 * runtime.NumCPU(), Queue: directQueue, Wait: directWait})
}

// admitted refuses requests that there is no room to hold, before their bodies are read.
func (s *Server) admitted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			leave, _, err := s.requests.Enter(r.Context())
			var busy *admit.Busy
			if errors.As(err, &busy) {
				tooMany(w, busy.RetryAfter, fmt.Sprintf("%d requests are under way, which is all that this server holds at once", maxRequests))
				return
			}
			if err != nil {
				return // its client has gone
			}
			defer leave()
		}
		next.ServeHTTP(w, r)
	})
}

// outcomeKey leads to the outcome of the call under way, for those that know it better
// than by success and failure.
type outcomeKey struct{}

// noteOutcome says how the call of ctx ends, ok or a kind of error, unless it is "".
func noteOutcome(ctx context.Context, outcome string) {
	if o, ok := ctx.Value(outcomeKey{}).(*string); ok && outcome != "" {
		*o = outcome
	}
}

// watched is the room around a call of a tool: it waits for a place, and counts, times,
// traces and logs what happens. Nothing of arguments and answers goes into these.
func (s *Server) watched(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		begun, tool, outcome := time.Now(), r.Params.Name, ""
		if m := r.Params.Meta; m != nil {
			ctx = s.telemetry.Continue(ctx, m.AdditionalFields)
		}
		ctx, span := s.telemetry.Start(ctx, "tool "+tool)
		ctx = context.WithValue(ctx, outcomeKey{}, &outcome)
		defer func() {
			if outcome == "" || err != nil {
				outcome = outcomeOf(ctx, result, err)
			}
			s.tell(ctx, span, tool, outcome, time.Since(begun), result)
		}()
		if tool != "execute_code" { // programs wait in the runner
			leave, waited, err := s.direct.Enter(ctx)
			var busy *admit.Busy
			switch {
			case errors.As(err, &busy):
				outcome = "busy"
				return mcp.NewToolResultErrorf("busy: %v; try again in %d s", busy, busy.Seconds()), nil
			case err != nil:
				return nil, err
			}
			defer leave()
			span.SetInt("bmcis.waited_ms", waited.Milliseconds())
		}
		return next(ctx, r)
	}
}

func outcomeOf(ctx context.Context, result *mcp.CallToolResult, err error) string {
	switch {
	case ctx.Err() != nil:
		return "cancelled"
	case err != nil:
		return "host"
	case result != nil && result.IsError:
		return "failed"
	}
	return "ok"
}

// tell reports a call that has ended to all who want to know.
func (s *Server) tell(ctx context.Context, span telemetry.Span, tool, outcome string, took time.Duration, result *mcp.CallToolResult) {
	conn, name := host.ConnectionOf(ctx), ""
	if id, ok := identity.FromContext(ctx); ok {
		name = id.Name
	} else if conn.Transport == transportStdio {
		name = identity.LocalName
	}
	size := 0
	if result != nil {
		for _, c := range result.Content {
			if t, ok := c.(mcp.TextContent); ok {
				size += len(t.Text)
			}
		}
	}
	session := conn.Session
	if session == "" { // without sessions, what one does within an hour stands for one
		session = name + " " + conn.Transport + " " + time.Now().Format("2006010215")
	}
	s.telemetry.ToolCalled(telemetry.ToolCall{Tool: tool, Outcome: outcome, Took: took, Bytes: size, Session: session})
	span.Set("bmcis.tool", tool)
	span.Set("bmcis.outcome", outcome)
	span.Set("bmcis.transport", conn.Transport)
	span.SetInt("bmcis.answer_bytes", int64(size))
	span.End(outcome)
	s.logger.LogAttrs(ctx, slog.LevelInfo, "tool call", slog.String("tool", tool), slog.String("outcome", outcome),
		slog.String("identity", name), slog.String("transport", conn.Transport), slog.String("session", conn.Session),
		slog.Float64("ms", float64(took.Microseconds())/1000), slog.Int("answer_bytes", size))
}

// Readiness says whether a server can answer. It is shown to anybody: no names, no errors.
type Readiness struct {
	Ready    bool   `json:"ready"`
	Database string `json:"database"` // ok or what is wrong
	Schema   string `json:"schema"`
	// Degraded is what searches go without; a degraded server is ready.
	Degraded []string `json:"degraded,omitempty"`
}

// ReadyHandler answers with the readiness as JSON, and with status 503 when the server is
// not ready.
func ReadyHandler(ready func(context.Context) Readiness) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := ready(r.Context())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if !a.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(a)
	})
}

// operations are the routes for operators: /readyz for anybody, and /metrics, which are
// everybody's statistics, for administrators.
func (s *Server) operations() (routes []Route) {
	if s.ready != nil {
		routes = append(routes, Route{Pattern: "GET /readyz", Handler: ReadyHandler(s.ready), Open: true})
	}
	if s.telemetry != nil && !s.metricsApart {
		metrics := s.telemetry.Handler()
		routes = append(routes, Route{Pattern: "GET /metrics", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, id, err := s.Who(r.Context())
			if err != nil || !id.Admin && s.local.store != nil {
				refuse(w, http.StatusForbidden, fmt.Sprintf("metrics are everybody's statistics, and %q is no administrator; an administrator's token or `bmcis serve --metrics ADDRESS` shows them", id.Name))
				return
			}
			metrics.ServeHTTP(w, r)
		})})
	}
	return routes
}

// Load is how full the server is: requests held, and direct calls that run and wait.
func (s *Server) Load() (requests, direct admit.Stats) { return s.requests.Stats(), s.direct.Stats() }
