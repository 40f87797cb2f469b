package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

func doctor(t *testing.T, o DoctorOptions) map[string]Check {
	t.Helper()
	checks := map[string]Check{}
	Doctor(t.Context(), o, func(c Check) {
		if _, twice := checks[c.Name]; twice {
			t.Errorf("two checks are called %q", c.Name)
		}
		if c.Verdict == Fail && c.Remedy == "" {
			t.Errorf("%s fails without a remedy: %s", c.Name, c.Value)
		}
		if strings.Contains(c.Value+c.Remedy, "\n") {
			t.Errorf("%s takes more than a line: %q", c.Name, c.Value+c.Remedy)
		}
		checks[c.Name] = c
	})
	return checks
}

func TestDoctorOnABareMachine(t *testing.T) {
	t.Setenv(home.EnvHome, filepath.Join(t.TempDir(), "none"))
	t.Setenv("PATH", "")
	for _, name := range []string{home.EnvDatabaseURL, home.EnvModelDir, home.EnvONNXRuntime} {
		t.Setenv(name, "")
	}
	checks := doctor(t, DoctorOptions{Extra: []func(context.Context) Check{
		func(context.Context) Check { return Check{Name: "sandbox", Verdict: Warn, Value: "level 2"} },
	}})
	for _, name := range []string{models.Postgres, models.ONNXRuntime, models.EmbeddingModel, "ONNX Runtime loads", "embedding works", "reranking works", "database"} {
		if c := checks[name]; c.Verdict != Fail || !strings.Contains(c.Value+c.Remedy, "run: bmcis setup") {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := checks["package clients"]; c.Verdict != Warn || !strings.Contains(c.Remedy, "python3-pip") || !strings.Contains(c.Remedy, "maven") {
		t.Errorf("package clients: %+v", c)
	}
	if c := checks[models.RerankerName]; c.Verdict != OK {
		t.Errorf("the reranker is bundled: %+v", c)
	}
	if checks["sandbox"].Value != "level 2" {
		t.Error("the extra check was not run")
	}
	if _, err := os.Stat(os.Getenv(home.EnvHome)); err == nil {
		t.Error("doctor made the data folder")
	}
}

func TestDoctorOnAReadyMachine(t *testing.T) {
	dsn := os.Getenv("BMCIS_TEST_DATABASE_URL")
	if _, err := home.ONNXRuntime(); err != nil || dsn == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("nothing is set up: %v", err)
		}
		t.Skipf("nothing is set up: %v", err)
	}
	for name, c := range doctor(t, DoctorOptions{DSN: dsn}) {
		if c.Verdict == Fail {
			t.Errorf("%s: %+v", name, c)
		}
	}
	t.Setenv(home.EnvNoAVX2, "1")
	if c := doctor(t, DoctorOptions{DSN: dsn})["processor"]; c.Verdict != Warn || !strings.Contains(c.Value, "AVX2") {
		t.Errorf("processor: %+v", c)
	}
	for _, bad := range []string{"host=/nowhere", "rubbish"} {
		if c := doctor(t, DoctorOptions{DSN: bad})["database"]; c.Verdict != Fail {
			t.Errorf("%s: %+v", bad, c)
		}
	}
}
