package sandbox

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time of this process.
func processCPU() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	p, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(p, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return time.Duration(filetime(kernel)+filetime(user)) * 100
}

// filetime returns units of 100 ns.
func filetime(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 + int64(f.LowDateTime) }
