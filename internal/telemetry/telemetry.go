// Package telemetry tells operators what a server does: metrics for Prometheus, traces for
// OpenTelemetry, logs for people and machines.
//
// In: what the stages report while they work. Out: /metrics, spans to an OTLP receiver,
// records on standard error. Callers: internal/mcpserver and codeapi/host report, and
// cmd/bmcis, which also reports for search, reads the environment and serves /metrics.
//
// Nothing that a client or another server chooses freely becomes a label: labels are
// outcomes, stages and names of ours, and each of them is bounded once more by the
// recorder. Nothing of queries, programs or answers is recorded, only sizes and kinds.
// docs/observability.md lists all metrics, spans and log records.
package telemetry

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/bmcis/bmcis/internal/lru"
)

// A Recorder counts and times. The nil Recorder does nothing, at the cost of a
// comparison. Its methods may be called concurrently.
type Recorder struct {
	registry *prometheus.Registry
	metrics  metrics
	tracer   trace.Tracer // nil: no traces
	stop     func(context.Context) error

	mu     sync.Mutex
	labels map[string]map[string]bool // the values of each label so far
	// sessions are the modes that each has used.
	sessions *lru.Cache[string, sessionUse]
}

// maxLabelValues bounds the values of one label; what comes later is "other".
const maxLabelValues = 150

// New returns a recorder with metrics of its own and without traces.
func New(version string) *Recorder {
	r := &Recorder{registry: prometheus.NewRegistry(), labels: map[string]map[string]bool{}, sessions: lru.New[string, sessionUse](20_000)}
	r.metrics = newMetrics(r.registry)
	r.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bmcis_build_info", Help: "1, with the version of the server."}, []string{"version"})
	info.WithLabelValues(version).Set(1)
	r.registry.MustRegister(info)
	return r
}

// Handler answers with all metrics in the text format of Prometheus or, when asked, in
// that of OpenMetrics.
func (r *Recorder) Handler() http.Handler {
	return promhttp.HandlerFor(r.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second, EnableOpenMetrics: true})
}

// Gauge adds a metric whose value is asked for at each scrape, concurrently. Labels are
// pairs of name and value. Two gauges of the same name and labels panic.
func (r *Recorder) Gauge(name, help string, value func() float64, labels ...string) {
	if r == nil {
		return
	}
	constant := prometheus.Labels{}
	for i := 0; i+1 < len(labels); i += 2 {
		constant[labels[i]] = labels[i+1]
	}
	r.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: constant}, value))
}

// Count is Gauge for a value that only grows. Its name ends in _total.
func (r *Recorder) Count(name, help string, value func() float64) {
	if r == nil {
		return
	}
	r.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}

// bounded is the value, or "other" when the label has as many values as it may have.
func (r *Recorder) bounded(label, value string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.labels[label]
	if seen == nil {
		seen = map[string]bool{}
		r.labels[label] = seen
	}
	switch {
	case seen[value]:
		return value
	case len(seen) >= maxLabelValues || len(value) > 120:
		return "other"
	}
	seen[value] = true
	return value
}
