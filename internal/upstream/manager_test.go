package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// all allows everything that is not destructive.
var all = AllowAll("tester")

func newManager(t *testing.T, opts Options, servers ...Server) *Manager {
	t.Helper()
	if opts.ConnectTimeout == 0 {
		// A machine that is busy with other tests starts programs slowly.
		opts.ConnectTimeout, opts.CallTimeout = time.Minute, 2*time.Minute
	}
	m, err := New(Config{Servers: servers}, opts)
	if err != nil {
		t.Fatal(err)
	}
	m.backoff = func(int) time.Duration { return 0 }
	m.pause = 0
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func hostileManager(t *testing.T, mode string) *Manager {
	return newManager(t, Options{MaxAnswerBytes: 2 << 20}, hostileServer("h", mode))
}

// call calls a tool of the server h and returns its value.
func call(t *testing.T, m *Manager, tool, args string) (Result, error) {
	t.Helper()
	return m.Call(t.Context(), "mcp__h__"+tool, json.RawMessage(args), all)
}

func mustCall(t *testing.T, m *Manager, tool, args, want string) Result {
	t.Helper()
	r, err := call(t, m, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if string(r.Value) != want {
		t.Fatalf("%s: got %s, want %s", tool, r.Value, want)
	}
	return r
}

// wantError checks an error's kind, and that its message is one line that names these
// words.
func wantError(t *testing.T, err error, kind Kind, words ...string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of kind %s", err, kind)
	}
	if e.Kind != kind {
		t.Fatalf("got kind %s (%v), want %s", e.Kind, e, kind)
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("error %q lacks %q", e.Error(), w)
		}
	}
	if strings.Contains(e.Error(), "\n") && kind != KindUpstream {
		t.Errorf("error has more than one line: %q", e.Error())
	}
	return e
}

func TestValuesKeepEveryDigit(t *testing.T) {
	m := hostileManager(t, "tools")
	args := `{"id":30451149516,"big":9007199254740993,"huge":123456789012345678901234567890,"f":1.10}`
	if r := mustCall(t, m, "echo", args, args); r.Source != FromStructured {
		t.Errorf("source %s", r.Source)
	}
	if r := mustCall(t, m, "list_text", "", `[{"id": 30451149516},{"id": 9007199254740993}]`); r.Source != FromJSONText {
		t.Errorf("source %s", r.Source)
	}
	if r := mustCall(t, m, "text", "{}", `"plain words <b>&"`); r.Source != FromText {
		t.Errorf("source %s", r.Source)
	}
	mustCall(t, m, "number_text", "null", `"42"`)
	if r := mustCall(t, m, "nothing", "", "null"); r.Source != FromNothing {
		t.Errorf("source %s", r.Source)
	}
}

func TestWhatIsNotTextIsDescribed(t *testing.T) {
	m := hostileManager(t, "tools")
	r := mustCall(t, m, "image", "", `"see"`)
	var types []string
	for _, c := range r.Contents {
		types = append(types, c.Type)
	}
	if want := []string{"image", "image", "resource_link", "resource", "hologram"}; !slices.Equal(types, want) {
		t.Fatalf("contents %v, want %v", types, want)
	}
	png := r.Contents[0]
	if png.MIMEType != "image/png" || png.Bytes != 4 || string(png.Data) != "\x89PNG" || len(png.SHA256) != 64 {
		t.Errorf("image %+v", png)
	}
	if broken := r.Contents[1]; broken.Data != nil || broken.Raw == nil {
		t.Errorf("an image that is no base64 is not kept as it came: %+v", broken)
	}
	if link := r.Contents[2]; link.URI != "file:///a" || link.Bytes != 12 {
		t.Errorf("link %+v", link)
	}
	if inner := r.Contents[3]; inner.Text != "inner" || inner.URI != "x://b" {
		t.Errorf("resource %+v", inner)
	}
	if odd := r.Contents[4]; !strings.Contains(string(odd.Raw), `"angle"`) {
		t.Errorf("an unknown type was dropped: %+v", odd)
	}
}

func TestFailuresHaveTheServersWords(t *testing.T) {
	m := hostileManager(t, "tools")
	_, err := call(t, m, "failing", "")
	if e := wantError(t, err, KindUpstream, "mcp__h__failing", "no such repository"); !e.MayHaveActed {
		t.Error("a tool that ran may have acted")
	}
	_, err = call(t, m, "rpc_error", "")
	if e := wantError(t, err, KindUpstream, "Unknown tool", "-32602"); e.MayHaveActed {
		t.Error("a refused request has not acted")
	}
	r, err := call(t, m, "wrong_output", "")
	if err != nil || string(r.Value) != `{"n":"seven"}` || !strings.Contains(r.Note, `"n" in the answer`) {
		t.Errorf("an answer that does not fit its schema: %s, note %q, error %v", r.Value, r.Note, err)
	}
}

