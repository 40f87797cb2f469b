package sandbox

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// waitExited blocks until p has ended and leaves it to be reaped, so that its
// number cannot be given to another process meanwhile.
func waitExited(p *os.Process) {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// memory returns the child's resident memory and its peak. The kernel's own
// ru_maxrss will not do: it starts from the parent's size at the fork.
func (c *child) memory() (now, peak int64) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(c.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, 0
	}
	return statusKB(b, "VmRSS:"), statusKB(b, "VmHWM:")
}

// statusKB finds a line like "VmHWM:     1234 kB".
func statusKB(status []byte, key string) int64 {
	_, rest, ok := bytes.Cut(status, []byte(key))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(line), []byte("kB")))), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
