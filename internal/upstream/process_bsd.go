//go:build unix && !linux

package upstream

import (
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func startFromLastingThread(cmd *exec.Cmd) error { return cmd.Start() }

// waitAndKillGroup waits for the leader to end and kills the rest of its group.
func waitAndKillGroup(cmd *exec.Cmd) {
	_ = cmd.Wait()
	killGroup(cmd.Process)
}
