//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/load"
)

// dashboardQueries are the expressions of deploy/grafana/bmcis.json with its variables as
// they are when nothing was chosen, by the panel they belong to.
func dashboardQueries(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/grafana/bmcis.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("$instance", ".*", "$price", "3", "$__rate_interval", "10s", "$__range", "1m")
	out := map[string][]string{}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			expr := variables.Replace(q.Expr)
			if strings.Contains(expr, "$") {
				t.Errorf("panel %q: variable left in %s", p.Title, expr)
			}
			out[p.Title] = append(out[p.Title], expr)
		}
	}
	if len(out) < 20 {
		t.Fatalf("%d panels with queries, want all of them", len(out))
	}
	return out
}

// prometheus starts the real one on the configuration of deploy/prometheus, with shorter
// intervals and the address of the server under test, as an ordinary user.
func prometheus(t *testing.T, binary, target string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bmcis-prometheus-") // not t.TempDir: another user must be able to enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, name := range []string{"prometheus.yml", "alerts.yml"} {
		raw, err := os.ReadFile(filepath.Join("../../deploy/prometheus", name))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer("127.0.0.1:9464", target, "_interval: 15s", "_interval: 1s").Replace(string(raw))
		if name == "prometheus.yml" && (!strings.Contains(text, target) || strings.Contains(text, "15s")) {
			t.Fatalf("deploy/prometheus/%s is not what this test knows how to change", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(binary, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	var log strings.Builder
	cmd.Stderr = &log
	cmd.Dir = dir
	if os.Getuid() == 0 {
		const nobody = 65534
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("prometheus: %s", log.String())
		}
	})
	base := "http://" + address
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if resp, err := http.Get(base + "/-/ready"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return base
			}
		}
		if time.Now().After(end) {
			t.Fatal("prometheus is not ready after 30 s")
		}
	}
}

// ask evaluates an expression now and says what is wrong with the answer; "" when it is
// one number at least.
func ask(t *testing.T, base, expr string) string {
	t.Helper()
	_, body := get(t, base+"/api/v1/query?query="+url.QueryEscape(expr))
	var a struct {
		Status, Error string
		Data          struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil || a.Status != "success" {
		return fmt.Sprintf("%s %v", a.Error, err)
	}
	for _, r := range a.Data.Result {
		text, _ := r.Value[1].(string)
		if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return ""
		}
	}
	return fmt.Sprintf("no number in %d series", len(a.Data.Result))
}

// TestDashboard: every query of the dashboard returns data from a real Prometheus that
// scrapes a real server under traffic, and every alert can be evaluated.
// `make verify-dashboard` runs it.
func TestDashboard(t *testing.T) {
	queries := dashboardQueries(t)
	binary := os.Getenv("BMCIS_PROMETHEUS")
	if binary == "" {
		t.Skip("BMCIS_PROMETHEUS is not set: run `make verify-dashboard`, which looks for Prometheus")
	}
	const sealed = 1000 // from so many on, BM25 has more than its tail, and a cache
	s := serveForTest(t, sealed, nil, "--tools", "both", "--metrics", "127.0.0.1:0")
	base := prometheus(t, binary, strings.TrimSuffix(strings.TrimPrefix(s.metrics, "http://"), "/metrics"))
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	traffic := make(chan *load.Report, 1)
	go func() {
		p, err := load.Run(ctx, load.Options{URL: s.url, Users: 12, Think: 300 * time.Millisecond, Ramp: 20 * time.Second, Duration: 3 * time.Minute,
			Queries: []string{"votes", "majority", "vacuum of tuples"}, Mix: map[string]int{"search": 4, "rerank": 2, "filter": 1, "batch": 1, "direct": 2, "failing": 1}})
		if err != nil {
			t.Error(err)
		}
		traffic <- p
	}()
	wrong := map[string]string{}
	for end := time.Now().Add(170 * time.Second); len(queries) > 0 && time.Now().Before(end); time.Sleep(time.Second) {
		for title, exprs := range queries {
			var left []string
			for _, expr := range exprs {
				if wrong[expr] = ask(t, base, expr); wrong[expr] != "" {
					left = append(left, expr)
				}
			}
			if queries[title] = left; left == nil {
				delete(queries, title)
			}
		}
	}
	for title, exprs := range queries {
		for _, expr := range exprs {
			t.Errorf("panel %q has no data: %s\n%s", title, wrong[expr], expr)
		}
	}
	if got := ask(t, base, "bmcis_no_such_metric"); got == "" {
		t.Error("a query without data passes")
	}
	_, body := get(t, base+"/api/v1/rules")
	var rules struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &rules); err != nil || len(rules.Data.Groups) == 0 {
		t.Fatalf("%v %s", err, body)
	}
	for _, g := range rules.Data.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" {
				t.Errorf("alert %s: %s %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	enough()
	if p := <-traffic; p == nil || p.Accepted == 0 || p.Errors["program runtime"] == 0 {
		t.Errorf("the traffic was not as it should be: %v", p)
	}
}