// A server that misbehaves in one call serves the next one, by the same process or by
// a new one.
func TestHostileAnswersCostOneError(t *testing.T) {
	m := hostileManager(t, "tools")
	mustCall(t, m, "echo", `{"a":1}`, `{"a":1}`)
	for _, c := range []struct {
		tool  string
		kind  Kind
		words []string
	}{
		{"no_content", KindGarbage, []string{"neither content nor structuredContent"}},
		{"neither", KindGarbage, []string{"neither a result nor an error"}},
		{"not_an_object", KindGarbage, []string{"mcp__h__not_an_object"}},
		{"garbage", KindGarbage, []string{"no JSON", "2 of its lines are not JSON-RPC", "Segmentation fault"}},
		{"deep", KindGarbage, []string{"no JSON"}},
		{"die", KindConnect, []string{"exit status 7", "may have acted"}},
		{"die_loudly", KindConnect, []string{"exit status 1", "panic: out of cheese | redo from start"}},
		{"half", KindConnect, []string{"it ended (exit status 0)"}},
		{"huge", KindTooLarge, []string{"100.0 MiB", "2 MiB", "ask for less"}},
		{"huge_id_first", KindTooLarge, []string{"2 MiB"}},
		{"endless", KindTooLarge, []string{"2 MiB"}},
		{"flood", KindGarbage, []string{"flooded"}},
	} {
		_, err := call(t, m, c.tool, "")
		e := wantError(t, err, c.kind, c.words...)
		if !e.MayHaveActed {
			t.Errorf("%s: the request had left, so the tool may have acted", c.tool)
		}
		mustCall(t, m, "echo", `{"a":2}`, `{"a":2}`)
	}
}

// What cannot be told from silence ends with the caller's time, and the error says
// what was seen instead of an answer.
func TestSilenceEndsInTime(t *testing.T) {
	m := hostileManager(t, "tools")
	mustCall(t, m, "echo", "", "{}")
	pid := pidOf(m)
	for _, c := range []struct {
		tool  string
		words []string
	}{
		{"silent", []string{"did not answer in time"}},
		{"null_id", []string{"lines are not JSON-RPC"}},
		{"wrong_id", []string{"of its answers have ids that nobody asked with"}},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, err := m.Call(ctx, "mcp__h__"+c.tool, nil, all)
		if ctx.Err() != nil {
			t.Errorf("%s: the caller's time was over before it heard the reason", c.tool)
		}
		cancel()
		wantError(t, err, KindTimeout, append(c.words, "may have acted")...)
	}
	// Three calls in a row without an answer: the server is started anew.
	mustCall(t, m, "echo", `{"a":3}`, `{"a":3}`)
	if again := pidOf(m); again == pid {
		t.Errorf("process %d still serves after three calls without an answer", pid)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(50 * time.Millisecond)
		cancel()
	}()
	_, err := m.Call(ctx, "mcp__h__silent", nil, all)
	wantError(t, err, KindCancelled)
}

func pidOf(m *Manager) int {
	u := m.servers[0]
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.conn.stdio.proc.cmd.Process.Pid
}

func TestHugeAnswerIsNotHeld(t *testing.T) {
	m := hostileManager(t, "tools")
	mustCall(t, m, "echo", "", "{}")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := call(t, m, "huge", "")
	runtime.ReadMemStats(&after)
	wantError(t, err, KindTooLarge)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 32<<20 {
		t.Errorf("an answer of 100 MiB made this process allocate %d MiB", allocated>>20)
	}
}

func TestHarmlessOddities(t *testing.T) {
	m := hostileManager(t, "tools")
	mustCall(t, m, "duplicate", "", `"answer 0"`)
	mustCall(t, m, "echo", `{"b":1}`, `{"b":1}`) // and the other 49 answers went nowhere
	mustCall(t, m, "asks", "", `"asked"`)
	mustCall(t, m, "stderr_flood", "", `"still here"`)
	mustCall(t, m, "echo", `{"c":1}`, `{"c":1}`)
}

