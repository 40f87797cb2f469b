package mcpserver

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/admit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/telemetry"
)

// watchedAgency is an agency whose server is watched; ann is an administrator, bob is not.
func watchedAgency(t *testing.T, ready Readiness) (a *agency, ann, bob *bearer) {
	t.Helper()
	a = newAgency(t)
	a.server.telemetry = telemetry.New("test")
	a.server.ready = func(context.Context) Readiness { return ready }
	a.server.requests = admit.New(admit.Config{Slots: 1})
	a.server.direct = admit.New(admit.Config{Slots: 1})
	ctx, cancel := context.WithCancel(context.Background())
	web := httptest.NewServer(a.server.Handler(ctx))
	t.Cleanup(func() { cancel(); web.Close() })
	a.url = web.URL
	ann, _ = a.create(t, "ann", identity.Policy{AllCollections: true, Admin: true}, 0)
	bob, _ = a.create(t, "bob", identity.Policy{AllCollections: true, DenyTools: []string{"list_collections"}}, 0)
	return a, ann.open(), bob.open()
}

func TestFullServerRefusesWithTheTimeToTryAgain(t *testing.T) {
	a, ann, _ := watchedAgency(t, Readiness{Ready: true})
	again := func(text string) bool { n, err := strconv.Atoi(text); return err == nil && n >= 1 }

	leave, _, err := a.server.requests.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	status, header, body := ann.do("POST", "/mcp", hello)
	if status != 429 || !again(header.Get("Retry-After")) || !strings.Contains(body, "under way") {
		t.Errorf("no room for requests: %d, Retry-After %q, %s", status, header.Get("Retry-After"), body)
	}
	leave()

	if leave, _, err = a.server.direct.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ann.tool("list_collections", struct{}{}); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "busy: ") || !strings.Contains(got, "try again in ") {
		t.Errorf("no room for direct calls: %s", got)
	}
	ann.ok("execute_code", map[string]any{"code": "1 + 1"}) // programs have room of their own
	leave()
	ann.ok("list_collections", struct{}{})
	_, _, metrics := ann.do("GET", "/metrics", "")
	for _, series := range []string{
		`bmcis_tool_calls_total{outcome="busy",tool="list_collections"} 1`, `bmcis_tool_calls_total{outcome="ok",tool="list_collections"} 1`,
		`bmcis_http_requests_total{code="429",method="POST",path="/mcp"} 1`,
	} {
		if !strings.Contains(metrics, series+"\n") {
			t.Errorf("metrics lack %s", series)
		}
	}
}

func TestMetricsAreForAdministrators(t *testing.T) {
	a, ann, bob := watchedAgency(t, Readiness{Ready: true})
	if got := bob.tool("list_collections", struct{}{}); !strings.Contains(got, `"isError":true`) {
		t.Fatal(got)
	}
	if status, _, body := bob.do("GET", "/metrics", ""); status != 403 || strings.Contains(body, "bmcis_tool_calls_total") {
		t.Errorf("who is no administrator got %d %.200s", status, body)
	}
	bad := &bearer{t: t, url: a.url, token: "bmcis_nonsense"}
	if status, _, body := bad.do("GET", "/metrics", ""); status != 401 || strings.Contains(body, "bmcis_tool") {
		t.Errorf("a bad token got %d %.200s", status, body)
	}
	status, _, body := ann.do("GET", "/metrics", "")
	if status != 200 || !strings.Contains(body, `bmcis_tool_calls_total{outcome="policy",tool="list_collections"} 1`) {
		t.Errorf("the administrator got %d %s", status, body)
	}
}

func TestReadyForAnybody(t *testing.T) {
	a, _, _ := watchedAgency(t, Readiness{Database: "not reachable", Schema: "unknown"})
	nobody := &bearer{t: t, url: a.url, token: "bmcis_nonsense"}
	if status, _, body := nobody.do("GET", "/readyz", ""); status != 503 || body != `{"ready":false,"database":"not reachable","schema":"unknown"}`+"\n" {
		t.Errorf("%d %s", status, body)
	}
}
