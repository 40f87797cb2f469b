package sandbox

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	rep, err := Probe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range rep.Layers {
		t.Logf("%-20s %v %s", l.Name, l.Active, l.Detail)
	}
	for _, a := range rep.Attempts {
		t.Logf("%-45s %s", a.What, a.Answer)
	}
	t.Logf("policy %s, start %v, idle %d KiB", rep.Policy, rep.Start, rep.IdleBytes>>10)
	if runtime.GOOS == "linux" && !rep.Contained() {
		t.Errorf("not contained: %+v", rep.Attempts)
	}
}

// A policy that the machine cannot satisfy refuses to run.
func TestPolicy(t *testing.T) {
	if e := PolicyStrict.check([]string{LayerProcess, LayerMemory, LayerNoNewPrivs, LayerSeccomp}, []string{"landlock: no"}); e == nil || e.Kind != KindPolicy {
		t.Errorf("strict without Landlock: %v", e)
	}
	if e := PolicyBestEffort.check(nil, nil); e != nil {
		t.Errorf("best-effort: %v", e)
	}
	if _, err := NewRunner(Config{Policy: "lax"}); err == nil {
		t.Error("an unknown policy was accepted")
	}
	// A child without a layer that the policy demands runs nothing and is ended.
	for policy, layer := range map[Policy]string{PolicyStrict: LayerLandlock, PolicyStandard: LayerSeccomp, PolicyBestEffort: LayerSeccomp} {
		r := newTestRunner(t, Config{Policy: policy, Slots: 1, Spares: -1})
		c, err := startChild(r.cfg.Limits)
		if err != nil {
			t.Fatal(err)
		}
		c.hello.Layers = slices.DeleteFunc(c.hello.Layers, func(l string) bool { return l == layer })
		c.hello.Missing = append(c.hello.Missing, layer+": not on this machine")
		r.pool.spares = make(chan *child, 1)
		r.pool.want = make(chan struct{}, 1)
		r.pool.spares <- c
		out := mustRun(t, r, "print ran\nreturn 1", Limits{})
		want := KindPolicy
		if policy == PolicyBestEffort || policy == PolicyStandard && runtime.GOOS != "linux" {
			want = KindOK
		}
		if out.Kind != want || want == KindPolicy && (out.Output != "" || !strings.Contains(out.Error.Message, "no "+layer) || c.cmd.ProcessState == nil) {
			t.Errorf("%s without %s: %s %+v, output %q", policy, layer, out.Kind, out.Error, out.Output)
		}
	}
	r := newTestRunner(t, Config{Policy: PolicyStrict})
	out := mustRun(t, r, "return 1", Limits{})
	if out.Kind != KindOK && out.Kind != KindPolicy {
		t.Errorf("%s %+v", out.Kind, out.Error)
	}
}
