package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// Every printed line arrives, in order, before the answer, and the output holds all of
// them: a thousand times each way, or PROGRESS_ROUNDS. Over HTTP every other request is
// one of 2026-07-28.
func TestProgressNeitherLosesNorSwapsLines(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	rounds := 1000
	if n, err := strconv.Atoi(os.Getenv("PROGRESS_ROUNDS")); err == nil {
		rounds = n
	}
	if testing.Short() {
		rounds = 20
	}
	bothWires(t, s, func(t *testing.T, w wire) {
		for round := range rounds {
			lines := 1 + round%7
			request := executeCall(round+1, map[string]any{
				"code":    "for i in range(n):\n    print('line', i)\nn",
				"context": map[string]any{"n": lines},
			}, fmt.Sprint("token ", round))
			if _, ok := w.(*httpWire); ok && round%2 == 1 {
				request = strings.Replace(request, `"progressToken":`, `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":`, 1)
			}
			got := w.call(t, request)
			if len(got) != lines+1 {
				t.Fatalf("round %d: %d messages, want %d lines and the answer: %v", round, len(got), lines, got)
			}
			for i, m := range got[:lines] {
				p := m["params"].(map[string]any)
				if m["method"] != "notifications/progress" || p["message"] != fmt.Sprint("line ", i) ||
					p["progressToken"] != fmt.Sprint("token ", round) || fmt.Sprint(p["progress"]) != strconv.Itoa(i+1) {
					t.Fatalf("round %d: message %d is %v", round, i, m)
				}
			}
			r, ok := last(got)["result"].(map[string]any)
			if !ok || r["isError"] == true {
				t.Fatalf("round %d: answer %v", round, last(got))
			}
			if output, _ := r["structuredContent"].(map[string]any)["output"].(string); !strings.HasSuffix(output, fmt.Sprintf("line %d\n", lines-1)) || strings.Count(output, "\n") != lines {
				t.Fatalf("round %d: output %q", round, output)
			}
		}
	})
}

// A flood of lines is neither lost nor a message each when the client is slow.
func TestFloodOfLinesIsJoined(t *testing.T) {
	slow := &slowClient{open: make(chan struct{})}
	l := &relay{to: slow, token: "t", done: make(chan struct{})}
	l.more = sync.NewCond(&l.mu)
	go l.run()
	const n = 100_000
	var want strings.Builder
	for i := range n {
		line := fmt.Sprint("line ", i)
		want.WriteString(line + "\n")
		l.line(line)
	}
	close(slow.open)
	l.finish(t.Context())
	if got := strings.Join(slow.texts, "\n") + "\n"; got != want.String() {
		t.Errorf("%d bytes arrived of %d", len(got), want.Len())
	}
	if len(slow.texts) > maxWaiting+n/1000 {
		t.Errorf("%d messages for %d lines", len(slow.texts), n)
	}
}

// slowClient takes nothing until it is open.
type slowClient struct {
	open  chan struct{}
	texts []string
}

func (c *slowClient) Notify(message any) error {
	<-c.open
	raw, err := json.Marshal(message)
	if err != nil {
		return err
	}
	var m struct{ Params struct{ Message string } }
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	c.texts = append(c.texts, m.Params.Message)
	return nil
}

// Calls of a program are told between its lines, with what a policy refused.
func TestStagesAreProgress(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	w := overStdio(t, s)
	greet(t, w)
	got := w.call(t, executeCall(1, map[string]any{"code": "print('before')\nattempt(lambda: search.bm25_search('x', collection='nothing'))\nprint('after')"}, "t"))
	var lines []string
	for _, m := range got[:len(got)-1] {
		lines = append(lines, m["params"].(map[string]any)["message"].(string))
	}
	text := strings.Join(lines, "\n")
	if ok, _ := regexp.MatchString(`^before\n\[search\.lexical: validation, \d+ ms\]\nafter$`, text); !ok {
		t.Errorf("progress %q", text)
	}
}

// A client that does not ask for progress gets none.
func TestNoProgressUnasked(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	bothWires(t, s, func(t *testing.T, w wire) {
		if got := w.call(t, executeCall(1, map[string]any{"code": "print(1)"}, nil)); len(got) != 1 {
			t.Fatalf("got %v", got)
		}
	})
}

