package sandbox

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// memoryPlan divides Limits.MemoryBytes. The runtime starts to collect hard at
// gcAt, the monitor ends the program cleanly when live data pass softAt, and
// address space ends at hardRoom above what the idle child has.
type memoryPlan struct{ gcAt, softAt, mappedAt, hardRoom int64 }

func planMemory(limit int64) memoryPlan {
	return memoryPlan{
		gcAt:     limit/100*96 + 8<<20,
		softAt:   limit / 100 * 94,
		mappedAt: limit + limit/8 + 48<<20,
		// Address space: the heap grows in arenas of 64 MiB.
		hardRoom: limit + limit/8 + 128<<20,
	}
}

// collectAt says how much garbage may gather, in percent of the live data: a small
// program is not worth collecting often, a large one must be. The memory limit of
// the runtime holds in any case.
func collectAt(live int64) int {
	switch {
	case live < 16<<20:
		return 400
	case live < 64<<20:
		return 200
	}
	return 100
}

// limitRun sets the limits that depend on the run.
func limitRun(base int64, l Limits) error {
	debug.SetGCPercent(collectAt(0))
	debug.SetMemoryLimit(planMemory(l.MemoryBytes).gcAt)
	return hardLimits(base, l)
}

// monitor ends the run cleanly when it has used up wall time, CPU time or memory.
// What it misses, the kernel and the parent do not.
func (c *childHost) monitor() {
	plan := planMemory(c.limits.MemoryBytes)
	start, cpu0 := time.Now(), cpuTime()
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	percent := collectAt(0)
	const every = 5 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		metrics.Read(samples)
		live := int64(samples[0].Value.Uint64())
		mapped := int64(samples[1].Value.Uint64() - samples[2].Value.Uint64())
		if p := collectAt(live); p < percent {
			percent = p
			debug.SetGCPercent(p)
		}
		if live > plan.softAt || mapped > plan.mappedAt {
			c.stop(errMemory(c.limits.MemoryBytes))
			return
		}
		if time.Since(start) >= c.limits.Wall {
			c.stop(errWall(c.limits.Wall))
			return
		}
		if n%4 == 3 {
			if used := cpuTime() - cpu0; used >= c.limits.CPU {
				c.stop(errCPU(c.limits.CPU))
				return
			}
		}
		wait := time.Until(start.Add(c.limits.Wall))
		if wait < every {
			time.Sleep(max(wait, 0))
			continue
		}
		select {
		case <-tick.C:
		case <-c.ctx.Done():
			return
		}
	}
}
