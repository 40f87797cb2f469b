package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/mark3labs/mcp-go/mcp"

	_ "github.com/bmcis/bmcis/codeapi/child" // this test binary is also the sandbox's child
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

type library []search.SourceDocument

func (l library) Documents(context.Context) iter.Seq2[search.SourceDocument, error] {
	return func(yield func(search.SourceDocument, error) bool) {
		for _, d := range l {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// newServer is a server on a real engine, a database of its own and a real runner.
// Without documents no model is loaded.
func newServer(t *testing.T, tools Tools, docs library) *Server {
	t.Helper()
	return newServerOn(t, pgtest.New(t), tools, docs)
}

func newServerOn(t *testing.T, pool *pgxpool.Pool, tools Tools, docs library) *Server {
	t.Helper()
	engine, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	if docs != nil {
		report, err := engine.Index(t.Context(), search.IndexOptions{Collection: "notes"}, docs)
		if err != nil || len(report.Failed) > 0 {
			t.Fatal(err, report.Failed)
		}
	}
	runner, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	s, err := New(Config{Engine: engine, Runner: runner, Tools: tools, Collection: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func notes() library {
	doc := func(id, title, text, domain string, year int) search.SourceDocument {
		return search.SourceDocument{ID: id, Title: title, Text: text, Source: domain,
			Metadata: map[string]any{"domain": domain, "year": year}}
	}
	return library{
		doc("raft", "Raft", "A candidate that gathers the votes of a majority becomes leader. Leaders send heartbeats.", "consensus", 2014),
		doc("paxos", "Paxos", "Proposers and acceptors agree on one value although messages may be lost.", "consensus", 1998),
		doc("vacuum", "Vacuum", "Dead tuples are reclaimed by vacuum so that tables do not grow without end.", "database", 2001),
		doc("bread", "Bread", "The dough rests for an hour before it goes into the oven.", "kitchen", 2024),
	}
}

// A wire carries messages of one client; both transports have one.
type wire interface {
	// call sends a message and returns what comes back up to its answer.
	call(t *testing.T, message string) []map[string]any
	// send sends a message that is not answered.
	send(t *testing.T, message string)
}

// stdioWire is a client on two pipes.
type stdioWire struct {
	in    *io.PipeWriter
	lines chan map[string]any
	ended chan error
}

func overStdio(t *testing.T, s *Server) *stdioWire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &stdioWire{in: inW, lines: make(chan map[string]any, 4096), ended: make(chan error, 1)}
	go func() {
		err := s.ServeStdio(t.Context(), inR, outW)
		outW.Close()
		w.ended <- err
	}()
	go func() {
		defer close(w.lines)
		for r := bufio.NewReader(outR); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			var m map[string]any
			if err := unmarshal(line, &m); err != nil {
				m = map[string]any{"not JSON": string(line)}
			}
			w.lines <- m
		}
	}()
	t.Cleanup(func() { inW.Close() })
	return w
}

func (w *stdioWire) send(t *testing.T, message string) {
	t.Helper()
	if _, err := io.WriteString(w.in, message+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (w *stdioWire) call(t *testing.T, message string) []map[string]any {
	t.Helper()
	w.send(t, message)
	return w.read(t)
}

func (w *stdioWire) read(t *testing.T) (got []map[string]any) {
	t.Helper()
	for {
		select {
		case m, ok := <-w.lines:
			if !ok {
				t.Fatalf("the server ended; so far: %v", got)
			}
			got = append(got, m)
			if _, notification := m["method"]; !notification {
				return got
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no answer; so far: %v", got)
		}
	}
}

// httpWire is a client of streamable HTTP.
type httpWire struct {
	url     string
	session string
	version string
}

func overHTTP(t *testing.T, s *Server) *httpWire {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	srv := httptest.NewServer(s.Handler(ctx))
	t.Cleanup(func() { cancel(); srv.Close() })
	return &httpWire{url: srv.URL + "/mcp"}
}

func (w *httpWire) post(ctx context.Context, t *testing.T, message string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
		r.Header.Set("MCP-Protocol-Version", w.version)
	}
	var m struct {
		Method string
		Params struct {
			Name string         `json:"name"`
			Meta map[string]any `json:"_meta"`
		}
	}
	_ = json.Unmarshal([]byte(message), &m)
	if v, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string); ok {
		r.Header.Del("Mcp-Session-Id")
		r.Header.Set("MCP-Protocol-Version", v)
		r.Header.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			r.Header.Set("Mcp-Name", m.Params.Name)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		t.Fatal(err)
	}
	return response
}

func (w *httpWire) send(t *testing.T, message string) {
	t.Helper()
	response := w.post(t.Context(), t, message)
	response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: status %d", message, response.StatusCode)
	}
}

func (w *httpWire) call(t *testing.T, message string) (got []map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	response := w.post(ctx, t, message)
	if response == nil {
		t.Fatal("no answer")
	}
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	add := func(data []byte) {
		var m map[string]any
		if err := unmarshal(data, &m); err != nil {
			m = map[string]any{"not JSON": string(data), "status": response.StatusCode}
		}
		if r, ok := m["result"].(map[string]any); ok && r["protocolVersion"] != nil {
			w.version, _ = r["protocolVersion"].(string)
		}
		got = append(got, m)
	}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		add(body)
		return got
	}
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			add(data)
		}
	}
	return got
}

func unmarshal(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(v)
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func greet(t *testing.T, w wire) {
	t.Helper()
	got := w.call(t, hello)
	if got[0]["result"] == nil {
		t.Fatalf("initialize: %v", got)
	}
	w.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// last is the answer, after the notifications.
func last(got []map[string]any) map[string]any { return got[len(got)-1] }

// executeCall is the request that runs a program.
func executeCall(id any, args map[string]any, token any) string {
	params := map[string]any{"name": "execute_code", "arguments": args}
	if token != nil {
		params["_meta"] = map[string]any{"progressToken": token}
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// bothWires runs a test over each transport of one server.
func bothWires(t *testing.T, s *Server, test func(t *testing.T, w wire)) {
	t.Run("stdio", func(t *testing.T) { w := overStdio(t, s); greet(t, w); test(t, w) })
	t.Run("http", func(t *testing.T) { w := overHTTP(t, s); greet(t, w); test(t, w) })
}

// TestTextIsWhatTheModelReads: <, > and & are not escaped, since each escape costs tokens.
func TestTextIsWhatTheModelReads(t *testing.T) {
	result, err := structured(map[string]string{"result": "a > b & <c>"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(mcp.TextContent).Text; text != `{"result":"a > b & <c>"}` {
		t.Errorf("the text is %s", text)
	}
}
