package sandbox

import (
	"runtime"
	"testing"
	"time"
)

func skipWithoutHardMemory(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("hard memory limits are Linux only")
	}
	if underRace {
		t.Skip("the race detector's memory does not fit into a limit")
	}
}

// The promise of 512 MiB: 440 MiB of live data run, 600 MiB end as memory, every
// time.
func TestMemoryLimit(t *testing.T) {
	skipWithoutHardMemory(t)
	times := 10
	if testing.Short() {
		times = 2
	}
	r := newTestRunner(t, Config{})
	for i := range times {
		if out := mustRun(t, r, "alloc 440 1048576\nreturn 1", Limits{}); out.Kind != KindOK {
			t.Errorf("run %d: 440 MiB: %s %+v", i, out.Kind, out.Error)
		}
		out := mustRun(t, r, "alloc 600 1048576\nreturn 1", Limits{})
		if out.Kind != KindMemory {
			t.Errorf("run %d: 600 MiB: %s %+v", i, out.Kind, out.Error)
		}
		if out.Usage.MemoryBytes > 700<<20 || out.Usage.MemoryBytes < 400<<20 {
			t.Errorf("run %d: 600 MiB: peak %d MiB", i, out.Usage.MemoryBytes>>20)
		}
	}
}

func TestMemoryBombs(t *testing.T) {
	skipWithoutHardMemory(t)
	r := newTestRunner(t, Config{})
	for _, src := range []string{
		"alloc 1 17179869184",
		"alloc 1 700000000",
		"alloc 20 100000000",
		"alloc 100000 100000",
		"allocsmall 100000000",
	} {
		start := time.Now()
		out := mustRun(t, r, src, Limits{})
		t.Logf("%s: %s after %v, peak %d MiB: %v", src, out.Kind, time.Since(start), out.Usage.MemoryBytes>>20, out.Error)
		if out.Kind != KindMemory {
			t.Errorf("%s: %s %+v", src, out.Kind, out.Error)
		}
		if out.Usage.MemoryBytes > 720<<20 {
			t.Errorf("%s: peak %d MiB", src, out.Usage.MemoryBytes>>20)
		}
	}
	if out := mustRun(t, r, "alloc 300 1048576\ngarbage 3000 1048576\nreturn 1", Limits{}); out.Kind != KindOK {
		t.Errorf("garbage beside 300 MiB: %s %+v", out.Kind, out.Error)
	}
	if out := mustRun(t, r, "alloc 30 1048576\nreturn 1", Limits{MemoryBytes: 64 << 20}); out.Kind != KindOK {
		t.Errorf("30 of 64 MiB: %s %+v", out.Kind, out.Error)
	}
	if out := mustRun(t, r, "alloc 80 1048576\nreturn 1", Limits{MemoryBytes: 64 << 20}); out.Kind != KindMemory {
		t.Errorf("80 of 64 MiB: %s %+v", out.Kind, out.Error)
	}
	if out := mustRun(t, r, "alloc 800 1048576\nreturn 1", Limits{MemoryBytes: 1 << 30}); out.Kind != KindOK {
		t.Errorf("800 of 1024 MiB: %s %+v", out.Kind, out.Error)
	}
}
