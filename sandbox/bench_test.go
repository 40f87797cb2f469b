package sandbox

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkWarm is a trivial program, from request to outcome, with spares ready.
func BenchmarkWarm(b *testing.B) {
	r := newTestRunner(b, Config{})
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		time.Sleep(20 * time.Millisecond) // let the pool fill up, as between calls of an agent
		b.StartTimer()
		start := time.Now()
		if out := mustRun(b, r, "return 2", Limits{}); out.Kind != KindOK {
			b.Fatal(out.Error)
		}
		took = append(took, time.Since(start))
	}
	percentiles(b, took)
}

// BenchmarkBusy is the same without a pause: every run pays for the start of a
// child.
func BenchmarkBusy(b *testing.B) {
	r := newTestRunner(b, Config{})
	for b.Loop() {
		if out := mustRun(b, r, "return 2", Limits{}); out.Kind != KindOK {
			b.Fatal(out.Error)
		}
	}
}

// BenchmarkStart is one child from nothing to its hello.
func BenchmarkStart(b *testing.B) {
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		c, err := startChild(DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		c.end()
	}
	percentiles(b, took)
}

// BenchmarkCall is one host call within a run.
func BenchmarkCall(b *testing.B) {
	r := newTestRunner(b, Config{})
	const n = 1000
	for b.Loop() {
		if out := mustRun(b, r, "calls 1000 echo 1", Limits{}); out.Kind != KindOK {
			b.Fatal(out.Error)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/call")
}

func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
