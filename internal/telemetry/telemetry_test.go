package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/pii"
)

// scrape is what /metrics says, by series.
func scrape(t *testing.T, r *Recorder) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	series := map[string]string{}
	for line := range strings.Lines(w.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok && !strings.HasPrefix(line, "#") {
			series[name+"}"] = value
		} else if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			series[name] = value
		}
	}
	return series
}

func TestEverythingIsCountedOnce(t *testing.T) {
	r := New("1.2.3")
	r.ToolCalled(ToolCall{Tool: "execute_code", Outcome: "ok", Took: 30 * time.Millisecond, Bytes: 100, Session: "a"})
	r.ToolCalled(ToolCall{Tool: "execute_code", Outcome: "timeout", Took: time.Second, Session: "a"})
	r.ToolCalled(ToolCall{Tool: "get_document", Outcome: "ok", Session: "b"})
	r.ProgramEnded(Program{Outcome: "ok", SourceBytes: 200, Took: 20 * time.Millisecond, Waited: 3 * time.Second, CPU: 250 * time.Millisecond,
		MemoryBytes: 20 << 20, Calls: map[string]int{"search.hybrid": 2, "rerank": 1}, Touched: 9000, Returned: 100})
	r.ProgramEnded(Program{Outcome: "ok", Validation: true})
	_, end := r.HostCall(t.Context(), "rerank")
	end("validation")
	r.Searched(Search{Mode: "hybrid", Class: "natural", Took: 1900 * time.Millisecond, Lexical: 100, Vector: -1, Reranked: 30, Degraded: []string{"vector", "vector"},
		Segments: 3, CacheHits: 5, CacheMisses: 2, ReadBytes: 4096})
	r.Searched(Search{Failed: "invalid", Lexical: -1, Vector: -1})
	r.Stage(t.Context(), "lexical")()
	r.Gauge("bmcis_test", "A test.", func() float64 { return 7 }, "state", "idle")
	got := scrape(t, r)
	for series, want := range map[string]string{
		`bmcis_tool_calls_total{outcome="ok",tool="execute_code"}`:           "1",
		`bmcis_tool_calls_total{outcome="timeout",tool="execute_code"}`:      "1",
		`bmcis_tool_answer_bytes_total{tool="execute_code"}`:                 "100",
		`bmcis_errors_total{kind="timeout",where="tool"}`:                    "1",
		`bmcis_errors_total{kind="validation",where="host_call"}`:            "1",
		`bmcis_errors_total{kind="invalid",where="search"}`:                  "1",
		`bmcis_sessions_total{mode="any"}`:                                   "2",
		`bmcis_sessions_total{mode="code"}`:                                  "1",
		`bmcis_sessions_total{mode="direct"}`:                                "1",
		`bmcis_programs_total{outcome="ok"}`:                                 "1",
		`bmcis_program_combinations_total{combination="rerank+search"}`:      "1",
		`bmcis_tokens_touched_total{use_case="reranking"}`:                   "9000",
		`bmcis_tokens_returned_total{use_case="reranking"}`:                  "100",
		`bmcis_program_cpu_seconds_total`:                                    "0.25",
		`bmcis_program_source_bytes_bucket{le="256"}`:                        "1",
		`bmcis_program_source_bytes_bucket{le="128"}`:                        "0",
		`bmcis_program_wait_seconds_bucket{le="5"}`:                          "1",
		`bmcis_search_duration_seconds_bucket{mode="hybrid",le="2"}`:         "1",
		`bmcis_search_duration_seconds_bucket{mode="hybrid",le="1"}`:         "0",
		`bmcis_search_candidates_count{leg="lexical"}`:                       "1",
		`bmcis_search_degraded_total{stage="vector"}`:                        "1",
		`bmcis_lexical_cache_misses_total`:                                   "2",
		`bmcis_search_stage_duration_seconds_count{stage="lexical"}`:         "1",
		`bmcis_test{state="idle"}`:                                           "7",
		`bmcis_build_info{version="1.2.3"}`:                                  "1",
		`bmcis_host_calls_total{method="rerank",outcome="validation"}`:       "1",
		`bmcis_program_duration_seconds_bucket{use_case="reranking",le="5"}`: "1",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %s", series, got[series], want)
		}
	}
	if _, ok := got[`bmcis_search_candidates_count{leg="vector"}`]; ok {
		t.Error("a leg that did not run was counted")
	}
}

// TestLabelsAreBounded: whatever names arrive, the number of series stays the same.
func TestLabelsAreBounded(t *testing.T) {
	r := New("")
	for i := range 10 * maxLabelValues {
		r.ToolCalled(ToolCall{Tool: fmt.Sprintf("mcp__server__%d", i), Outcome: fmt.Sprint(i), Session: fmt.Sprint(i)})
		_, end := r.HostCall(t.Context(), strings.Repeat("x", i))
		end(fmt.Sprint("kind ", i))
	}
	tools, methods := map[string]bool{}, 0
	for s := range scrape(t, r) {
		if strings.HasPrefix(s, "bmcis_tool_answer_bytes_total") {
			tools[s] = true
		}
		if strings.HasPrefix(s, "bmcis_host_call_duration_seconds_count") {
			methods++
		}
	}
	if len(tools) != maxLabelValues+1 || !tools[`bmcis_tool_answer_bytes_total{tool="other"}`] {
		t.Errorf("%d tools, want %d and other", len(tools), maxLabelValues)
	}
	if methods > maxLabelValues+1 {
		t.Errorf("%d methods", methods)
	}
	for calls, want := range map[string]string{
		"": "none", "stats": "none", "search.hybrid search.lexical": "search", "tools.call search.hybrid": "search+upstream",
		"tools.search tools.definition": "discovery", "search.document": "documents", "workspace.write pii.sanitize skills.load": "files+pii+skills",
		"mcp__evil__name": "none",
	} {
		m := map[string]int{}
		for c := range strings.FieldsSeq(calls) {
			m[c] = 1
		}
		if got := Combination(m); got != want {
			t.Errorf("%q is %q, want %q", calls, got, want)
		}
	}
}

