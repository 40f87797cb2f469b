package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/bmcis/bmcis/internal/load"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/migrations"
	"github.com/bmcis/bmcis/search"
)

// receiver is an OTLP receiver over HTTP.
type receiver struct {
	url string
	mu  sync.Mutex
	got []*spans.Span
	res string // attributes of the resource
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body := io.Reader(req.Body)
		if req.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if body, err = gzip.NewReader(req.Body); err != nil {
				t.Error(err)
				return
			}
		}
		raw, err := io.ReadAll(body)
		var m collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(raw, &m)
		}
		if err != nil || req.URL.Path != "/v1/traces" || req.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s: %v", req.URL.Path, req.Header.Get("Content-Type"), err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, rs := range m.ResourceSpans {
			r.res = rs.Resource.String()
			for _, ss := range rs.ScopeSpans {
				r.got = append(r.got, ss.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(srv.Close)
	r.url = srv.URL
	return r
}

// testServer is `bmcis serve --http` as a process of its own on a database with three
// documents, and as many of no interest as are asked for.
type testServer struct {
	url, metrics string
	cmd          *exec.Cmd
	log          *bytes.Buffer // whole after stop
	exited       chan struct{}
}

func serveForTest(t *testing.T, filler int, env []string, flags ...string) *testServer {
	t.Helper()
	pool := pgtest.Empty(t)
	dsn := pool.Config().ConnString() + " dbname=" + pool.Config().ConnConfig.Database
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs.jsonl")
	var lines strings.Builder
	for i, text := range []string{"A candidate that gathers the votes of a majority becomes leader.", "Dead tuples are reclaimed by vacuum.", "The dough rests for an hour."} {
		fmt.Fprintf(&lines, `{"id": "d%d", "title": "Title %d of votes", "text": %q, "metadata": {"n": %d}}`+"\n", i, i, text, i)
	}
	for i := range filler {
		fmt.Fprintf(&lines, `{"id": "f%d", "title": "Filler", "text": "Nothing of interest."}`+"\n", i)
	}
	if err := os.WriteFile(docs, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	env = append(append(os.Environ(), "BMCIS_DATABASE_URL="+dsn, "BMCIS_VAULT_KEY="+strings.Repeat("5a", 32)), env...)
	index := exec.Command("bmcis", "index", "--jsonl", docs, "--quiet")
	index.Env = env
	if out, err := index.CombinedOutput(); err != nil {
		t.Fatalf("index: %v: %s", err, out)
	}
	s := &testServer{log: &bytes.Buffer{}, exited: make(chan struct{})}
	s.cmd = exec.Command("bmcis", append([]string{"serve", "--http", "127.0.0.1:0"}, flags...)...)
	s.cmd.Env = env
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(s.exited)
		main, metrics := regexp.MustCompile(`listening on ([^\s,]+)`), regexp.MustCompile(`metrics at (\S+)`)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			s.log.WriteString(lines.Text() + "\n")
			if m := metrics.FindStringSubmatch(lines.Text()); m != nil {
				s.metrics = m[1]
			}
			if m := main.FindStringSubmatch(lines.Text()); m != nil {
				listening <- "http://" + m[1]
			}
		}
		_ = s.cmd.Wait()
	}()
	t.Cleanup(func() { s.stop(t) })
	select {
	case s.url = <-listening:
	case <-s.exited:
		t.Fatalf("the server ended: %s", s.log)
	}
	if err := load.AwaitReady(t.Context(), s.url, time.Minute); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *testServer) stop(t *testing.T) {
	t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		_ = s.cmd.Process.Kill()
		t.Error("the server did not end within 20 s")
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestServerTellsWhatItDoes: one call shows up in the traces, within the caller's own
// trace, in the metrics and in the log.
func TestServerTellsWhatItDoes(t *testing.T) {
	r := newReceiver(t)
	s := serveForTest(t, 0, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + r.url, "OTEL_SERVICE_NAME=knowledge", "OTEL_BSP_SCHEDULE_DELAY=50"},
		"--log-format", "json", "--log-level", "info")
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	session := ""
	post := func(method string, params map[string]any, header string) []byte {
		t.Helper()
		body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("traceparent", header)
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %d %v %s", method, resp.StatusCode, err, raw)
		}
		if session == "" {
			session = resp.Header.Get("Mcp-Session-Id")
		}
		return raw
	}
	post("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}}, "")
	call := func(code string, header, meta string) {
		t.Helper()
		raw := post("tools/call", map[string]any{"name": "execute_code", "_meta": map[string]any{"traceparent": meta},
			"arguments": map[string]any{"code": code, "description": "asked by ann@example.com"}}, header)
		if !bytes.Contains(raw, []byte("structuredContent")) {
			t.Fatalf("no answer: %s", raw)
		}
	}
	call("hits = search.hybrid_search('votes of a majority', top_k=3)\nreranker.rerank('votes', hits, top_k=2)[0].title", "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01", "00-"+trace+"-"+parent+"-01")
	call("1 / 0", "00-11111111111111111111111111111111-2222222222222222-01", "not a trace")

	status, body := get(t, s.url+"/metrics")
	if status != http.StatusOK {
		t.Fatalf("/metrics: %d %s", status, body)
	}
	for _, series := range []string{
		`bmcis_programs_total{outcome="ok"} 1`, `bmcis_programs_total{outcome="runtime"} 1`,
		`bmcis_tool_calls_total{outcome="ok",tool="execute_code"} 1`, `bmcis_errors_total{kind="runtime",where="program"} 1`,
		`bmcis_host_calls_total{method="rerank",outcome="ok"} 1`, `bmcis_program_combinations_total{combination="rerank+search"} 1`,
		`bmcis_search_stage_duration_seconds_count{stage="lexical"} 1`, `bmcis_search_stage_duration_seconds_count{stage="vector"} 1`,
		`bmcis_model_loaded{model="embedding"} 1`, `bmcis_collections 1`, `bmcis_documents 3`, `bmcis_sandbox_running 0`,
		`bmcis_http_requests_total{code="200",method="POST",path="/mcp"} 3`,
	} {
		if !strings.Contains(body, "\n"+series+"\n") {
			name, _, _ := strings.Cut(series, "{")
			t.Errorf("/metrics lacks %s; it has\n%s", series, regexp.MustCompile(`(?m)^`+name+`.*$`).FindAllString(body, -1))
		}
	}
	for _, want := range []string{"bmcis_tokens_touched_total{", "bmcis_program_memory_bytes_bucket{", "process_resident_memory_bytes ", "bmcis_lexical_segments ", "bmcis_db_connections{"} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if status, body := get(t, s.url+"/readyz"); status != http.StatusOK || body != `{"ready":true,"database":"ok","schema":"ok"}`+"\n" {
		t.Errorf("/readyz: %d %s", status, body)
	}
	if status, _ := get(t, s.url+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}

	s.stop(t) // what is left of the traces is sent
	byName := map[string]*spans.Span{}
	r.mu.Lock()
	defer r.mu.Unlock()
	var second []string
	for _, span := range r.got {
		switch hex.EncodeToString(span.TraceId) {
		case trace:
			byName[span.Name] = span
		case "11111111111111111111111111111111":
			second = append(second, fmt.Sprintf("%s %v", span.Name, span.Status.GetCode()))
		default:
			t.Errorf("span %s is in another trace, %x", span.Name, span.TraceId)
		}
	}
	if !strings.Contains(r.res, "knowledge") {
		t.Errorf("OTEL_SERVICE_NAME was not read: %s", r.res)
	}
	for child, of := range map[string]string{
		"program": "tool execute_code", "host search.hybrid": "program", "host rerank": "program",
		"search": "host search.hybrid", "search lexical": "search", "search vector": "search", "search embed": "search", "search hydrate": "search",
	} {
		if byName[child] == nil || byName[of] == nil || !bytes.Equal(byName[child].ParentSpanId, byName[of].SpanId) {
			t.Errorf("span %q is not within %q; there are %v", child, of, r.got)
		}
	}
	if root := byName["tool execute_code"]; root == nil || hex.EncodeToString(root.ParentSpanId) != parent {
		t.Error("the call is not within its caller's span of _meta")
	}
	if got := strings.Join(second, ", "); !strings.Contains(got, "tool execute_code STATUS_CODE_ERROR") || !strings.Contains(got, "program STATUS_CODE_ERROR") {
		t.Errorf("the failed program's spans, in the trace of the HTTP header: %s", got)
	}

	logged := s.log.String()
	if strings.Contains(logged, "ann@example.com") || !strings.Contains(logged, "[EMAIL") {
		t.Errorf("personal data in the log: %s", logged)
	}
	if !regexp.MustCompile(`"msg":"tool call","tool":"execute_code","outcome":"runtime","identity":"local"[^\n]*"trace_id":"11111111111111111111111111111111"`).MatchString(logged) {
		t.Errorf("the log does not tell of the failed call: %s", logged)
	}
}

