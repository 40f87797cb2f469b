package stdlib_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
)

type printer struct {
	noHost
	out *strings.Builder
}

func (p printer) Print(s string) { p.out.WriteString(s) }
func (p printer) Start(method string, args json.RawMessage) func() (json.RawMessage, error) {
	return p.noHost.Start(method, args)
}

// TestPrograms runs testdata/programs/*.py and compares what they print with what
// CPython 3.11 printed, kept in the .out file beside each: python3 x.py > x.out.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.py")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d programs: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".py")
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(name + ".out")
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			res := codeapi.Engine(context.Background(), sandbox.Program{Source: string(src)}, sandbox.DefaultLimits(), printer{out: &out})
			if res.Error != nil {
				t.Errorf("ended with %v", res.Error)
			}
			got, expected := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
			for i := range max(len(got), len(expected)) {
				a, b := "(nothing)", "(nothing)"
				if i < len(got) {
					a = got[i]
				}
				if i < len(expected) {
					b = expected[i]
				}
				if a != b {
					t.Fatalf("line %d of the output:\n got  %s\n want %s", i+1, a, b)
				}
			}
		})
	}
}
