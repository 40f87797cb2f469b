package sandbox

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// A Policy names how much confinement a runner demands of its children.
type Policy string

// The policies.
const (
	// PolicyStandard demands on Linux a hard memory limit, no_new_privs and
	// seccomp; elsewhere it takes what there is. It is the default.
	PolicyStandard Policy = "standard"
	// PolicyStrict demands on every platform what Linux has: besides the above
	// Landlock and a user that is not root.
	PolicyStrict Policy = "strict"
	// PolicyBestEffort takes what there is.
	PolicyBestEffort Policy = "best-effort"
)

// Names of the layers, as Outcome.Layers has them.
const (
	LayerProcess      = "process"       // a process of its own for one program
	LayerGroup        = "process-group" // killed as a group
	LayerEnvironment  = "empty-environment"
	LayerDescriptors  = "closed-descriptors"
	LayerParentDeath  = "parent-death" // dies with the parent
	LayerUser         = "unprivileged-user"
	LayerRlimits      = "rlimits" // files, file size, core, CPU
	LayerMemory       = "memory-limit"
	LayerNoNewPrivs   = "no-new-privs"
	LayerLandlock     = "landlock"
	LayerSeccomp      = "seccomp"
	LayerNotDumpable  = "not-dumpable"
	LayerNamespaces   = "namespaces" // user, network, process numbers, IPC, host name
	LayerLiveMonitors = "monitors"   // live heap and CPU watched inside
)

// required lists the layers that p demands on this platform.
func (p Policy) required() []string {
	switch p {
	case PolicyStrict:
		return []string{LayerMemory, LayerNoNewPrivs, LayerSeccomp, LayerLandlock, LayerUser}
	case PolicyStandard:
		if runtime.GOOS == "linux" {
			return []string{LayerMemory, LayerNoNewPrivs, LayerSeccomp}
		}
	}
	return nil
}

// check returns an error when active lacks a layer that p demands.
func (p Policy) check(active, missing []string) *Error {
	var lack []string
	for _, l := range p.required() {
		if !slices.Contains(active, l) {
			lack = append(lack, l)
		}
	}
	if lack == nil {
		return nil
	}
	msg := fmt.Sprintf("this machine cannot confine programs as the policy %q demands: no %s", p, strings.Join(lack, ", "))
	if len(missing) > 0 {
		msg += " (" + strings.Join(missing, "; ") + ")"
	}
	return &Error{Kind: KindPolicy, Message: msg,
		Hint: "run bmcis doctor to see the layers; a weaker policy (standard, best-effort) accepts what there is"}
}

func (p Policy) valid() bool {
	return p == PolicyStandard || p == PolicyStrict || p == PolicyBestEffort
}
