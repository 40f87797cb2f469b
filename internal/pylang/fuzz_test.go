package pylang_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pylang"
	"go.starlark.net/starlark"
)

// FuzzRun: any text compiles or is refused, and what compiles ends, without a
// panic and with every error placed and classed.
func FuzzRun(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.py")
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(src) < 3000 {
			f.Add(string(src))
		}
	}
	for i := range 200 {
		f.Add(program(uint64(i)))
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 20000 || strings.Contains(src, "sleep") {
			return
		}
		p, problems := pylang.Compile(src, pylang.Config{MaxAlloc: 1 << 20, MaxDepth: 100})
		for _, pr := range problems {
			if strings.Contains(pr.Message, "internal") || pr.Kind != "syntax" && pr.Kind != "validation" {
				t.Errorf("problem %+v", pr)
			}
		}
		if p == nil {
			return
		}
		thread := &starlark.Thread{}
		thread.SetMaxExecutionSteps(50_000)
		_, err := p.Run(thread)
		switch e := err.(type) {
		case nil, *pylang.Fatal:
		case *pylang.Exception:
			if e.Class == "SystemError" || strings.Contains(e.Message, "starlark") || strings.Contains(e.Message, "§") {
				t.Errorf("exception %s", e)
			}
		default:
			t.Errorf("error of type %T: %v", err, err)
		}
	})
}