func TestUseCases(t *testing.T) {
	for want, p := range map[string]Program{
		"polling":   {Repeats: 3, Calls: map[string]int{"tools.call": 3}},
		"workflow":  {Repeats: 2, Hits: 500, Calls: map[string]int{"tools.call": 4, "search.hybrid": 1}},
		"filtering": {Hits: 200, Calls: map[string]int{"search.hybrid": 1, "rerank": 1}},
		"reranking": {Hits: 30, Calls: map[string]int{"search.hybrid": 1, "rerank": 1}},
		"search":    {Hits: 10, Calls: map[string]int{"search.batch": 1}},
		"reading":   {Calls: map[string]int{"workspace.read": 1}},
		"computing": {Calls: map[string]int{"stats": 1}},
	} {
		if got := UseCase(p); got != want {
			t.Errorf("%+v is %s, want %s", p, got, want)
		}
	}
}

func TestHTTPIsCountedByKnownPathsAndStatus(t *testing.T) {
	r := New("")
	h := r.HTTP(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/mcp":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/abort":
			panic(http.ErrAbortHandler)
		default:
			io.WriteString(w, "ok")
		}
	}), "/mcp", "/healthz")
	for _, path := range []string{"/mcp", "/healthz", "/x/1", "/x/2", "/abort"} {
		func() {
			defer func() { _ = recover() }()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", path, nil))
		}()
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("BREW", "/healthz", nil))
	got := scrape(t, r)
	for series, want := range map[string]string{
		`bmcis_http_requests_total{code="429",method="POST",path="/mcp"}`:      "1",
		`bmcis_http_requests_total{code="200",method="POST",path="/healthz"}`:  "1",
		`bmcis_http_requests_total{code="200",method="POST",path="other"}`:     "2",
		`bmcis_http_requests_total{code="aborted",method="POST",path="other"}`: "1",
		`bmcis_http_requests_total{code="200",method="other",path="/healthz"}`: "1",
		`bmcis_errors_total{kind="429",where="http"}`:                          "1",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %s", series, got[series], want)
		}
	}
}

// TestNilRecordsNothing: all of it may be called without a recorder.
func TestNilRecordsNothing(t *testing.T) {
	var r *Recorder
	r.ToolCalled(ToolCall{})
	r.ProgramEnded(Program{})
	r.Searched(Search{})
	r.Gauge("x", "", nil)
	r.Count("x_total", "", nil)
	r.Stage(t.Context(), "x")()
	ctx, end := r.HostCall(t.Context(), "x")
	end("ok")
	if again, span := r.Start(ctx, "x"); again != ctx || r.Continue(ctx, map[string]any{"traceparent": "x"}) != ctx || r.Tracing() || r.Close(ctx) != nil {
		t.Error("a nil recorder did something")
	} else {
		span.Set("k", "v")
		span.End("failed")
	}
}

func TestTracesAreOffUnlessTheEnvironmentWantsThem(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		on   bool
		fail string
	}{
		{env: nil},
		{env: map[string]string{"OTEL_SERVICE_NAME": "x"}},
		{env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, on: true},
		{env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, on: true},
		{env: map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, on: true},
		{env: map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}},
		{env: map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}},
		{env: map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, fail: "OTEL_TRACES_EXPORTER=zipkin"},
		{env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, fail: "http/protobuf"},
	} {
		on, err := wantsTraces(func(k string) string { return c.env[k] })
		if on != c.on || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%v: %v, %v", c.env, on, err)
		}
	}
	if allocs := testing.AllocsPerRun(100, func() {
		r := (*Recorder)(nil)
		_, span := r.Start(context.Background(), "x")
		span.SetInt("k", 1)
		span.End("ok")
	}); allocs != 0 {
		t.Errorf("a span without traces allocates %v times", allocs)
	}
}

func TestLogsHidePersonalData(t *testing.T) {
	var out bytes.Buffer
	log, err := Logger(&out, "json", slog.LevelInfo, &pii.Sanitizer{})
	if err != nil {
		t.Fatal(err)
	}
	log.With("who", "ann@example.com").Info("call from bob@example.com", "error", fmt.Errorf("no such user: carl@example.com"))
	log.Debug("not wanted")
	var record map[string]any
	if err := json.Unmarshal(out.Bytes(), &record); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if strings.Contains(out.String(), "@example") || !strings.Contains(fmt.Sprint(record["msg"]), "[EMAIL") {
		t.Errorf("logged %s", out.String())
	}
	if _, err := Logger(&out, "xml", slog.LevelInfo, nil); err == nil {
		t.Error("format xml was taken")
	}
}