// soon is how long a cancelled program may take to end on a busy machine. It is far
// below the half minute after which it would end by itself.
const soon = 10 * time.Second

// busyChildren counts the threads of processes that this one has started and that
// still run programs; spares of the pool wait and use no time.
func busyChildren(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("ps", "-L", "-o", "stat=,ppid=,comm=", "-A").Output()
	if err != nil {
		t.Skipf("ps does not run here: %v", err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) >= 3 && f[1] == strconv.Itoa(os.Getpid()) && strings.HasPrefix(f[0], "R") && f[2] != "ps" {
			n++
		}
	}
	return n
}

const forever = "print('started')\nwhile True:\n    pass"

func awaitIdle(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(soon); busyChildren(t) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a child still runs")
		}
	}
}

func TestCancellationOnStdioEndsTheProgram(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	w := overStdio(t, s)
	greet(t, w)
	// Once it runs, and once right behind the call, when it has hardly been read.
	for id, early := range map[int]bool{1: false, 2: true} {
		w.send(t, executeCall(id, map[string]any{"code": forever}, "p"))
		if !early {
			if m := <-w.lines; m["method"] != "notifications/progress" {
				t.Fatalf("got %v", m)
			}
		}
		start := time.Now()
		w.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		w.read(t) // the library answers cancelled calls too; clients drop that
		if took := time.Since(start); took > soon {
			t.Fatalf("early %v: the call ended after %v", early, took)
		}
		awaitIdle(t)
	}
	if got := w.call(t, executeCall(3, map[string]any{"code": "1 + 1"}, nil)); !strings.Contains(fmt.Sprint(got), "result:2") {
		t.Fatalf("after cancellations: %v", got)
	}
}

func TestCancellationOfABurstLeavesNothing(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	w := overStdio(t, s)
	greet(t, w)
	const n = 20
	for id := range n {
		w.send(t, executeCall(id, map[string]any{"code": "while True:\n    pass"}, nil))
		w.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	}
	start := time.Now()
	for range n {
		w.read(t)
	}
	if took := time.Since(start); took > soon {
		t.Fatalf("the calls ended after %v", took)
	}
	awaitIdle(t)
}

func TestEndOfInputCancelsAndEnds(t *testing.T) {
	s := newServer(t, ToolsCode, nil)
	w := overStdio(t, s)
	greet(t, w)
	w.send(t, executeCall(1, map[string]any{"code": forever}, "p"))
	<-w.lines
	for end := time.Now().Add(soon); busyChildren(t) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program does not run, or is not seen")
		}
	}
	w.in.Close()
	select {
	case err := <-w.ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(soon):
		t.Fatal("the server goes on after the end of its input")
	}
	awaitIdle(t)
}

// A cancelled call takes its query with it: the database works on nothing any more,
// whether a direct tool asked or a program.
func TestCancellationEndsTheQuery(t *testing.T) {
	pool := pgtest.New(t)
	s := newServerOn(t, pool, ToolsBoth, notes())
	w := overStdio(t, s)
	greet(t, w)
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), "lock table collections, documents, chunks in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	waiting := func(want bool) {
		t.Helper()
		var n int
		var queries string
		for end := time.Now().Add(soon); ; time.Sleep(10 * time.Millisecond) {
			// Not in tx: within a transaction the view does not change.
			err := pool.QueryRow(t.Context(), `select count(*), coalesce(string_agg(query, '; '), '') from pg_stat_activity
				where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`).Scan(&n, &queries)
			if err != nil {
				t.Fatal(err)
			}
			if n > 0 == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d queries run, want any: %v; %s", n, want, queries)
			}
		}
	}
	for id, call := range map[int]string{
		1: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hybrid_search","arguments":{"query":"raft"}}}`,
		2: executeCall(2, map[string]any{"code": "search.hybrid_search('raft')"}, nil),
	} {
		w.send(t, call)
		waiting(true)
		start := time.Now()
		w.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		w.read(t)
		if took := time.Since(start); took > soon {
			t.Errorf("call %d ended after %v", id, took)
		}
		waiting(false)
	}
}
