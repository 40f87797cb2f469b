package hostile

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/bmcis/bmcis/sandbox"
)

// Of 512 MiB, 440 MiB of live data in strings of 1 MiB run, 600 MiB end as memory,
// every time. HOSTILE_TIMES is how often (default 2).
func TestMemoryPromise(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("hard memory limits are Linux only")
	}
	times := 2
	if v, err := strconv.Atoi(os.Getenv("HOSTILE_TIMES")); err == nil {
		times = v
	}
	r, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, one := range []string{`"a" * (1 << 20)`, `"é" * (1 << 19)`, `str(i) + "b" * ((1 << 20) - 3)`} {
		for i := range times {
			for mib, want := range map[int]sandbox.Kind{440: sandbox.KindOK, 600: sandbox.KindMemory} {
				source := fmt.Sprintf("x = []\nfor i in range(%d):\n    x.append(%s)\nresult = len(x)", mib, one)
				out, err := r.Run(context.Background(), sandbox.Program{Source: source}, sandbox.Limits{Wall: 2 * time.Minute}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if out.Kind != want {
					t.Errorf("%s, %d MiB, run %d: %s %+v", one, mib, i, out.Kind, out.Error)
				}
				if peak := out.Usage.MemoryBytes >> 20; peak > 700 {
					t.Errorf("%s, %d MiB, run %d: peak %d MiB", one, mib, i, peak)
				}
			}
			if testing.Short() {
				break
			}
		}
	}
}
