//go:build !unix

package upstream

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func startFromLastingThread(cmd *exec.Cmd) error { return cmd.Start() }

func terminateGroup(p *os.Process) { _ = p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }

// waitAndKillGroup only waits: there are no process groups here.
func waitAndKillGroup(cmd *exec.Cmd) { _ = cmd.Wait() }
