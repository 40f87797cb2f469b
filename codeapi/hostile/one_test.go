package hostile

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/bmcis/bmcis/sandbox"
)

// TestOne runs the program in the file that HOSTILE_FILE names and shows what
// becomes of it, within HOSTILE_MIB: go test -run One -v ./codeapi/hostile
func TestOne(t *testing.T) {
	name := os.Getenv("HOSTILE_FILE")
	if name == "" {
		t.Skip("HOSTILE_FILE names no program")
	}
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	mib, _ := strconv.ParseInt(os.Getenv("HOSTILE_MIB"), 10, 64)
	out, err := r.Run(context.Background(), sandbox.Program{Source: string(source)},
		sandbox.Limits{Wall: time.Minute, MemoryBytes: mib << 20}, sandbox.CallerFunc(fakeHost))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s after %v: result %.300s, error %+v, truncated %v\n%+v\noutput %.500s", out.Kind, out.Duration, out.Result, out.Error, out.Truncated, out.Usage, out.Output)
}
