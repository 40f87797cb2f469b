package console

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/bmcis/bmcis/codeapi/child" // this test binary is also the sandbox's child
	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/internal/vault"
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

func doc(id, title, text, domain string, year int) search.SourceDocument {
	return search.SourceDocument{ID: id, Title: title, Text: text, Source: domain, Metadata: map[string]any{"domain": domain, "year": year}}
}

// site is a running server with its console.
type site struct {
	url     string
	handler http.Handler
	log     *audit.Store
	people  *identity.Store
	engine  *search.Engine
	writer  *audit.Writer
}

// newSite is a server with the collections notes and secret. Only keywords find something
// in them: no model is needed.
func newSite(t *testing.T, change func(*mcpserver.Config)) *site {
	t.Helper()
	s := openSite(t, search.IndexOptions{LexicalOnly: true}, map[string]library{
		"notes": {
			doc("raft", "Raft", "Ünder a quorum: a candidate that gathers the votes of a majority becomes leader. Leaders send heartbeats.", "consensus", 2014),
			doc("paxos", "Paxos", "Proposers and acceptors agree on one value although messages may be lost.", "consensus", 1998),
			doc("vacuum", "<b>Vacuum</b>", "Dead tuples are reclaimed by vacuum so that tables do not grow. Ask ann.smith@example.org.", "database", 2001),
		},
		"secret": {doc("plan", "Plan", "The heartbeats of the takeover.", "board", 2026)},
	}, change)
	srv := httptest.NewServer(s.handler)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// openSite is a server on a real engine, a database of its own and a real sandbox.
func openSite(t *testing.T, how search.IndexOptions, collections map[string]library, change func(*mcpserver.Config)) *site {
	t.Helper()
	pool := pgtest.New(t)
	engine, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	for name, docs := range collections {
		how.Collection = name
		report, err := engine.Index(t.Context(), how, docs)
		if err != nil || len(report.Failed) > 0 {
			t.Fatal(err, report.Failed)
		}
	}
	runner, err := sandbox.NewRunner(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	s := &site{log: audit.New(pool), people: identity.New(pool), engine: engine}
	s.writer = s.log.NewWriter(audit.WriterConfig{})
	t.Cleanup(func() { s.writer.Close(context.WithoutCancel(t.Context())) })
	vaults, err := vault.Open(t.Context(), pool, vault.Key{7})
	if err != nil {
		t.Fatal(err)
	}
	cfg := mcpserver.Config{Engine: engine, Runner: runner, Tools: mcpserver.ToolsCode, Collection: "notes", Identities: s.people, Log: s.log,
		Services: host.Services{Audit: s.writer}, Privacy: host.Privacy{Vaults: vaults, Kinds: pii.DefaultKinds}}
	if change != nil {
		change(&cfg)
	}
	server, err := mcpserver.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	routes, err := Routes(Config{Server: server, Engine: engine, Log: cfg.Log, Flush: s.writer.Flush, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	s.handler = server.Handler(ctx, routes...)
	return s
}

// token makes an identity and returns its bearer token.
func (s *site) token(t *testing.T, name string, p identity.Policy) string {
	t.Helper()
	made, err := s.people.Create(t.Context(), identity.NewToken{Name: name, Policy: &p})
	if err != nil {
		t.Fatal(err)
	}
	return made.Secret
}

// ask sends one request to the API; what names a header is set on it.
func (s *site) ask(t *testing.T, token, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+"/console/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// ok is the answer to a request that must go well.
func (s *site) ok(t *testing.T, token, method, path, body string) (m map[string]any) {
	t.Helper()
	status, text := s.ask(t, token, method, path, body)
	if status != 200 || json.Unmarshal([]byte(text), &m) != nil {
		t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return m
}

// events are the lines of a run.
func (s *site) events(t *testing.T, token, body string) (all []event) {
	t.Helper()
	status, text := s.ask(t, token, "POST", "api/run", body)
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for line := range strings.Lines(text) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

func TestThePageIsOpenAndLocked(t *testing.T) {
	s := newSite(t, func(c *mcpserver.Config) { c.RequireToken = true })
	total := 0
	files, err := os.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		response, err := http.Get(s.url + "/console/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		total += len(body)
		h := response.Header
		if response.StatusCode != 200 || h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("ETag") == "" {
			t.Errorf("%s: %s %v", f.Name(), response.Status, h)
		}
		r, _ := http.NewRequest("GET", s.url+"/console/"+f.Name(), nil)
		r.Header.Set("If-None-Match", h.Get("ETag"))
		if again, err := http.DefaultClient.Do(r); err != nil || again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %v %v", f.Name(), again, err)
		}
		for _, inline := range []string{" style=", "<style", " onclick=", "javascript:", "innerHTML", "http://", "eval("} {
			if f.Name() != "icon.svg" && strings.Contains(strings.ReplaceAll(string(body), "http://www.w3.org/2000/svg", ""), inline) {
				t.Errorf("%s has %s", f.Name(), inline)
			}
		}
	}
	if total > 300_000 {
		t.Errorf("the page is %d bytes", total)
	}
	for path, want := range map[string]int{"": 200, "index.html": 200, "nothing": 404, "../../etc/passwd": 404, "web/index.html": 404, "api/me": 401, "api/": 401} {
		if status, text := s.ask(t, "", "GET", path, ""); status != want {
			t.Errorf("%q: %d %.100s", path, status, text)
		}
	}
	if status, _ := s.ask(t, "", "POST", "", "{}"); status != 405 {
		t.Error(status)
	}
}

// TestWhoMayWhat: rights are those of the identity, checked by the server.
func TestWhoMayWhat(t *testing.T) {
	s := newSite(t, nil)
	ann := s.token(t, "ann", identity.Policy{Collections: []string{"notes"}})
	bob := s.token(t, "bob", identity.Policy{AllCollections: true, AllowTools: []string{"search_tools"}})
	const heartbeats = `{"query": "heartbeats", "limit": 5, "mode": "lexical", "collection": %q}`
	notes, secret := fmt.Sprintf(heartbeats, "notes"), fmt.Sprintf(heartbeats, "secret")
	for _, c := range []struct {
		who, method, path, body string
		status                  int
		text, not               string
	}{
		{ann, "POST", "api/search", notes, 200, "raft", ""},
		{ann, "POST", "api/search", secret, 404, `\"secret\" not found; there are: notes`, "takeover"},
		{ann, "GET", "api/document?collection=secret&id=plan", "", 404, "not found", "takeover"},
		{ann, "GET", "api/document?collection=notes&id=raft", "", 200, "quorum", ""},
		{ann, "GET", "api/collections", "", 200, "notes", "secret"},
		{ann, "GET", "api/collections", "", 200, "notes", "postgres"},
		{ann, "GET", "api/me", "", 200, `"admin":false`, ""},
		{ann, "GET", "api/audit?identity=bob", "", 403, "not its own", ""},
		{ann, "GET", "api/savings?identity=local", "", 403, "not its own", ""},
		{"", "POST", "api/search", secret, 200, "takeover", ""},
		{"", "GET", "api/collections", "", 200, "postgres", ""},
		{bob, "POST", "api/search", notes, 403, `bm25_search\" is not among its tools`, "raft"},
		{bob, "GET", "api/document?id=raft", "", 403, "get_document", "quorum"},
		{bob, "GET", "api/collections", "", 403, "list_collections", "notes"},
		{bob, "GET", "api/savings", "", 403, "get_execution_stats", ""},
		{bob, "GET", "api/audit", "", 403, "get_execution_stats", ""},
		{bob, "GET", "api/audit/1", "", 403, "get_execution_stats", ""},
		{bob, "POST", "api/run", `{"code": "1"}`, 403, "execute_code", ""},
		{bob, "GET", "api/me", "", 200, `"code":false`, ""},
		{"bmcis_wrong", "GET", "api/me", "", 401, "token", ""},
	} {
		status, text := s.ask(t, c.who, c.method, c.path, c.body)
		if status != c.status || !strings.Contains(text, c.text) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s %s %s: %d %.400s", c.method, c.path, c.body, status, text)
		}
	}
	// A program of hers sees no more.
	all := s.events(t, ann, `{"code": "search.bm25_search('heartbeats', collection='secret')"}`)
	if last := string(all[len(all)-1].Result); !strings.Contains(last, "not found") || strings.Contains(last, "takeover") {
		t.Error(last)
	}
}

// TestEachSeesItsOwnLog: searches, documents and programs are in the log; looking at
// figures is not; who is no administrator sees what is their own.
func TestEachSeesItsOwnLog(t *testing.T) {
	s := newSite(t, nil)
	ann := s.token(t, "ann", identity.DefaultPolicy())
	s.ok(t, ann, "POST", "api/search", `{"query": "votes", "limit": 5, "mode": "lexical"}`)
	s.ok(t, ann, "GET", "api/document?id=raft", "")
	s.events(t, ann, `{"code": "hits = search.bm25_search('votes')\nlen(hits)"}`)
	s.events(t, "", `{"code": "1 / 0"}`)
	s.ok(t, ann, "GET", "api/savings?range=day", "")
	outline := func(m map[string]any) (out []string) {
		for _, r := range m["runs"].([]any) {
			run := r.(map[string]any)
			out = append(out, fmt.Sprint(run["identity"], " ", run["tool"], " ", run["outcome"]))
		}
		return out
	}
	hers := s.ok(t, ann, "GET", "api/audit", "")
	if got := outline(hers); !slices.Equal(got, []string{"ann execute_code ok", "ann get_document ok", "ann bm25_search ok"}) {
		t.Errorf("she sees %q", got)
	}
	if got := outline(s.ok(t, "", "GET", "api/audit?outcome=failed", "")); !slices.Equal(got, []string{"local execute_code runtime"}) {
		t.Errorf("failures: %q", got)
	}
	if got := outline(s.ok(t, "", "GET", "api/audit?identity=ann&kind=tool&text=VOTES", "")); !slices.Equal(got, []string{"ann bm25_search ok"}) {
		t.Errorf("filtered: %q", got)
	}
	// Pages: each entry once.
	first := s.ok(t, "", "GET", "api/audit?limit=2", "")
	id := first["runs"].([]any)[1].(map[string]any)["id"]
	rest := s.ok(t, "", "GET", fmt.Sprintf("api/audit?limit=2&before=%v", id), "")
	if first["more"] != true || rest["more"] != false || len(rest["runs"].([]any)) != 2 {
		t.Errorf("%v %v", first["more"], rest)
	}
	// One entry, with its program and calls; another's is not there.
	newest := first["runs"].([]any)[0].(map[string]any)["id"]
	if status, text := s.ask(t, ann, "GET", fmt.Sprintf("api/audit/%v", newest), ""); status != 404 {
		t.Errorf("another's entry: %d %s", status, text)
	}
	own := s.ok(t, ann, "GET", fmt.Sprintf("api/audit/%v", hers["runs"].([]any)[0].(map[string]any)["id"]), "")
	if !strings.Contains(own["program"].(string), "bm25_search('votes')") || len(own["calls"].([]any)) != 1 {
		t.Errorf("%v", own)
	}
	// The savings are those of programs, and hers alone.
	stats := s.ok(t, ann, "GET", "api/savings?range=hour", "")
	sum := 0.0
	for _, p := range stats["points"].([]any) {
		sum += p.(map[string]any)["tokens_touched"].(float64)
	}
	st := stats["stats"].(map[string]any)
	if st["runs"] != 1.0 || sum == 0 || sum != st["tokens_touched"] {
		t.Errorf("%v, sum %v", st, sum)
	}
}

func TestBadInputIsRefusedInWords(t *testing.T) {
	s := newSite(t, nil)
	search := func(more string) string { return `{"query": "votes", "limit": 5, "mode": "lexical"` + more + `}` }
	for _, c := range []struct {
		method, path, body string
		status             int
		text               string
	}{
		{"POST", "api/search", `{"query": "", "limit": 5}`, 400, "the query is empty"},
		{"POST", "api/search", `{"query": "x", "limit": 0}`, 400, "limit must be 1 to 100, got 0"},
		{"POST", "api/search", `{"query": "x", "limit": 101}`, 400, "got 101"},
		{"POST", "api/search", search(`, "filter": "year >"`), 400, "filter, character"},
		{"POST", "api/search", search(`, "boosts": [{"when": "", "factor": 1.2}]`), 400, "boost needs a condition"},
		{"POST", "api/search", search(`, "boosts": [{"when": "year > 1", "factor": 9}]`), 400, "factor must be 0.5..2, got 9"},
		{"POST", "api/search", search(`, "weights": {"lexical": 0, "vector": 0}`), 400, "weights are both 0"},
		{"POST", "api/search", search(`, "fusion": "magic"`), 400, `fusion \"magic\" is none of`},
		{"POST", "api/search", search(`, "rerank": "maybe"`), 400, `rerank policy \"maybe\"`},
		{"POST", "api/search", search(`, "cursor": "!!"`), 400, "is damaged"},
		{"POST", "api/search", search(`, "colection": "x"`), 400, `unknown field \"colection\"`},
		{"POST", "api/search", `{"query": "x", "limit": 1, "mode": "psychic"}`, 400, `mode \"psychic\"`},
		{"POST", "api/search", `not JSON`, 400, "the request:"},
		{"POST", "api/search", `{} {}`, 400, "more than one value"},
		{"POST", "api/search", search(`, "filter": "` + strings.Repeat("x", maxSearchBytes) + `"`), 413, "longer than"},
		{"GET", "api/document", "", 400, "id is missing"},
		{"GET", "api/document?id=a&id=b", "", 400, "given twice"},
		{"GET", "api/document?id=none", "", 404, "not found"},
		{"GET", "api/document?id=%ff", "", 400, "are text"},
		{"GET", "api/document?id=raft&x=1", "", 400, "unknown parameter"},
		{"GET", "api/savings?range=century", "", 400, "none of hour, day, week, month, year"},
		{"GET", "api/audit?limit=many", "", 400, "limit must be 1 to 200"},
		{"GET", "api/audit?since=yesterday", "", 400, "is no time such as"},
		{"GET", "api/audit?kind=odd", "", 400, "none of program, tool, gap, prune"},
		{"GET", "api/audit/first", "", 400, "is no number"},
		{"GET", "api/audit/999", "", 404, "not found"},
		{"POST", "api/run", `{"code": "1", "timeout": 4000}`, 400, "timeout must be 0 to 300"},
		{"POST", "api/run", `{"program": "1"}`, 400, "unknown field"},
		{"GET", "api/run", "", 404, "the console has no GET"},
		{"DELETE", "api/audit/1", "", 404, "the console has no DELETE"},
	} {
		status, text := s.ask(t, "", c.method, c.path, c.body)
		var m struct{ Error struct{ Message string } }
		if status != c.status || !strings.Contains(text, c.text) || json.Unmarshal([]byte(text), &m) != nil || m.Error.Message == "" || strings.Contains(m.Error.Message, "\n") {
			t.Errorf("%s %s %.80s: %d %.400s", c.method, c.path, c.body, status, text)
		}
	}
}

// TestOtherPagesGetNothing: what a page of another origin could send is refused.
func TestOtherPagesGetNothing(t *testing.T) {
	s := newSite(t, nil)
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"own page":        {[]string{"Origin", s.url, "Sec-Fetch-Site", "same-origin"}, 200},
		"foreign origin":  {[]string{"Origin", "https://evil.example"}, 403},
		"rebound name":    {[]string{"Host", "evil.example"}, 403},
		"foreign image":   {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a sibling's":     {[]string{"Sec-Fetch-Site", "same-site"}, 403},
		"text, not JSON":  {[]string{"Content-Type", "text/plain"}, 415},
		"a form's fields": {[]string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		"through a proxy": {[]string{"X-Forwarded-For", "192.0.2.1"}, 401},
	} {
		if status, text := s.ask(t, "", "POST", "api/search", `{"query": "votes", "limit": 1, "mode": "lexical"}`, c.headers...); status != c.status {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// TestDocumentsShowTheMatch: before, match and after are the whole text, cut at characters.
func TestDocumentsShowTheMatch(t *testing.T) {
	s := newSite(t, nil)
	long := strings.Repeat("ä", shownBytes) + " needle " + strings.Repeat("ö", shownBytes)
	if _, err := s.engine.Index(t.Context(), search.IndexOptions{Collection: "notes", LexicalOnly: true}, library{doc("long", "Long", long, "x", 1)}); err != nil {
		t.Fatal(err)
	}
	for query, id := range map[string]string{"votes": "raft", "needle": "long"} {
		found := s.ok(t, "", "POST", "api/search", fmt.Sprintf(`{"query": %q, "limit": 1, "mode": "lexical"}`, query))
		hit := found["hits"].([]any)[0].(map[string]any)
		if hit["document_id"] != id || hit["explain"].(map[string]any)["stages"] == nil {
			t.Fatalf("%v", hit)
		}
		d := s.ok(t, "", "GET", "api/document?id="+id+"&chunk="+hit["id"].(string), "")
		match := d["match"].(string)
		if !strings.Contains(match, query) || match != hit["text"] {
			t.Errorf("%s: match %.100q", id, match)
		}
		whole, err := s.engine.Document(t.Context(), "notes", id)
		if err != nil {
			t.Fatal(err)
		}
		shown := d["before"].(string) + match + d["after"].(string)
		left := 0.0
		for _, k := range []string{"cut_before", "cut_after"} {
			if n, ok := d[k].(float64); ok {
				left += n
			}
		}
		if !strings.Contains(whole.Text, shown) || len(shown)+int(left) != len(whole.Text) {
			t.Errorf("%s: %d bytes shown, %v left out, of %d", id, len(shown), left, len(whole.Text))
		}
	}
	if d := s.ok(t, "", "GET", "api/document?id=paxos&chunk=nonesuch", ""); d["gone"] != true || d["match"] != "" || d["after"] == "" {
		t.Errorf("%v", d)
	}
}

// TestPagesOfAnAnswer: the cursor goes on where the page before ended.
func TestPagesOfAnAnswer(t *testing.T) {
	s := newSite(t, nil)
	const q = `{"query": "votes messages tuples", "limit": 2, "mode": "lexical", "cursor": %q}`
	first := s.ok(t, "", "POST", "api/search", fmt.Sprintf(q, ""))
	second := s.ok(t, "", "POST", "api/search", fmt.Sprintf(q, first["cursor"]))
	ids := map[any]bool{}
	for _, h := range slices.Concat(first["hits"].([]any), second["hits"].([]any)) {
		ids[h.(map[string]any)["id"]] = true
	}
	if len(ids) != 3 || second["cursor"] != nil {
		t.Errorf("%d different hits, cursor %v", len(ids), second["cursor"])
	}
}

// TestRunsTellWhatTheyDo: output and calls come while the program runs, in their order,
// and the end has result, ledger and usage.
func TestRunsTellWhatTheyDo(t *testing.T) {
	s := newSite(t, nil)
	all := s.events(t, "", `{"code": "print('one')\nhits = search.bm25_search('votes', top_k=2)\nprint('two')\n[len(hits), 12345678901234567890]", "timeout": 20}`)
	var order []string
	for _, e := range all {
		order = append(order, e.Event)
	}
	if !slices.Equal(order, []string{"output", "call", "output", "end"}) {
		t.Fatalf("%+v", all)
	}
	if c := all[1].Call; c.Method != "search.lexical" || c.Outcome != "ok" || c.Millis <= 0 {
		t.Errorf("%+v", c)
	}
	var r host.RunResult
	end := all[3]
	if err := json.Unmarshal(end.Result, &r); err != nil || !r.Success || r.Ledger.TokensTouched == 0 || r.Usage.HostCalls != 1 || !strings.Contains(end.Pretty, "12345678901234567890") {
		t.Errorf("%+v %v", end, err)
	}
	all = s.events(t, "", `{"code": "hits = serch.hybrid_search('x')", "validate_only": true}`)
	if end := all[len(all)-1]; len(all) != 1 || !strings.Contains(string(end.Result), `"problems"`) || !strings.Contains(string(end.Result), "serch") {
		t.Errorf("%+v", all)
	}
	all = s.events(t, "", `{"code": "x = 1\nraise ValueError('no luck')"}`)
	if end := string(all[len(all)-1].Result); !strings.Contains(end, "no luck") || !strings.Contains(end, `"line":2`) {
		t.Error(end)
	}
}

// TestWhoLeavesCancels: the program of a page that is closed ends.
func TestWhoLeavesCancels(t *testing.T) {
	s := newSite(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", s.url+"/console/api/run", strings.NewReader(`{"code": "print('here')\nwhile True:\n    pass", "timeout": 300}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if line, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || !strings.Contains(line, "here") {
		t.Fatal(line, err) // it is told while the program runs
	}
	leave()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		runs := s.ok(t, "", "GET", "api/audit", "")["runs"].([]any)
		if len(runs) == 1 {
			if got := runs[0].(map[string]any)["outcome"]; got != "cancelled" {
				t.Errorf("outcome %v", got)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the program goes on")
		}
	}
}

// TestPersonalDataIsHidden: for whom it is hidden, it is hidden in every answer.
func TestPersonalDataIsHidden(t *testing.T) {
	s := newSite(t, func(c *mcpserver.Config) {
		c.Privacy.Hides = func(id identity.Identity) bool { return id.Name == "eve" }
	})
	eve := s.token(t, "eve", identity.DefaultPolicy())
	const private = "ann.smith@example.org"
	requests := [][3]string{
		{"POST", "api/search", `{"query": "vacuum ask", "limit": 3, "mode": "lexical"}`},
		{"POST", "api/search", `{"query": "x", "limit": 3, "fusion": "` + private + `"}`},
		{"GET", "api/document?id=vacuum", ""},
		{"GET", "api/document?id=" + private, ""},
		{"POST", "api/run", `{"code": "h = search.bm25_search('vacuum')\nprint(h[0].text)\nh[0].text"}`},
		{"POST", "api/run", `{"code": "search.bm25_search('x', collection='` + private + `')"}`},
		{"GET", "api/audit?text=" + private, ""},
	}
	for _, r := range requests {
		if _, text := s.ask(t, eve, r[0], r[1], r[2]); strings.Contains(text, "ann.smith") {
			t.Errorf("%v: %.500s", r, text)
		}
		if _, text := s.ask(t, "", r[0], r[1], r[2]); r[2] != "" && !strings.Contains(text, "ann.smith") {
			t.Errorf("%v to another: %.500s", r, text)
		}
	}
	if status, text := s.ask(t, eve, "GET", "api/audit/1", ""); status != 200 || strings.Contains(text, "ann.smith") {
		t.Errorf("%d %s", status, text)
	}
}

// TestWithoutServices: what the server has not is said in words.
func TestWithoutServices(t *testing.T) {
	s := newSite(t, func(c *mcpserver.Config) { c.Tools, c.Runner, c.Log = mcpserver.ToolsDirect, nil, nil })
	for path, want := range map[string]string{"api/savings": "keeps no audit log", "api/audit": "keeps no audit log", "api/audit/1": "keeps no audit log"} {
		if status, text := s.ask(t, "", "GET", path, ""); status != 503 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, text := s.ask(t, "", "POST", "api/run", `{"code": "1"}`); status != 503 || !strings.Contains(text, "--tools direct") {
		t.Errorf("%d %s", status, text)
	}
	if me := s.ok(t, "", "GET", "api/me", ""); me["may"].(map[string]any)["code"] != false || me["may"].(map[string]any)["log"] != false {
		t.Error(me)
	}
}
