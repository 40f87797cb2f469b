package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
)

type shelf struct {
	mu   sync.Mutex
	data []byte
	err  error
}

func (s *shelf) Keep(_ context.Context, name string, data []byte) (string, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return "", time.Time{}, s.err
	}
	s.data = append([]byte(nil), data...)
	return "h-" + name, time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC), nil
}

// The whole way through a child: what is kept is the answer, to the byte, and its
// beginning is the result.
func TestOverflow(t *testing.T) {
	runner, err := sandbox.NewRunner(sandbox.Config{Slots: 1, Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	const source = "result = [{'i': i, 'text': 'ä' * 50} for i in range(5000)]"
	limits := sandbox.Limits{ResultBytes: 10_000}
	run := func(o Overflow) RunResult {
		t.Helper()
		r, err := New(&fakeEngine{}, Config{Overflow: o}).Execute(t.Context(), runner, sandbox.Program{Source: source}, limits)
		if err != nil || !r.Success || !r.Truncated || len(r.Result) > 10_000 {
			t.Fatalf("%v %+v", err, r.Error)
		}
		return r
	}
	kept := &shelf{}
	r := run(kept)
	var whole, part []map[string]any
	if err := json.Unmarshal(kept.data, &whole); err != nil || len(whole) != 5000 {
		t.Fatalf("kept %d rows: %v", len(whole), err)
	}
	cut := r.Result[:strings.LastIndex(string(r.Result), `,"… `)]
	if err := json.Unmarshal([]byte(string(cut)+"]"), &part); err != nil || len(part) == 0 || len(part) > 100 {
		t.Fatalf("the result has %d rows: %v", len(part), err)
	}
	want := codeapi.Kept{Handle: "h-result.json", Bytes: len(kept.data), Expires: "2026-12-24T18:00:00Z"}
	if r.Kept == nil || *r.Kept != want || !strings.Contains(r.Output, `all of it: read_file("h-result.json") until 2026-12-24T18:00:00Z`) {
		t.Errorf("kept %+v, output %s", r.Kept, r.Output)
	}
	// A shelf that is full, and none: the answer stays, and says so.
	r = run(&shelf{err: errors.New("the quota of 10 MiB is used up")})
	if r.Kept != nil || len(r.Degraded) != 1 || !strings.Contains(r.Degraded[0], "quota of 10 MiB") || strings.Contains(r.Output, "all of it") {
		t.Errorf("full: %+v %q %s", r.Kept, r.Degraded, r.Output)
	}
	r = run(nil)
	if r.Kept != nil || len(r.Degraded) != 0 || !strings.Contains(r.Output, "left out: result: ") {
		t.Errorf("none: %+v %q %s", r.Kept, r.Degraded, r.Output)
	}
}

// What is printed beyond ShownOutput is left out in the middle, by whole lines, and kept.
func TestShownOutput(t *testing.T) {
	runner, err := sandbox.NewRunner(sandbox.Config{Slots: 1, Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	for _, c := range []struct {
		name, source, first, last string
		o                         Overflow
		want                      string
	}{
		{"lines", "for i in range(2000): print(f'line {i} ä')\n7", "line 0 ä\n", "\nline 1999 ä\n", &shelf{}, `; all of it: read_file("h-output.txt") until 2026-12-24T18:00:00Z]`},
		{"one line", "print('ä' * 20000)\n7", "ä", "ä\n", &shelf{err: errors.New("the quota is used up")}, "; it was not kept: the quota is used up]"},
		{"nowhere to keep", "print('a' * 20000)\n7", "a", "a\n", nil, " are left out here]\n"},
		{"failed", "print('b' * 20000)\n1/0", "b", "b\n", nil, " are left out here]\n"},
	} {
		r, err := New(&fakeEngine{}, Config{Overflow: c.o, ShownOutput: 4000}).Execute(t.Context(), runner, sandbox.Program{Source: c.source}, sandbox.Limits{})
		if err != nil || !r.Truncated || len(r.Output) > 4200 || !utf8.ValidString(r.Output) {
			t.Fatalf("%s: %v, truncated %v, %d bytes", c.name, err, r.Truncated, len(r.Output))
		}
		if !strings.HasPrefix(r.Output, c.first) || !strings.HasSuffix(r.Output, c.last) || !strings.Contains(r.Output, c.want) {
			t.Errorf("%s: %s", c.name, r.Output)
		}
		if s, ok := c.o.(*shelf); ok && s.err == nil && strings.Count(string(s.data), "\n") != 2000 {
			t.Errorf("%s: kept %d bytes", c.name, len(s.data))
		}
	}
	r, err := New(&fakeEngine{}, Config{ShownOutput: 4000}).Execute(t.Context(), runner, sandbox.Program{Source: "print('a' * 3999)"}, sandbox.Limits{})
	if err != nil || r.Truncated || len(r.Output) != 4000 {
		t.Errorf("an output that fits: %v, truncated %v, %d bytes", err, r.Truncated, len(r.Output))
	}
}

// A child that lies keeps one answer a run, of bounded size.
func TestOverflowOnce(t *testing.T) {
	s := New(&fakeEngine{}, Config{Overflow: &shelf{}}).newSession(t.Context(), 0)
	defer s.ledger.close()
	call := func(args string) error {
		_, err := s.Call(t.Context(), codeapi.MethodKeep, json.RawMessage(args))
		return err
	}
	for _, bad := range []string{`{}`, `{"value":1,"name":"x"}`, `{"value":"` + strings.Repeat("x", codeapi.MaxKeepBytes) + `"}`} {
		if call(bad) == nil {
			t.Errorf("%.40s was kept", bad)
		}
	}
	if err := call(`{"value":[1]}`); err != nil {
		t.Error(err)
	}
	if err := call(`{"value":[2]}`); err == nil || !strings.Contains(err.Error(), "one answer") {
		t.Errorf("a second answer: %v", err)
	}
	if k := s.keptAnswer(true); k == nil || k.Bytes != 3 {
		t.Errorf("kept %+v", k)
	}
}
