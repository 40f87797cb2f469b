package load

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// Sample is the server's processes at one time.
type Sample struct {
	AtSeconds float64 `json:"at_s"`
	// HostBytes is the server's resident memory, ChildBytes the anonymous memory of its
	// children together, which is what they have beside the program text they share.
	HostBytes  int64 `json:"host_bytes"`
	ChildBytes int64 `json:"child_bytes"`
	Children   int   `json:"children"`
	// Processor time so far; ChildCPU counts children that have ended, too.
	HostCPU  float64 `json:"host_cpu_s"`
	ChildCPU float64 `json:"child_cpu_s"`
}

// watch samples the server's processes each second.
func (r *run) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	said := time.Now()
	for {
		if r.o.PID > 0 {
			if s, ok := sampleProcesses(r.o.PID); ok {
				s.AtSeconds = seconds(time.Since(r.begun))
				r.mu.Lock()
				r.sample = append(r.sample, s)
				r.mu.Unlock()
			}
		}
		if time.Since(said) > 15*time.Second {
			said = time.Now()
			r.mu.Lock()
			n := len(r.calls)
			r.mu.Unlock()
			r.o.Progress(strconv.Itoa(int(time.Since(r.begun).Seconds())) + " s, " + strconv.Itoa(n) + " calls")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// clockTick is USER_HZ, which Linux fixes at 100 towards programs.
const clockTick = 100

// sampleProcesses reads /proc; false where there is none, or the process is gone.
func sampleProcesses(pid int) (s Sample, ok bool) {
	host, ok := readStat(pid)
	if !ok {
		return s, false
	}
	s.HostCPU, s.ChildCPU = host.cpu, host.waited
	s.HostBytes = statusBytes(pid, "VmRSS:")
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return s, true
	}
	stats := map[int]stat{}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			if st, ok := readStat(n); ok {
				stats[n] = st
			}
		}
	}
	for n, st := range stats {
		for up, depth := st.parent, 0; up > 1 && depth < 10; up, depth = stats[up].parent, depth+1 {
			if up == pid {
				s.Children++
				s.ChildCPU += st.cpu
				s.ChildBytes += statusBytes(n, "RssAnon:")
				break
			}
		}
	}
	return s, true
}

type stat struct {
	parent      int
	cpu, waited float64 // seconds: its own, and of children it has waited for
}

func readStat(pid int) (s stat, ok bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	_, rest, found := strings.Cut(string(raw), ") ") // the name before may hold anything
	f := strings.Fields(rest)
	if !found || len(f) < 15 || f[0] == "Z" {
		return s, false
	}
	number := func(i int) float64 { n, _ := strconv.ParseFloat(f[i], 64); return n }
	s.parent = int(number(1))
	s.cpu, s.waited = (number(11)+number(12))/clockTick, (number(13)+number(14))/clockTick
	return s, true
}

func statusBytes(pid int, key string) int64 {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(raw), "\n"+key)
	f := strings.Fields(rest)
	if !ok || len(f) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(f[0], 10, 64)
	return kib << 10
}

// loadAverage is the machine's load over the last minute; 0 where it cannot be read.
func loadAverage() float64 {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(raw), " ")
	x, _ := strconv.ParseFloat(first, 64)
	return x
}
