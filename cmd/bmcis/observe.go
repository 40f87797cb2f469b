package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/internal/telemetry"
	"github.com/bmcis/bmcis/migrations"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// observation is what a server tells its operators: metrics, traces, logs and whether it
// is ready.
type observation struct {
	recorder *telemetry.Recorder
	engine   *search.Engine

	mu      sync.Mutex
	asked   time.Time
	answer  mcpserver.Readiness
	counted time.Time
	health  search.IndexHealth
}

// observe begins an observation before anything else of a server is opened: logs are
// structured and hide personal data, traces are on if OTEL_* says so.
func (g *globals) observe(ctx context.Context, logFormat string) (*observation, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(g.logLevel)); err != nil {
		return nil, usagef("--log-level %q is none of debug, info, warn, error", g.logLevel)
	}
	logger, err := telemetry.Logger(os.Stderr, logFormat, level, &pii.Sanitizer{})
	if err != nil {
		return nil, usagef("--log-format: %w", err)
	}
	slog.SetDefault(logger)
	o := &observation{recorder: telemetry.New(version())}
	if _, err := o.recorder.StartTracing(ctx, os.Getenv, version()); err != nil {
		return nil, usageError{err}
	}
	g.observer = searchObserver{o.recorder}
	return o, nil
}

// Close sends the traces that are left.
func (o *observation) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := o.recorder.Close(ctx); err != nil {
		slog.Warn("the last traces were not delivered", "error", err)
	}
}

// watch adds what is looked up at each scrape. runner may be nil.
func (o *observation) watch(engine *search.Engine, runner *sandbox.Runner, server *mcpserver.Server) {
	o.engine = engine
	r := o.recorder
	if runner != nil {
		r.Gauge("bmcis_sandbox_slots", "Programs that may run at once.", func() float64 { return float64(runner.Stats().Slots) })
		r.Gauge("bmcis_sandbox_running", "Programs that run.", func() float64 { return float64(runner.Stats().Running) })
		r.Gauge("bmcis_sandbox_waiting", "Programs that wait for room.", func() float64 { return float64(runner.Stats().Waiting) })
		r.Gauge("bmcis_sandbox_spares", "Children that are ready for a program.", func() float64 { return float64(runner.Stats().Spares) })
		r.Count("bmcis_sandbox_refused_total", "Programs that were refused as busy.", func() float64 { return float64(runner.Stats().Refused) })
	}
	r.Gauge("bmcis_http_requests_held", "Requests to /mcp that are under way.", func() float64 { n, _ := server.Load(); return float64(n.Running) })
	r.Count("bmcis_http_requests_refused_total", "Requests to /mcp that were refused with 429 because too many were under way.", func() float64 { n, _ := server.Load(); return float64(n.Refused) })
	r.Gauge("bmcis_direct_running", "Calls of tools other than execute_code that run.", func() float64 { _, n := server.Load(); return float64(n.Running) })
	r.Gauge("bmcis_direct_waiting", "Calls of tools other than execute_code that wait.", func() float64 { _, n := server.Load(); return float64(n.Waiting) })
	pool := engine.Pool()
	for state, count := range map[string]func() int32{
		"used": func() int32 { return pool.Stat().AcquiredConns() }, "idle": func() int32 { return pool.Stat().IdleConns() },
	} {
		r.Gauge("bmcis_db_connections", "Connections to the database.", func() float64 { return float64(count()) }, "state", state)
	}
	r.Gauge("bmcis_db_connections_max", "Connections that there may be.", func() float64 { return float64(pool.Stat().MaxConns()) })
	r.Count("bmcis_db_waits_total", "Times that something waited for a connection.", func() float64 { return float64(pool.Stat().EmptyAcquireCount()) })
	loaded := func(which func(embedding, reranker bool) bool) func() float64 {
		return func() float64 {
			if which(engine.Models()) {
				return 1
			}
			return 0
		}
	}
	const modelHelp = "1 when the model is in memory."
	r.Gauge("bmcis_model_loaded", modelHelp, loaded(func(e, _ bool) bool { return e }), "model", "embedding")
	r.Gauge("bmcis_model_loaded", modelHelp, loaded(func(_, r bool) bool { return r }), "model", "reranker")
	r.Gauge("bmcis_lexical_cache_bytes", "What is held of the lexical index in memory.", func() float64 { return float64(o.index().CacheBytes) })
	for name, g := range map[string]struct {
		help  string
		value func(h search.IndexHealth) int64
	}{
		"bmcis_collections":           {"Collections.", func(h search.IndexHealth) int64 { return h.Collections }},
		"bmcis_documents":             {"Documents of all collections.", func(h search.IndexHealth) int64 { return h.Documents }},
		"bmcis_chunks":                {"Chunks of all collections.", func(h search.IndexHealth) int64 { return h.Chunks }},
		"bmcis_lexical_segments":      {"Segments of the lexical index.", func(h search.IndexHealth) int64 { return h.Segments }},
		"bmcis_lexical_tail_segments": {"Segments of these that are not sealed yet: the tail.", func(h search.IndexHealth) int64 { return h.TailSegments }},
		"bmcis_lexical_tombs":         {"Deletions that no merge has applied yet.", func(h search.IndexHealth) int64 { return h.Tombs }},
	} {
		r.Gauge(name, g.help+" Counted twice a minute at most; NaN when that failed.", func() float64 {
			h := o.index()
			if h.Collections < 0 {
				return math.NaN()
			}
			return float64(g.value(h))
		})
	}
}

