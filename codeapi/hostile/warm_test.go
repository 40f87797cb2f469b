package hostile

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/sandbox"
)

// BenchmarkWarmProgram is a trivial program, from request to outcome, with the real
// engine and a spare child ready.
func BenchmarkWarmProgram(b *testing.B) {
	r, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		time.Sleep(30 * time.Millisecond) // let the pool fill up, as between calls of an agent
		b.StartTimer()
		start := time.Now()
		out, err := r.Run(context.Background(), sandbox.Program{Source: "result = 1 + 1"}, sandbox.Limits{}, nil)
		if err != nil || string(out.Result) != "2" {
			b.Fatal(err, out.Error)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// Fifty programs that come at once all get their answer, whatever the number of cores.
func TestFiftyAtOnce(t *testing.T) {
	r, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			source := fmt.Sprintf("hits = search.hybrid_search('q')\nresult = [%d, len(hits), sum(range(100000))]", i)
			out, err := r.Run(context.Background(), sandbox.Program{Source: source}, sandbox.Limits{}, sandbox.CallerFunc(fakeHost))
			if want := fmt.Sprintf("[%d,3,4999950000]", i); err != nil || string(out.Result) != want {
				t.Errorf("program %d: %v %s %+v %s", i, err, out.Kind, out.Error, out.Result)
			}
		})
	}
	all.Wait()
}
