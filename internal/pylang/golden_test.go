package pylang_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pylang"
)

// TestGolden runs testdata/*/*.py and compares with what CPython printed, kept
// in the .out file beside it. PYLANG_UPDATE=1 asks python3 again.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			golden := strings.TrimSuffix(name, ".py") + ".out"
			if os.Getenv("PYLANG_UPDATE") != "" {
				cmd := exec.Command("python3", name)
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s under CPython: %v", name, err)
				}
				if err := os.WriteFile(golden, out, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got := run(string(src), pylang.Config{}).text(); got != string(want) {
				t.Errorf("%s", firstDifference(got, string(want)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d of the output:\n got  %s\n want %s", i+1, a, b)
		}
	}
	return "equal"
}