// index is the state of the stored index, at most half a minute old.
func (o *observation) index() search.IndexHealth {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.counted) > 30*time.Second {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		h, err := o.engine.IndexHealth(ctx)
		if err != nil {
			slog.Warn("count the index for metrics", "error", err)
			h.Collections = -1
		}
		o.health, o.counted = h, time.Now()
	}
	return o.health
}

// ready says whether the server can answer, as of a second ago at most.
func (o *observation) ready(ctx context.Context) mcpserver.Readiness {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.asked) < time.Second {
		return o.answer
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	a := mcpserver.Readiness{Database: "ok", Schema: "ok"}
	if err := o.engine.Pool().Ping(ctx); err != nil {
		slog.Error("not ready: the database", "error", err)
		a.Database, a.Schema = "not reachable", "unknown"
	} else if pending, err := migrations.Pending(ctx, o.engine.Pool()); err != nil {
		slog.Error("not ready: the schema", "error", err)
		a.Schema = "unknown"
	} else if pending {
		a.Schema = "older than this program; run bmcis db migrate"
	}
	a.Ready = a.Database == "ok" && a.Schema == "ok"
	embedding, reranker := o.engine.Models()
	if !embedding {
		a.Degraded = append(a.Degraded, "the embedding model is not loaded: searches go by keywords alone; the log says why, unless it is still loading")
	}
	if !reranker {
		a.Degraded = append(a.Degraded, "the reranker is not loaded: results keep their fused order; the log says why, unless it is still loading")
	}
	o.asked, o.answer = time.Now(), a
	return a
}

// serveMetrics answers /metrics, /healthz and /readyz on an address of their own until ctx
// is done, without tokens: whoever reaches the address may read them.
func (o *observation) serveMetrics(ctx context.Context, address string) (net.Addr, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics: listen on %s: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", o.recorder.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /readyz", mcpserver.ReadyHandler(o.ready))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	go func() {
		if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			slog.Error("metrics", "error", err)
		}
	}()
	return listener.Addr(), nil
}

// searchObserver reports searches to a recorder.
type searchObserver struct{ r *telemetry.Recorder }

type searchSpanKey struct{}

func (o searchObserver) Begin(ctx context.Context) context.Context {
	if !o.r.Tracing() {
		return ctx
	}
	ctx, span := o.r.Start(ctx, "search")
	return context.WithValue(ctx, searchSpanKey{}, span)
}

func (o searchObserver) Stage(ctx context.Context, stage string) func() { return o.r.Stage(ctx, stage) }

func (o searchObserver) End(ctx context.Context, res *search.Results, err error, took time.Duration) {
	s := telemetry.Search{Failed: search.FailureKind(err), Took: took, Lexical: -1, Vector: -1}
	if res != nil {
		st := res.Stats
		s.Mode, s.Class, s.Reranked = string(res.Plan.Mode), res.Plan.Class, st.Reranked
		s.Segments, s.CacheHits, s.CacheMisses, s.ReadBytes = int64(st.Index.Segments), st.Index.CacheHits, st.Index.CacheMisses, st.Index.ReadBytes
		if st.Times.Lexical > 0 {
			s.Lexical = st.LexicalCandidates
		}
		if st.Times.Vector > 0 {
			s.Vector = st.VectorCandidates
		}
		for _, d := range res.Degraded {
			s.Degraded = append(s.Degraded, d.Stage)
		}
	}
	o.r.Searched(s)
	if span, ok := ctx.Value(searchSpanKey{}).(telemetry.Span); ok {
		span.Set("bmcis.mode", s.Mode)
		span.Set("bmcis.class", s.Class)
		span.SetInt("bmcis.reranked", int64(s.Reranked))
		span.SetInt("bmcis.degraded", int64(len(s.Degraded)))
		outcome := "ok"
		if s.Failed != "" {
			outcome = s.Failed
		}
		span.End(outcome)
	}
}
