package pylang_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"errors"

	"github.com/bmcis/bmcis/internal/pylang"
)

// driver runs many programs in one python3 and answers with what each printed
// and how it ended.
const driver = `
import sys, json, io, contextlib
import signal
def alarm(*a): raise SystemError("timeout")
signal.signal(signal.SIGALRM, alarm)
out = []
for src in json.load(open(sys.argv[1])):
    buf = io.StringIO()
    end = ""
    try:
        signal.setitimer(signal.ITIMER_REAL, 2)
        with contextlib.redirect_stdout(buf):
            exec(compile(src, "program", "exec"), {"__name__": "__main__"})
    except BaseException as e:
        end = type(e).__name__ + "\x00" + str(e)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    out.append([buf.getvalue()[:200000], end])
json.dump(out, open(sys.argv[2], "w"))
`

// TestDifferential runs random programs here and under CPython. PYLANG_DIFF sets
// how many (default 300), PYLANG_SEED the first seed (default 1).
func TestDifferential(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: nothing to compare with")
	}
	count, seed := envInt("PYLANG_DIFF", 300), envInt("PYLANG_SEED", 1)
	t.Logf("%d programs from seed %d", count, seed)
	stats := map[string]int{}
	for at := 0; at < count; at += 1000 {
		n := min(1000, count-at)
		sources := make([]string, n)
		for i := range sources {
			sources[i] = program(uint64(seed + at + i))
		}
		// What depends on the hash of strings is not defined, and skipped.
		want := underPython(t, python, sources, "1")
		again := underPython(t, python, sources, "2")
		for i, src := range sources {
			verdict := "skipped: differs from run to run"
			if want[i] == again[i] {
				verdict = judge(src, want[i][0], want[i][1])
			}
			if strings.HasPrefix(verdict, "wrong") && !stable(t, python, src, want[i]) {
				verdict = "skipped: differs from run to run"
			}
			stats[verdict[:strings.IndexByte(verdict+":", ':')]]++
			if strings.HasPrefix(verdict, "wrong") {
				t.Errorf("seed %d: %s\n%s", seed+at+i, verdict, src)
				if dir := os.Getenv("PYLANG_KEEP"); dir != "" {
					_ = os.WriteFile(filepath.Join(dir, strconv.Itoa(seed+at+i)+".py"), []byte(src), 0o644)
				}
			}
			if stats["wrong"] > 20 {
				t.Fatal("too many")
			}
		}
	}
	t.Logf("verdicts: %v", stats)
}

// stable says whether a program ends the same under other hashes of strings, too.
func stable(t *testing.T, python, src string, want [2]string) bool {
	for seed := 3; seed < 35; seed++ {
		if underPython(t, python, []string{src}, strconv.Itoa(seed))[0] != want {
			return false
		}
	}
	return true
}

func envInt(name string, dflt int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return dflt
}

func underPython(t *testing.T, python string, sources []string, hashSeed string) [][2]string {
	t.Helper()
	dir := t.TempDir()
	in, outName := filepath.Join(dir, "in.json"), filepath.Join(dir, "out.json")
	raw, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-W", "ignore", "-c", driver, in, outName)
	cmd.Env = append(os.Environ(), "PYTHONHASHSEED="+hashSeed)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.String())
	}
	var out [][2]string
	raw, err = os.ReadFile(outName)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// judge compares one program's outcome: same, refused (we say what we cannot
// do), or wrong.
func judge(src, wantOut, wantEnd string) string {
	class, msg, _ := strings.Cut(wantEnd, "\x00")
	if class == "SystemError" || class == "MemoryError" || class == "RecursionError" {
		return "skipped"
	}
	if class == "SyntaxError" {
		return "skipped: " + msg
	}
	o := run(src, pylang.Config{})
	if o.problems != nil {
		return "refused: " + o.problems[0].Message
	}
	var fatal *pylang.Fatal
	if errors.As(o.err, &fatal) {
		return "limited: " + fatal.Message
	}
	gotClass, gotMsg := "", ""
	var e *pylang.Exception
	if errors.As(o.err, &e) {
		gotClass, gotMsg = e.Class, e.Message
		if strings.Contains(gotMsg, "not available") {
			return "refused: " + gotMsg
		}
	}
	if strings.Contains(o.out, "not available") {
		return "refused: in a handler"
	}
	if o.out != wantOut && !sameBut(o.out, wantOut) {
		return "wrong: output: " + firstDifference(o.out, wantOut)
	}
	if gotClass != class {
		return "wrong: ended with " + gotClass + " " + gotMsg + ", want " + class + " " + msg
	}
	if gotMsg != msg && !sameBut(gotMsg, msg) {
		return "wrong: message " + gotMsg + ", want " + msg
	}
	return "same"
}

// sameBut ignores what differs from run to run in CPython itself: addresses.
func sameBut(a, b string) bool {
	return strings.Contains(b, " at 0x") && len(strings.Split(a, "\n")) == len(strings.Split(b, "\n"))
}
