//go:build !linux

package sandbox

import "time"

// confine notes what a child has on platforms without kernel confinement: a
// process of its own, no environment, only the pipes.
func confine() (base int64, layers, missing []string) {
	return 0, []string{LayerProcess, LayerEnvironment, LayerDescriptors, LayerLiveMonitors},
		[]string{LayerSeccomp + ": Linux only", LayerLandlock + ": Linux only", LayerMemory + ": Linux only"}
}

func hardLimits(base int64, l Limits) error { return nil }

func cpuTime() time.Duration { return processCPU() }
