package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/setup"
	"github.com/bmcis/bmcis/sandbox"
)

// doctorExtras are checks of parts that setup knows nothing of.
var doctorExtras = []func(context.Context) setup.Check{checkSandbox}

// checkSandbox starts a child of the sandbox and lets it try to break out.
func checkSandbox(ctx context.Context) setup.Check {
	c := setup.Check{Name: "sandbox", Verdict: setup.OK}
	report, err := sandbox.Probe(ctx)
	if err != nil {
		c.Verdict, c.Value, c.Remedy = setup.Fail, err.Error(), "programs cannot run here; see docs/sandbox.md"
		return c
	}
	var active, missing []string
	for _, l := range report.Layers {
		switch {
		case l.Active:
			active = append(active, l.Name)
		case l.Detail != "":
			missing = append(missing, l.Name+" ("+l.Detail+")")
		default:
			missing = append(missing, l.Name)
		}
	}
	c.Value = fmt.Sprintf("%d of %d layers, policy %s, child ready in %s", len(active), len(report.Layers), report.Policy, report.Start.Round(time.Millisecond))
	switch {
	case !report.Contained():
		for _, a := range report.Attempts {
			if !a.Refused {
				c.Value += "; not refused: " + a.What
			}
		}
		c.Verdict, c.Remedy = setup.Fail, "run programs that you do not trust on another machine; see docs/sandbox.md"
	case report.Policy == sandbox.PolicyBestEffort:
		c.Verdict, c.Remedy = setup.Warn, "missing here: "+strings.Join(missing, ", ")+"; see docs/sandbox.md"
	}
	return c
}