// TestMetricsApart: with --metrics they are on an address of their own and not on the
// main one, and an address that is taken is told.
func TestMetricsApart(t *testing.T) {
	s := serveForTest(t, 0, nil, "--metrics", "127.0.0.1:0")
	if status, _ := get(t, s.url+"/metrics"); status != http.StatusNotFound {
		t.Errorf("/metrics on the main address: %d", status)
	}
	if status, body := get(t, s.metrics); status != http.StatusOK || !strings.Contains(body, "bmcis_sandbox_slots ") {
		t.Errorf("%s: %d %.200s", s.metrics, status, body)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(s.metrics, "http://"), "/metrics")
	second := exec.Command("bmcis", "serve", "--http", "127.0.0.1:0", "--metrics", address)
	second.Env = s.cmd.Env
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "--metrics: listen on "+address) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestBenchLoad loads a real server for a few seconds and then kills it under load.
func TestBenchLoad(t *testing.T) {
	s := serveForTest(t, 0, nil)
	p, err := load.Run(t.Context(), load.Options{URL: s.url, Users: 8, Think: 200 * time.Millisecond, Ramp: 500 * time.Millisecond, Duration: 4 * time.Second,
		PID: s.cmd.Process.Pid, Mix: map[string]int{"search": 2, "conditional": 1, "batch": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Accepted < 8 || p.ErrorRate != 0 || p.Died != nil || p.Latency.P50 <= 0 || p.Tokens.Touched <= p.Tokens.Returned || p.Tokens.Returned == 0 {
		t.Errorf("a run of a server in good health: %s", p)
	}
	if q := p.Processes; q == nil || q.HostMax < 10<<20 || q.HostCores <= 0 || q.ChildrenMax < 1 {
		t.Errorf("processes: %+v", p.Processes)
	}
	if svg := load.Plot(p); !strings.HasPrefix(svg, "<svg") || strings.Contains(svg, "NaN") {
		t.Errorf("plot: %.300s", svg)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	time.AfterFunc(time.Second, func() { _ = s.cmd.Process.Kill() })
	p, err = load.Run(ctx, load.Options{URL: s.url, Users: 8, Think: 50 * time.Millisecond, Duration: 25 * time.Second, Queries: []string{"votes"}, Mix: map[string]int{"search": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Died == nil || p.Died.AtSeconds < 0.5 || p.DurationS > 24 || !strings.Contains(p.String(), "THE SERVER DIED") {
		t.Errorf("the death of the server is not told: %s", p)
	}
	if _, err := load.Run(ctx, load.Options{URL: s.url, Users: 1, Duration: time.Second}); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a server that is not there: %v", err)
	}
}

// TestReadyNamesWhatIsMissing: a database without this program's schema, and one that does
// not answer, are not ready; models that are not in memory are degraded.
func TestReadyNamesWhatIsMissing(t *testing.T) {
	pool := pgtest.Empty(t)
	engine, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	o := &observation{engine: engine}
	if a := o.ready(t.Context()); a.Ready || a.Database != "ok" || !strings.Contains(a.Schema, "bmcis db migrate") || len(a.Degraded) != 2 {
		t.Errorf("without a schema: %+v", a)
	}
	if err := migrations.Up(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if a := o.ready(t.Context()); a.Ready {
		t.Errorf("asked again within a second: %+v", a)
	}
	o.asked = time.Time{}
	if a := o.ready(t.Context()); !a.Ready || a.Schema != "ok" {
		t.Errorf("with the schema: %+v", a)
	}
	other, err := pgxpool.NewWithConfig(t.Context(), pool.Config())
	if err != nil {
		t.Fatal(err)
	}
	if o.engine, err = search.New(other, search.Config{}); err != nil {
		t.Fatal(err)
	}
	other.Close()
	o.asked = time.Time{}
	if a := o.ready(t.Context()); a.Ready || a.Database != "not reachable" {
		t.Errorf("with a database that does not answer: %+v", a)
	}
}
