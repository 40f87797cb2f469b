package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	r := newTestRunner(t, Config{})
	half := 500 * time.Millisecond
	for _, tt := range []struct {
		name, src string
		l         Limits
		kind      Kind
		message   string
	}{
		{"loop that obeys", "spin", Limits{Wall: half}, KindTimeout, "longer than 500ms"},
		{"loop that does not", "spindeaf", Limits{Wall: half}, KindTimeout, "longer than 500ms"},
		{"sleep", "sleep 1h", Limits{Wall: half}, KindTimeout, "longer than 500ms"},
		{"sleep is not CPU", "sleep 600ms\nreturn 1", Limits{Wall: 5 * time.Second, CPU: 100 * time.Millisecond}, KindOK, ""},
		{"CPU", "spin", Limits{Wall: 20 * time.Second, CPU: half}, KindTimeout, "CPU time"},
		{"CPU deaf", "spindeaf", Limits{Wall: 20 * time.Second, CPU: half}, KindTimeout, "CPU time"},
		{"steps", "steps 5000000", Limits{MaxSteps: 100_000}, KindSteps, "more than 100000 steps"},
		{"steps cannot be caught", "steps 5000000 !\nreturn 1", Limits{MaxSteps: 100_000}, KindSteps, "more than 100000 steps"},
		{"output", "flood 100000 99", Limits{OutputBytes: 10_000}, KindOutput, "printed more than"},
		{"output at the limit", "flood 100 99\nreturn 1", Limits{OutputBytes: 10_000}, KindOK, ""},
		{"calls", "calls 11 echo 1", Limits{HostCalls: 10}, KindCalls, "more than 10 host calls"},
		{"calls at the limit", "calls 10 echo 1", Limits{HostCalls: 10}, KindOK, ""},
		{"waiting call", "call wait 1", Limits{Wall: half}, KindTimeout, ""},
		{"result", "returnsize 5000", Limits{ResultBytes: 1000}, KindOutput, "at most"},
		{"stderr", "stderrflood", Limits{Wall: half}, KindTimeout, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			out := mustRun(t, r, tt.src, tt.l)
			took := time.Since(start)
			if out.Kind != tt.kind {
				t.Fatalf("kind %s, want %s: %+v", out.Kind, tt.kind, out.Error)
			}
			if out.Error != nil && !strings.Contains(out.Error.Message, tt.message) {
				t.Errorf("message %q, want %q", out.Error.Message, tt.message)
			}
			if tt.l.Wall != 0 && took > tt.l.Wall+2*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestLimitsRefused(t *testing.T) {
	r := newTestRunner(t, Config{})
	for _, l := range []Limits{{Wall: -1}, {MemoryBytes: 1}, {HostCalls: -1}, {Depth: 1 << 30}, {SourceBytes: 1 << 40}} {
		if _, err := r.Run(context.Background(), Program{Source: "return 1"}, l, nil); err == nil {
			t.Errorf("%+v was accepted", l)
		}
	}
}

func TestPlaceOfLimit(t *testing.T) {
	r := newTestRunner(t, Config{})
	out := mustRun(t, r, "print a\nsleep 1h", Limits{Wall: 100 * time.Millisecond})
	if out.Error == nil || out.Error.Line != 2 || out.Output != "a\n" {
		t.Errorf("%+v, output %q", out.Error, out.Output)
	}
}

// Printed lines arrive while the program runs, in order, and survive its death.
func TestOutput(t *testing.T) {
	r := newTestRunner(t, Config{})
	for _, tail := range []string{"return 1", "exit 1", "alloc 1 17179869184", "spindeaf", "lie garbage", "lie twice"} {
		var lines []string
		var first time.Time
		var src strings.Builder
		want := 0
		for ; want < 500; want++ {
			fmt.Fprintf(&src, "print line %d é\n", want)
		}
		src.WriteString("printraw no newline\nsleep 200ms\n" + tail)
		want++
		start := time.Now()
		out, err := r.Run(context.Background(), Program{Source: src.String(), Output: func(s string) {
			if first.IsZero() {
				first = time.Now()
			}
			lines = append(lines, s)
		}}, Limits{Wall: 700 * time.Millisecond}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) != want || lines[0] != "line 0 é" || lines[499] != "line 499 é" || lines[500] != "no newline" {
			t.Errorf("%s: %d lines, want %d, kind %s", tail, len(lines), want, out.Kind)
		}
		if out.Output != strings.Join(lines, "\n") {
			t.Errorf("%s: output differs from the lines", tail)
		}
		if d := first.Sub(start); d > 150*time.Millisecond {
			t.Errorf("%s: first line after %v", tail, d)
		}
	}
}

func TestLongLine(t *testing.T) {
	r := newTestRunner(t, Config{})
	long := strings.Repeat("é", 60_000)
	out := mustRun(t, r, "print "+long, Limits{})
	if out.Output != long+"\n" {
		t.Errorf("a line of %d bytes came back as %d", len(long), len(out.Output))
	}
}

func TestCancel(t *testing.T) {
	r := newTestRunner(t, Config{})
	for _, src := range []string{"spindeaf", "sleep 1h", "call wait 1", "calls 10 wait 1", "flood 100000000"} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		out, err := r.Run(ctx, Program{Source: src}, Limits{OutputBytes: 50 << 20}, testCaller)
		if err != nil || out.Kind != KindCancelled {
			t.Errorf("%s: %s %v %+v", src, out.Kind, err, out.Error)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: took %v", src, took)
		}
	}
}

func TestClose(t *testing.T) {
	r := newTestRunner(t, Config{})
	done := make(chan Outcome)
	go func() {
		out, _ := r.Run(context.Background(), Program{Source: "sleep 1h"}, Limits{}, nil)
		done <- out
	}()
	time.Sleep(100 * time.Millisecond)
	r.Close()
	r.Close()
	if out := <-done; out.Kind != KindCancelled {
		t.Errorf("%s %+v", out.Kind, out.Error)
	}
	if _, err := r.Run(context.Background(), Program{}, Limits{}, nil); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// Runs wait in a bounded queue, then they are busy.
func TestQueue(t *testing.T) {
	r := newTestRunner(t, Config{Slots: 2})
	var wg sync.WaitGroup
	for range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if out := mustRun(t, r, "sleep 10ms\nreturn 1", Limits{}); out.Kind != KindOK {
				t.Errorf("%s %+v", out.Kind, out.Error)
			}
		}()
	}
	wg.Wait()

	r = newTestRunner(t, Config{Slots: 1, Queue: 1, QueueWait: 50 * time.Millisecond})
	var busy atomic.Int64
	for range 5 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if out := mustRun(t, r, "sleep 300ms", Limits{}); out.Kind == KindBusy {
				busy.Add(1)
				if out.Error.Hint == "" || out.Error.RetryAfter < 1 {
					t.Errorf("busy without a hint or a time to try again: %+v", out.Error)
				}
			}
		}()
	}
	wg.Wait()
	if n := busy.Load(); n != 4 {
		t.Errorf("%d of 5 were busy, want 4", n)
	}
}

