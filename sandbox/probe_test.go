package sandbox

import (
	"context"
	"runtime"
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
	r := newTestRunner(t, Config{Policy: PolicyStrict})
	out := mustRun(t, r, "return 1", Limits{})
	if out.Kind != KindOK && out.Kind != KindPolicy {
		t.Errorf("%s %+v", out.Kind, out.Error)
	}
}
