package private

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// host is what the settings depend on.
type host struct {
	memory int64 // bytes that we may use
	shm    int64 // bytes of /dev/shm; -1 when unknown
	cpus   int
}

func machine() host {
	h := host{memory: 2 << 30, shm: -1, cpus: runtime.NumCPU()}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "MemTotal:" {
				if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
					h.memory = kb << 10
				}
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			h.memory = min(h.memory, limit)
		}
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err == nil {
		h.shm = int64(fs.Blocks) * int64(fs.Bsize)
	}
	return h
}

// tuning returns settings for postgresql.conf, written once when the cluster is
// made; the user may edit them there. fsync and synchronous_commit stay on: what
// was committed survives a crash.
func tuning(h host) []string {
	const mb = 1 << 20
	clamp := func(bytes, low, high int64) string {
		return fmt.Sprintf("%dMB", min(max(bytes, low*mb), high*mb)/mb)
	}
	// A parallel build of an HNSW index puts its memory into /dev/shm; containers
	// often have 64 MB there.
	workers := 1
	if h.cpus > 4 {
		workers = 2
	}
	if h.shm >= 0 && h.shm < 1<<30 {
		workers = 0
	}
	return []string{
		"max_connections=200",
		"shared_buffers=" + clamp(h.memory/16, 128, 1024),
		"effective_cache_size=" + clamp(h.memory/2, 256, 64<<10),
		"maintenance_work_mem=" + clamp(h.memory/16, 64, 1024),
		"work_mem=16MB",
		fmt.Sprintf("max_parallel_maintenance_workers=%d", workers),
		"max_wal_size=2GB",
		"wal_compression=on",
		"random_page_cost=1.1",
		"jit=off",
		"fsync=on",
		"synchronous_commit=on",
		"log_checkpoints=off",
		"log_timezone='UTC'",
		"timezone='UTC'",
	}
}
