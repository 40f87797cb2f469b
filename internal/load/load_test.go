package load

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server answers as an MCP server does, where answer says how the nth call ends.
func server(t *testing.T, answer func(n int64, w http.ResponseWriter) string) string {
	var calls atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var m struct{ Method string }
		if err != nil || json.Unmarshal(raw, &m) != nil {
			t.Errorf("request %q: %v", raw, err)
		}
		switch m.Method {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "s")
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
		case "tools/call":
			if r.Header.Get("Mcp-Session-Id") != "s" {
				t.Error("a call without its session")
			}
			if text := answer(calls.Add(1), w); text != "" {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":%s}}\n\n", text)
			}
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

const good = `{"success":true,"result":[1],"ledger":{"tokens_touched":1000,"tokens_returned":10}}`

// TestEachEndIsToldApart: answers, refusals and every kind of failure are counted where
// they belong, and only answers make latencies and tokens.
func TestEachEndIsToldApart(t *testing.T) {
	ends := []func(w http.ResponseWriter) string{
		func(http.ResponseWriter) string { return good },
		func(http.ResponseWriter) string { return good },
		func(w http.ResponseWriter) string {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return ""
		},
		func(http.ResponseWriter) string {
			return `{"success":false,"error":{"kind":"busy","message":"full","retry_after":0}}`
		},
		func(http.ResponseWriter) string {
			return `{"success":false,"error":{"kind":"timeout","message":"late"}}`
		},
		func(http.ResponseWriter) string { return `{"success":true,"result":[]}` },
		func(w http.ResponseWriter) string { w.WriteHeader(http.StatusBadGateway); return "" },
		func(w http.ResponseWriter) string {
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`)
			return ""
		},
		func(w http.ResponseWriter) string { io.WriteString(w, `nonsense`); return "" },
		func(w http.ResponseWriter) string { panic(http.ErrAbortHandler) },
	}
	url := server(t, func(n int64, w http.ResponseWriter) string { return ends[int(n-1)%len(ends)](w) })
	p, err := Run(t.Context(), Options{URL: url + "/mcp", Users: 1, Duration: 3 * time.Second, Queries: []string{"q"}, Mix: map[string]int{"search": 1}})
	if err != nil {
		t.Fatal(err)
	}
	rounds := p.Errors["HTTP 502"]
	if rounds < 2 {
		t.Fatalf("%d rounds: %s", rounds, p)
	}
	for kind, n := range map[string]int{
		"program timeout": p.Errors["program timeout"], "empty answer": p.Errors["empty answer"], "protocol error -32603": p.Errors["protocol error -32603"],
		"protocol: no answer": p.Errors["protocol: no answer"], "connection": p.Errors["connection"],
		"refused 429": p.Refused["refused 429"], "refused busy": p.Refused["refused busy"], "ok": p.Accepted / 2,
	} {
		if n < rounds-1 || n > rounds+1 {
			t.Errorf("%s: %d times in %d rounds", kind, n, rounds)
		}
	}
	if len(p.Errors) != 6 || len(p.Refused) != 2 || p.Died != nil {
		t.Errorf("errors %v, refused %v, died %v", p.Errors, p.Refused, p.Died)
	}
	failed := 0
	for _, n := range p.Errors {
		failed += n
	}
	if want := float64(failed) / float64(p.Calls); math.Abs(p.ErrorRate-want) > 1e-9 {
		t.Errorf("error rate %v, want %v", p.ErrorRate, want)
	}
	if p.Tokens.Touched != 1000*p.Accepted || p.Tokens.Saved != 0.99 {
		t.Errorf("tokens %+v of %d", p.Tokens, p.Accepted)
	}
}

// TestRefusedUsersWaitAsTheyAreTold: who is told to come back in a second does not come
// sooner.
func TestRefusedUsersWaitAsTheyAreTold(t *testing.T) {
	var calls atomic.Int64
	url := server(t, func(_ int64, w http.ResponseWriter) string {
		calls.Add(1)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
		return ""
	})
	p, err := Run(t.Context(), Options{URL: url, Users: 3, Duration: time.Second, Queries: []string{"q"}, Mix: map[string]int{"rerank": 1}})
	if err != nil || calls.Load() != 3 || p.Refused["refused 429"] != 3 || p.ErrorRate != 0 {
		t.Errorf("%d calls, %v, %v", calls.Load(), p, err)
	}
}

// TestRateDoesNotWaitForAnswers: at an arrival rate a server that never answers is asked as
// often as one that does.
func TestRateDoesNotWaitForAnswers(t *testing.T) {
	held, release := atomic.Int64{}, make(chan struct{})
	url := server(t, func(int64, http.ResponseWriter) string {
		held.Add(1)
		<-release
		return good
	})
	time.AfterFunc(2*time.Second, func() { close(release) })
	p, err := Run(t.Context(), Options{URL: url, Users: 2, Rate: 50, Duration: 3 * time.Second, Queries: []string{"q"}, Mix: map[string]int{"search": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Accepted < 50 || p.Latency.Max < 1000 { // 150 are due; the first waits for two seconds
		t.Errorf("%s", p)
	}
}

func TestPercentilesAreThoseOfASortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		ms := make([]float64, 1+rng.IntN(300))
		for i := range ms {
			ms[i] = math.Floor(rng.Float64() * 50)
		}
		// By definition: the least value that as large a share of all does not exceed.
		slow := func(q float64) float64 {
			for _, x := range slices.Sorted(slices.Values(ms)) {
				n := 0
				for _, y := range ms {
					if y <= x {
						n++
					}
				}
				if float64(n) >= q*float64(len(ms)) {
					return x
				}
			}
			return math.NaN()
		}
		if l := latencyOf(ms); l.P50 != slow(0.5) || l.P95 != slow(0.95) || l.P99 != slow(0.99) || l.Max != slices.Max(ms) {
			t.Fatalf("%v: %+v, want %v %v %v", ms, l, slow(0.5), slow(0.95), slow(0.99))
		}
	}
}

func TestGrowthIsATrend(t *testing.T) {
	var samples []Sample
	for i := range 90 {
		samples = append(samples, Sample{AtSeconds: float64(i), HostBytes: 100 << 20, HostCPU: float64(i) / 2})
		if i >= 30 {
			samples[i].HostBytes += int64(i-30) << 20 // a MiB a second
		}
	}
	p := processes(samples)
	if math.Abs(p.Growth/(60<<20)-1) > 0.01 || p.HostCores != 0.5 || p.HostMax != 159<<20 {
		t.Errorf("%+v", p)
	}
}

// TestProcessesAreSeen: this process and a child of it are found in /proc.
func TestProcessesAreSeen(t *testing.T) {
	s, ok := sampleProcesses(os.Getpid())
	if !ok {
		t.Skip("there is no /proc here")
	}
	if s.HostBytes < 1<<20 {
		t.Errorf("%+v", s)
	}
	if _, ok := sampleProcesses(1 << 30); ok {
		t.Error("a process that is not there was measured")
	}
}

func TestPlotOfNothingAndOfDeath(t *testing.T) {
	for _, p := range []*Report{{}, {DurationS: 10, Windows: []Window{{}, {AtS: 1, Errors: 3}}, Processes: &Processes{}, Died: &Death{AtSeconds: 4, Why: "<killed>"}}} {
		if svg := Plot(p); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || !strings.HasSuffix(svg, "</svg>\n") {
			t.Errorf("%s", svg)
		}
	}
}