func TestHandshakesThatFail(t *testing.T) {
	short := Options{ConnectTimeout: time.Second, CallTimeout: time.Minute}
	for _, c := range []struct {
		mode  string
		opts  Options
		words []string
	}{
		{"deaf", short, []string{"did not complete the handshake within 1s", "connectTimeout"}},
		{"exit", Options{}, []string{"exit status 3", "cannot open the database"}},
		{"closes_stdout", Options{}, []string{"closed its output"}},
		{"future", Options{}, []string{"2999-01-01"}},
	} {
		m := newManager(t, c.opts, hostileServer("h", c.mode))
		_, err := call(t, m, "echo", "")
		if e := wantError(t, err, KindConnect, append(c.words, `server "h"`)...); e.MayHaveActed {
			t.Errorf("%s: nothing was asked of any tool", c.mode)
		}
		_ = m.Close()
	}
	m := newManager(t, Options{}, Server{Name: "h", Transport: Stdio, Command: "no-such-program-here"})
	_, err := call(t, m, "echo", "")
	wantError(t, err, KindConnect, `command "no-such-program-here" is not there; install it`)
	m = newManager(t, Options{}, Server{Name: "h", Transport: Stdio, Command: "cat", Cwd: "/no/such/folder"})
	_, err = call(t, m, "echo", "")
	wantError(t, err, KindConnect, `cwd "/no/such/folder"`)
	// One that only talks too much before it is ready is fine.
	m = newManager(t, Options{}, hostileServer("h", "babble"))
	mustCall(t, m, "echo", `{"a":1}`, `{"a":1}`)
}

