//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// killGroup kills p and all that it could have started.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_ = p.Kill()
}

// exitSignal names the signal that ended the process, "" if none did.
func exitSignal(s *os.ProcessState) string {
	if s == nil {
		return ""
	}
	ws, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	switch ws.Signal() {
	case syscall.SIGKILL:
		return "KILL"
	case syscall.SIGSYS:
		return "SYS"
	case syscall.SIGABRT:
		return "ABRT"
	}
	return ws.Signal().String()
}
