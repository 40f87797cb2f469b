package sandbox

import (
	"cmp"
	"fmt"
	"time"
)

// Limits bound one run. A zero field takes the runner's default, which is the
// value named here unless Config.Limits says otherwise.
type Limits struct {
	// Wall time from the start of the program. Defaults to 30 s.
	Wall time.Duration
	// CPU time of the program, on one core. Defaults to Wall.
	CPU time.Duration
	// MemoryBytes of live data. Defaults to 512 MiB, at least 32 MiB. About 94 %
	// of it can be used by live values; see docs/sandbox.md.
	MemoryBytes int64
	// MaxSteps of the interpreter. Defaults to 2,000,000,000.
	MaxSteps int64
	// SourceBytes of the program's text. Defaults to 256 KiB.
	SourceBytes int64
	// OutputBytes that the program may print. Defaults to 1 MiB.
	OutputBytes int64
	// ResultBytes of the result as JSON. Defaults to 1 MiB.
	ResultBytes int64
	// HostCalls the program may make. Defaults to 1000.
	HostCalls int
	// Depth of calls in the program. Defaults to 1000.
	Depth int
}

// DefaultLimits returns the limits of a run for which nothing else is said.
func DefaultLimits() Limits {
	return Limits{
		Wall:        30 * time.Second,
		CPU:         30 * time.Second,
		MemoryBytes: 512 << 20,
		MaxSteps:    2_000_000_000,
		SourceBytes: 256 << 10,
		OutputBytes: 1 << 20,
		ResultBytes: 1 << 20,
		HostCalls:   1000,
		Depth:       1000,
	}
}

const (
	minMemory     = 32 << 20
	maxSource     = 1 << 20
	maxOutput     = 64 << 20
	maxResult     = 16 << 20
	maxContext    = 4 << 20
	maxDepth      = 10_000
	maxJSONDepth  = 200
	maxStderr     = 16 << 10
	killGrace     = 250 * time.Millisecond
	engineGrace   = 150 * time.Millisecond
	printChunk    = 32 << 10
	maxCallArgs   = 4 << 20
	maxCallReply  = 8 << 20
	maxInFlight   = 16
	maxFlying     = 16 << 20 // bytes of their arguments, unless there is one call only
	maxMethodName = 200
)

// or fills the zero fields of l from d.
func (l Limits) or(d Limits) Limits {
	l.Wall = cmp.Or(l.Wall, d.Wall)
	if l.CPU == 0 {
		l.CPU = d.CPU
		if d.CPU >= d.Wall { // not a limit of its own
			l.CPU = max(l.CPU, l.Wall)
		}
	}
	l.MemoryBytes = cmp.Or(l.MemoryBytes, d.MemoryBytes)
	l.MaxSteps = cmp.Or(l.MaxSteps, d.MaxSteps)
	l.SourceBytes = cmp.Or(l.SourceBytes, d.SourceBytes)
	l.OutputBytes = cmp.Or(l.OutputBytes, d.OutputBytes)
	l.ResultBytes = cmp.Or(l.ResultBytes, d.ResultBytes)
	l.HostCalls = cmp.Or(l.HostCalls, d.HostCalls)
	l.Depth = cmp.Or(l.Depth, d.Depth)
	return l
}

// check refuses limits that make no sense.
func (l Limits) check() error {
	for _, f := range []struct {
		name     string
		v        int64
		min, max int64
	}{
		{"wall time", int64(l.Wall), int64(time.Millisecond), int64(24 * time.Hour)},
		{"CPU time", int64(l.CPU), int64(time.Millisecond), int64(24 * time.Hour)},
		{"memory", l.MemoryBytes, minMemory, 1 << 40},
		{"steps", l.MaxSteps, 1, 1 << 62},
		{"source size", l.SourceBytes, 1, maxSource},
		{"output size", l.OutputBytes, 0, maxOutput},
		{"result size", l.ResultBytes, 16, maxResult},
		{"number of host calls", int64(l.HostCalls), 0, 1 << 30},
		{"call depth", int64(l.Depth), 1, maxDepth},
	} {
		if f.v < f.min || f.v > f.max {
			return fmt.Errorf("sandbox limits: %s is %d, want %d to %d", f.name, f.v, f.min, f.max)
		}
	}
	return nil
}
