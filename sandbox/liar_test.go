package sandbox

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// Children that break the protocol, flood the parent or say nothing.
func TestLiars(t *testing.T) {
	r := newTestRunner(t, Config{})
	for _, tt := range []struct {
		how  string
		kind Kind
	}{
		{"garbage", KindHost},
		{"zeros", KindHost},
		{"huge", KindHost},
		{"hugeprint", KindHost},
		{"cut", KindHost},
		{"type", KindHost},
		{"parenttype", KindHost},
		{"skippable", KindOK},
		{"skipflood", KindHost},
		{"hello", KindHost},
		{"twice", KindOK},
		{"badresult", KindHost},
		{"deepresult", KindHost},
		{"nonutf8", KindHost},
		{"lengths", KindHost},
		{"bigresult", KindHost},
		{"kind", KindHost},
		{"sameid", KindHost},
		{"method", KindHost},
		{"badargs", KindHost},
		{"deepargs", KindHost},
		{"bigcalls", KindHost},
		{"printflood", KindOutput},
		{"silent", KindTimeout},
	} {
		before := heap()
		start := time.Now()
		wall := 20 * time.Second // more than a busy machine needs to see through the lie
		if tt.kind == KindTimeout {
			wall = time.Second
		}
		out := mustRun(t, r, "print before\nlie "+tt.how, Limits{Wall: wall})
		if out.Kind != tt.kind && !(underRace && out.Kind == KindTimeout) {
			t.Errorf("%s: %s %+v, want %s", tt.how, out.Kind, out.Error, tt.kind)
		}
		if took := time.Since(start); took > wall+time.Second {
			t.Errorf("%s: took %v", tt.how, took)
		}
		if len(out.Output) < 7 || out.Output[:7] != "before\n" {
			t.Errorf("%s: output %.40q", tt.how, out.Output)
		}
		if grown := heap() - before; grown > 50<<20 {
			t.Errorf("%s: the parent grew by %d MiB", tt.how, grown>>20)
		}
		if out := mustRun(t, r, "return 1", Limits{}); out.Kind != KindOK {
			t.Errorf("after %s: %s %+v", tt.how, out.Kind, out.Error)
		}
	}
}

// A child that calls without end is stopped by whichever bound it meets first.
func TestCallFlood(t *testing.T) {
	r := newTestRunner(t, Config{})
	out := mustRun(t, r, "lie manycalls", Limits{Wall: 5 * time.Second})
	if out.Kind != KindCalls && out.Kind != KindHost {
		t.Errorf("%s %+v", out.Kind, out.Error)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What a dead child wrote to stderr chooses only between verdicts on its program.
func TestDeaths(t *testing.T) {
	r := newTestRunner(t, Config{})
	for src, kind := range map[string]Kind{
		"exit 0":                               KindHost,
		"exit 7":                               KindHost,
		"stderr out of memory\nexit 2":         KindMemory,
		"stderr goroutine stack exceeds\nexit": KindRuntime,
		"recurse":                              KindRuntime,
		"panic x":                              KindHost,
	} {
		if out := mustRun(t, r, src, Limits{}); out.Kind != kind {
			t.Errorf("%q: %s %+v, want %s", src, out.Kind, out.Error, kind)
		}
	}
	out := mustRun(t, r, fmt.Sprintf("stderr %0100000d\nexit 1", 0), Limits{Wall: time.Second})
	if out.Kind != KindHost && out.Kind != KindTimeout || len(out.Error.Message) > 2000 {
		t.Errorf("long stderr: %s, message of %d bytes", out.Kind, len(out.Error.Message))
	}
}
