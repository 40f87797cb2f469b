package mcpserver

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// BenchmarkExecuteCodeOverHTTP runs a trivial program through streamable HTTP with a
// bearer token, the audit log and all services, and by turns the same program on the bare
// runner. It reports the medians of both (p50-ms, runner-p50-ms) and their difference
// (beyond-runner-ms): what transport, identity, host and audit cost, which is to stay
// below 5 ms.
func BenchmarkExecuteCodeOverHTTP(b *testing.B) {
	pool := pgtest.New(b)
	engine, err := search.New(pool, search.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	runner, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer runner.Close()
	cfg := Config{Engine: engine, Runner: runner, Logger: slog.New(slog.DiscardHandler)}
	withServices(b, pool, &cfg)
	s, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	web := httptest.NewServer(s.Handler(ctx))
	defer web.Close()
	made, err := cfg.Identities.Create(b.Context(), identity.NewToken{Name: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	client := (&bearer{t: b, url: web.URL, token: made.Secret}).open()

	var whole, own []float64
	since := func(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }
	run := func() {
		start := time.Now()
		if out, err := runner.Run(b.Context(), sandbox.Program{Source: "1"}, s.limits, nil); err != nil || out.Kind != sandbox.KindOK {
			b.Fatal(err, out)
		}
		own = append(own, since(start))
		start = time.Now()
		text := client.program("1")
		whole = append(whole, since(start))
		if !strings.Contains(text, `"success":true`) {
			b.Fatal(text)
		}
	}
	for range 20 { // connections, pool of children, plans of statements
		run()
	}
	whole, own = nil, nil
	for b.Loop() {
		run()
	}
	median := func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	b.ReportMetric(0, "ns/op") // of both together: of no interest
	b.ReportMetric(median(whole), "p50-ms")
	b.ReportMetric(median(own), "runner-p50-ms")
	b.ReportMetric(median(whole)-median(own), "beyond-runner-ms")
}