func TestContext(t *testing.T) {
	r := newTestRunner(t, Config{})
	out, err := r.Run(context.Background(), Program{Source: "context", Context: map[string]any{"n": 12345678901234567, "s": "é", "f": 0.1}}, Limits{}, nil)
	if err != nil || string(out.Result) != `{"f":0.1,"n":12345678901234567,"s":"é"}` {
		t.Errorf("%s %v %+v", out.Result, err, out.Error)
	}
	out, err = r.Run(context.Background(), Program{Source: "context", Context: map[string]any{"x": make(chan int)}}, Limits{}, nil)
	if err != nil || out.Kind != KindValidation {
		t.Errorf("%s %v %+v", out.Kind, err, out.Error)
	}
	out, err = r.Run(context.Background(), Program{Source: "validate", ValidateOnly: true}, Limits{}, nil)
	if err != nil || out.Kind != KindOK || string(out.Report) != `{"validate":true}` {
		t.Errorf("%s %v %+v", out.Kind, err, out.Error)
	}
}

func TestUsage(t *testing.T) {
	r := newTestRunner(t, Config{})
	out := mustRun(t, r, "alloc 50 1048576\ncall echo 1\ncall echo 2\nsteps 5000\nprint abc", Limits{})
	u := out.Usage
	if u.Steps != 5000 || u.HostCalls != 2 || u.BytesOut < 10 || u.CPU <= 0 || out.Duration <= 0 {
		t.Errorf("%+v, duration %v", u, out.Duration)
	}
	if u.MemoryBytes != 0 && !underRace && (u.MemoryBytes < 50<<20 || u.MemoryBytes > 120<<20) {
		t.Errorf("peak memory %d MiB", u.MemoryBytes>>20)
	}
}

// More wall time is more CPU time, unless that has a limit of its own.
func TestDefaultCPU(t *testing.T) {
	own := Limits{CPU: 10 * time.Second}.or(DefaultLimits())
	for _, tt := range []struct {
		run, defaults Limits
		want          time.Duration
	}{
		{Limits{}, DefaultLimits(), 30 * time.Second},
		{Limits{Wall: time.Second}, DefaultLimits(), 30 * time.Second},
		{Limits{Wall: time.Minute}, DefaultLimits(), time.Minute},
		{Limits{Wall: time.Minute, CPU: time.Second}, DefaultLimits(), time.Second},
		{Limits{}, own, 10 * time.Second},
		{Limits{Wall: time.Minute}, own, 10 * time.Second},
	} {
		if got := tt.run.or(tt.defaults).CPU; got != tt.want {
			t.Errorf("%+v: CPU time %v, want %v", tt.run, got, tt.want)
		}
	}
}

func TestDefaultSlots(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		cores        int
		memory, each int64
		want         int
	}{
		{2, 0, 512 * mib, 4},
		{2, 24 << 30, 512 * mib, 4},
		{16, 4 << 30, 512 * mib, 2},
		{4, 512 * mib, 512 * mib, 1},
	} {
		if got := defaultSlots(tt.cores, tt.memory, tt.each); got != tt.want {
			t.Errorf("%d cores, %d bytes: %d slots, want %d", tt.cores, tt.memory, got, tt.want)
		}
	}
}

// Nothing is left behind by many runs.
func TestSoak(t *testing.T) {
	r := newTestRunner(t, Config{})
	runs := 400
	if testing.Short() {
		runs = 60
	}
	src := []string{"return 1", "calls 5 echo 1", "lie garbage", "alloc 1 17179869184", "flood 100 1000", "exit 1", "error runtime"}
	one := func(i int) {
		if out := mustRun(t, r, src[i%len(src)], Limits{}); !out.Kind.Valid() {
			t.Errorf("%s: %q", src[i%len(src)], out.Kind)
		}
	}
	for i := range 20 {
		one(i)
	}
	grown, routines := heap(), runtime.NumGoroutine()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range runs / 4 {
				one(i + w)
			}
		}()
	}
	wg.Wait()
	time.Sleep(50 * time.Millisecond)
	if n := heap() - grown; n > 10<<20 {
		t.Errorf("the heap grew by %d MiB in %d runs", n>>20, runs)
	}
	if n := runtime.NumGoroutine(); n > routines+5 {
		t.Errorf("%d goroutines, %d before", n, routines)
	}
}