func TestOneConnectionForAll(t *testing.T) {
	m := hostileManager(t, "tools")
	if s := m.Status(); len(s) != 1 || s[0].Connected {
		t.Fatalf("before the first call: %+v", s)
	}
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		wg.Go(func() {
			args := fmt.Sprintf(`{"i":%d}`, i)
			r, err := m.Call(t.Context(), "mcp__h__echo", json.RawMessage(args), all)
			if err == nil && string(r.Value) != args {
				err = fmt.Errorf("got %s, want %s", r.Value, args)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s := m.Status()[0]
	if !s.Connected || s.ServerName != "hostile" || s.Protocol != "2025-06-18" || s.Tools != len(hostileTools) {
		t.Errorf("status %+v", s)
	}
}

// TestProgressIsPassedOn, all of it and before the answer, to those who want it.
func TestProgressIsPassedOn(t *testing.T) {
	m := hostileManager(t, "tools")
	mustCall(t, m, "steps", "", `"asked: false"`)
	for range 100 {
		var got []string
		ctx := WithProgress(t.Context(), func(line string) { got = append(got, line) })
		if r, err := m.Call(ctx, "mcp__h__steps", nil, all); err != nil || r.Text != "asked: true" {
			t.Fatal(r, err)
		}
		if want := []string{"1/3 fetching", "2.5", "3/3 the last line"}; !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

// TestResourcesAreReadByTools, where a server has resources.
func TestResourcesAreReadByTools(t *testing.T) {
	m := hostileManager(t, "library")
	mustCall(t, m, "list_resources", `{"cursor":"b"}`, `{"nextCursor":"p2","resources":[{"uri":"x://b","name":"a","size":9007199254740993}]}`)
	mustCall(t, m, "read_resource", `{"uri":"x://a"}`, `{"contents":[{"uri":"x://a","mimeType":"text/plain","text":"inner"}]}`)
	_, err := call(t, m, "read_resource", `{"uri":"x://z"}`)
	wantError(t, err, KindUpstream, "no such resource")
	_, err = call(t, m, "read_resource", `{}`)
	wantError(t, err, KindArguments, "uri")
	_, err = m.Call(t.Context(), "mcp__h__read_resource", json.RawMessage(`{"uri":"x://a"}`), Policy{Allow: []string{"*"}, Deny: []string{"*__read_resource"}})
	wantError(t, err, KindPolicy, "denied")
	_, err = call(t, hostileManager(t, "tools"), "list_resources", "")
	wantError(t, err, KindUnknownTool)
}

// TestCallsWaitForTheirTurn: a server gets no more at a time than its entry says.
func TestCallsWaitForTheirTurn(t *testing.T) {
	s := hostileServer("h", "tools")
	s.MaxCalls = 1
	m := newManager(t, Options{}, s)
	mustCall(t, m, "echo", `{"i":1}`, `{"i":1}`)
	first, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := m.Call(first, "mcp__h__silent", nil, all)
		ended <- err
	}()
	for len(m.servers[0].slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := m.Call(short, "mcp__h__echo", json.RawMessage(`{"i":2}`), all)
	if e := wantError(t, err, KindTimeout, "waiting behind the 1 calls", "maxConcurrentCalls"); e.MayHaveActed {
		t.Error("it may have acted")
	}
	stop()
	wantError(t, <-ended, KindCancelled)
	mustCall(t, m, "echo", `{"i":3}`, `{"i":3}`)
}

func TestBackoffHoldsBackAttempts(t *testing.T) {
	m := newManager(t, Options{}, hostileServer("h", "exit"))
	m.backoff = func(int) time.Duration { return time.Hour }
	_, err := call(t, m, "echo", "")
	wantError(t, err, KindConnect, "exit status 3")
	for range 5 {
		_, err = call(t, m, "echo", "")
		wantError(t, err, KindConnect, "exit status 3", "the next attempt is in 1h")
	}
	if s := m.Status()[0]; s.Failures != 1 || s.LastError == "" {
		t.Errorf("status %+v, want one failure: the others were not to be tried", s)
	}
	last := time.Duration(0)
	for n := 1; n < 100; n++ {
		d := backoff(n)
		if d < last || d > 30*time.Second || d <= 0 {
			t.Fatalf("wait %v after %d failures", d, n)
		}
		last = d
	}
}

// A server that was of use and then dies is started again at once, whatever the
// back-off.
func TestUsefulServersComeBackAtOnce(t *testing.T) {
	m := hostileManager(t, "tools")
	m.backoff = func(int) time.Duration { return time.Hour }
	mustCall(t, m, "echo", "", "{}")
	_, err := call(t, m, "die", "")
	wantError(t, err, KindConnect)
	mustCall(t, m, "echo", "", "{}")
	// One that dies in every call is not.
	m = hostileManager(t, "tools")
	m.backoff = func(int) time.Duration { return time.Hour }
	_, err = call(t, m, "die", "")
	wantError(t, err, KindConnect)
	_, err = call(t, m, "die", "")
	if e := wantError(t, err, KindConnect, "the next attempt is in"); e.MayHaveActed {
		t.Error("a call that was not sent has not acted")
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestNobodyIsLeftBehind(t *testing.T) {
	for _, mode := range []string{"tools", "stubborn"} {
		m := hostileManager(t, mode)
		r, err := call(t, m, "family", "")
		if err != nil {
			t.Fatal(err)
		}
		var pids struct{ Parent, Child int }
		if err := json.Unmarshal(r.Value, &pids); err != nil || !alive(pids.Parent) || !alive(pids.Child) {
			t.Fatalf("%s: %v", r.Value, err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if alive(pids.Parent) {
			t.Errorf("%s: the server lives on", mode)
		}
		// The child is init's now, or a subreaper's, who has yet to reap it.
		for i := 0; alive(pids.Child) && !zombie(pids.Child); i++ {
			if i == 1000 {
				t.Fatalf("%s: the server's child lives on", mode)
			}
			time.Sleep(10 * time.Millisecond)
		}
		_, err = call(t, m, "echo", "")
		wantError(t, err, KindConnect, "shutting down")
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(state, "Z")
}

// The group dies with its leader, not only with the manager.
func TestGroupEndsWithItsLeader(t *testing.T) {
	m := hostileManager(t, "tools")
	r, err := call(t, m, "family", "")
	if err != nil {
		t.Fatal(err)
	}
	var pids struct{ Child int }
	if err := json.Unmarshal(r.Value, &pids); err != nil {
		t.Fatal(err)
	}
	_, err = call(t, m, "die", "")
	wantError(t, err, KindConnect)
	for i := 0; alive(pids.Child) && !zombie(pids.Child); i++ {
		if i == 1000 {
			t.Fatal("the child outlives the server that started it")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestSecretsStayInside(t *testing.T) {
	t.Setenv("BMCIS_TEST_PRIVATE", "postgres://everything")
	c, err := parse([]byte(fmt.Sprintf(`{"mcpServers": {"h": {"command": %q, "env": {%q: "tools", "API_TOKEN": "${TOKEN}"}}}}`, os.Args[0], hostileEnv)),
		func(string) (string, bool) { return "s3cr3t-value", true })
	if err != nil {
		t.Fatal(err)
	}
	m := newManager(t, Options{}, c.Servers...)
	_, err = call(t, m, "secret", "")
	if e := wantError(t, err, KindUpstream, "401 for token ***"); strings.Contains(fmt.Sprint(e), "s3cr3t") {
		t.Error("the token is in the message")
	}
	r, err := call(t, m, "env", "")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(r.Value), "BMCIS_TEST_PRIVATE") {
		t.Errorf("the server got this process's variables: %s", r.Value)
	}
	for _, want := range []string{"PATH=", "API_TOKEN=s3cr3t-value"} {
		if !strings.Contains(string(r.Value), want) {
			t.Errorf("the server lacks %s", want)
		}
	}
}

func TestTimeoutsAreInOrder(t *testing.T) {
	s := hostileServer("h", "tools")
	s.ConnectTimeout = 30 * time.Second
	if _, err := New(Config{Servers: []Server{s}}, Options{}); err == nil || !strings.Contains(err.Error(), "raise callTimeout or lower connectTimeout") {
		t.Errorf("got %v", err)
	}
	run, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	call, cancelCall := callContext(run, time.Hour)
	defer cancelCall()
	r, _ := run.Deadline()
	if c, ok := call.Deadline(); !ok || !c.Before(r) {
		t.Errorf("a call ends at %v, its run at %v", c, r)
	}
}
