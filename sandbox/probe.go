package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// A LayerState is one line of a [ProbeReport].
type LayerState struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Detail string `json:"detail,omitempty"` // why it is missing
}

// A ProbeReport says how programs are confined on this machine. It comes from a
// child that was started for it and tried to break out.
type ProbeReport struct {
	Platform string       `json:"platform"`
	Layers   []LayerState `json:"layers"`
	// Policy is the strictest policy that this machine satisfies.
	Policy Policy `json:"policy"`
	// Attempts are what the child tried, with the answer of the kernel.
	Attempts []Attempt `json:"attempts"`
	// Start is the time from nothing to a child that is ready.
	Start time.Duration `json:"start_ns"`
	// IdleBytes is the resident memory of the idle child, shared code included.
	IdleBytes int64 `json:"idle_bytes"`
}

// An Attempt is something that a program must not be able to do.
type Attempt struct {
	What    string `json:"what"`
	Refused bool   `json:"refused"`
	Answer  string `json:"answer"`
}

// Contained reports whether every attempt was refused.
func (r ProbeReport) Contained() bool {
	for _, a := range r.Attempts {
		if !a.Refused {
			return false
		}
	}
	return len(r.Attempts) > 0
}

// Probe starts a child, lets it try to break out and reports what confines it. It
// is what bmcis doctor prints. An error means that no child can be started.
func Probe(ctx context.Context) (ProbeReport, error) {
	l := DefaultLimits()
	l.Wall, l.CPU = 10*time.Second, 10*time.Second
	start := time.Now()
	c, err := startChild(l)
	if err != nil {
		return ProbeReport{}, err
	}
	rep := ProbeReport{Platform: runtime.GOOS + "/" + runtime.GOARCH, Start: time.Since(start)}
	rep.IdleBytes, _ = c.memory()
	missing := map[string]string{}
	for _, m := range c.hello.Missing {
		name, why, _ := strings.Cut(m, ": ")
		missing[name] = why
	}
	active := map[string]bool{}
	for _, name := range c.hello.Layers {
		active[name] = true
	}
	for _, name := range allLayers {
		rep.Layers = append(rep.Layers, LayerState{Name: name, Active: active[name], Detail: missing[name]})
	}
	rep.Policy = PolicyBestEffort
	for _, p := range []Policy{PolicyStrict, PolicyStandard} {
		if p.check(c.hello.Layers, nil) == nil {
			rep.Policy = p
			break
		}
	}
	head, err := encodeHeaded(runMsg{Limits: l, Name: "probe", Probe: true})
	if err != nil {
		c.end()
		return rep, err
	}
	s := &session{c: c, l: l}
	out, err := s.run(ctx, head)
	if err != nil {
		return rep, fmt.Errorf("probe the sandbox: %w", err)
	}
	if out.Report != nil {
		if err := json.Unmarshal(out.Report, &rep.Attempts); err != nil {
			return rep, fmt.Errorf("probe the sandbox: %w", err)
		}
	} else if out.Error != nil {
		return rep, fmt.Errorf("probe the sandbox: %w", out.Error)
	}
	return rep, nil
}

// allLayers in the order in which doctor prints them.
var allLayers = []string{
	LayerProcess, LayerGroup, LayerEnvironment, LayerDescriptors, LayerParentDeath, LayerLiveMonitors,
	LayerMemory, LayerRlimits, LayerUser, LayerNoNewPrivs, LayerNotDumpable, LayerSeccomp, LayerLandlock, LayerNamespaces,
}

// probeEngine tries from inside what a program must not be able to do.
func probeEngine(context.Context, Program, Limits, Host) EngineResult {
	b, err := json.Marshal(breakOut())
	if err != nil {
		return EngineResult{Error: &Error{Kind: KindHost, Message: err.Error()}}
	}
	return EngineResult{Report: b}
}
