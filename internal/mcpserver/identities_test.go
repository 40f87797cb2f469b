package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/upstream"
	"github.com/bmcis/bmcis/internal/vault"
	"github.com/bmcis/bmcis/internal/workspace"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// withServices gives a server all that identities can have, and one MCP server to call.
func withServices(t testing.TB, pool *pgxpool.Pool, cfg *Config) {
	t.Helper()
	box := server.NewMCPServer("box", "1", server.WithToolCapabilities(false))
	box.AddTool(mcp.NewTool("create_issue", mcp.WithDescription("Opens a ticket about a bug."), mcp.WithString("title", mcp.Required()), mcp.WithDestructiveHintAnnotation(false)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("issue " + r.GetString("title", "")), nil
		})
	box.AddTool(mcp.NewTool("drop_table", mcp.WithDescription("Deletes a table."), mcp.WithString("table", mcp.Required()), mcp.WithDestructiveHintAnnotation(true)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("gone"), nil
		})
	web := httptest.NewServer(server.NewStreamableHTTPServer(box))
	t.Cleanup(web.Close)
	parsed, err := upstream.Parse(fmt.Appendf(nil, `{"mcpServers": {"box": {"url": %q}}}`, web.URL))
	if err != nil {
		t.Fatal(err)
	}
	up, err := upstream.New(parsed, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Close() })
	vaults, err := vault.Open(t.Context(), pool, vault.Key{7})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Log = audit.New(pool)
	w := cfg.Log.NewWriter(audit.WriterConfig{})
	t.Cleanup(func() { w.Close(context.WithoutCancel(t.Context())) })
	cfg.Services = host.Services{Workspace: workspace.New(pool, workspace.Config{}), Skills: skills.New(pool), Upstream: up, Audit: w}
	cfg.Privacy.Vaults = vaults
	cfg.Identities = identity.New(pool)
}

// bearer is a client with a token.
type bearer struct {
	t          testing.TB
	url, token string
	session    string
	header     map[string]string
}

func (b *bearer) do(method, path, body string) (int, http.Header, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	if b.session != "" {
		r.Header.Set("Mcp-Session-Id", b.session)
	}
	for k, v := range b.header {
		r.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

func (b *bearer) open() *bearer {
	b.t.Helper()
	status, header, text := b.do("POST", "/mcp", hello)
	if status != 200 {
		b.t.Fatalf("%d %s", status, text)
	}
	b.session = header.Get("Mcp-Session-Id")
	return b
}

// rpc returns the result or the error of a request, as JSON.
func (b *bearer) rpc(method string, params any) string {
	b.t.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		b.t.Fatal(err)
	}
	status, _, text := b.do("POST", "/mcp", string(message))
	if status != 200 {
		b.t.Fatalf("%s: %d %s", method, status, text)
	}
	if _, data, ok := strings.Cut(text, "data: "); ok {
		text = strings.TrimSpace(data)
	}
	return text
}

func (b *bearer) tool(name string, args any) string {
	b.t.Helper()
	return b.rpc("tools/call", map[string]any{"name": name, "arguments": args})
}

// ok is the structured content of a call that must go well.
func (b *bearer) ok(name string, args any) map[string]any {
	b.t.Helper()
	var m struct {
		Result struct {
			IsError           bool
			StructuredContent map[string]any
			Content           []struct{ Text string }
		}
	}
	text := b.tool(name, args)
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.Result.IsError || m.Result.StructuredContent == nil {
		b.t.Fatalf("%s: %v %.1000s", name, err, text)
	}
	return m.Result.StructuredContent
}

func (b *bearer) program(code string) string {
	b.t.Helper()
	return b.tool("execute_code", map[string]any{"code": code})
}

// agency is a server with the identities ann, who may read everything, and bob, who may
// read the collections that begin with "open".
type agency struct {
	server *Server
	people *identity.Store
	pool   *pgxpool.Pool
	url    string
}

func newAgency(t *testing.T) *agency {
	t.Helper()
	pool := pgtest.New(t)
	engine, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	for collection, docs := range map[string]library{
		"open-notes": {{ID: "raft", Title: "Raft", Text: "A candidate with a majority of votes becomes leader."}},
		"vaultroom":  {{ID: "plan", Title: "Takeover", Text: "The takeover of Zyxcorp begins in October."}},
	} {
		if report, err := engine.Index(t.Context(), search.IndexOptions{Collection: collection}, docs); err != nil || len(report.Failed) > 0 {
			t.Fatal(err, report.Failed)
		}
	}
	runner, err := sandbox.NewRunner(sandbox.Config{Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	cfg := Config{Engine: engine, Runner: runner, Tools: ToolsBoth, Collection: "open-notes"}
	withServices(t, pool, &cfg)
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	web := httptest.NewServer(s.Handler(ctx))
	t.Cleanup(func() { cancel(); web.Close() })
	return &agency{server: s, people: cfg.Identities, pool: pool, url: web.URL}
}

func (a *agency) create(t *testing.T, name string, p identity.Policy, lifetime time.Duration) (*bearer, identity.Created) {
	t.Helper()
	made, err := a.people.Create(t.Context(), identity.NewToken{Name: name, Policy: &p, Lifetime: lifetime})
	if err != nil {
		t.Fatal(err)
	}
	return &bearer{t: t, url: a.url, token: made.Secret}, made
}

// What one identity has, another can neither read nor count, whatever it tries.
func TestIdentitiesAreApart(t *testing.T) {
	a := newAgency(t)
	ann, _ := a.create(t, "ann", identity.Policy{AllCollections: true, RestorePII: true}, 0)
	bob, _ := a.create(t, "bob", identity.Policy{Collections: []string{"open*"}, RestorePII: true}, 0)
	ann.open()
	bob.open()

	// ann has a document, a file, a session, a skill, a token and runs.
	if got := ann.program("search.hybrid_search('takeover', collection='vaultroom')[0].text"); !strings.Contains(got, "Zyxcorp") {
		t.Fatal(got)
	}
	id := ann.ok("bm25_search", map[string]any{"query": "takeover", "collection": "vaultroom"})["hits"].([]any)[0].(map[string]any)["id"].(string)
	ann.ok("write_workspace_file", map[string]any{"name": "plans/zyx.txt", "content": "Zyxcorp in October"})
	var session struct{ Result string }
	opened := ann.ok("execute_code", map[string]any{"code": "s = workspace.new_session()\nwrite_file('shared.txt', 'Zyxcorp', session=s)\ns.handle"})
	session.Result, _ = opened["result"].(string)
	ann.ok("save_skill", map[string]any{"name": "zyx_report", "code": "def zyx_report():\n    return 'Zyxcorp'\n", "description": "Reports on Zyxcorp"})
	token, _ := ann.ok("sanitize_pii", map[string]any{"value": "zyx@example.org"})["value"].(string)

	quoted := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	programs := []string{
		"search.hybrid_search('takeover', collection='vaultroom')",
		"search.bm25_search('takeover', collection='vaultroom')",
		"search.vector_search('takeover', collection='vaultroom')",
		"search.batch_search(['takeover'], collection='vaultroom')",
		"search.get_document('plan', collection='vaultroom')",
		"search.similar('plan', collection='vaultroom')",
		"search.similar(" + quoted(id) + ", collection='vaultroom')",
		"list(search.hybrid_search_streaming('takeover', batch_size=5, collection='vaultroom'))",
		"[h.text for h in search.hybrid_search('takeover October Zyxcorp', top_k=100)]",
		"search.hybrid_search('takeover', filters='collection = \"vaultroom\"')",
		"reranker.rerank('takeover', [{'id': " + quoted(id) + "}])",
		"search.get_document('plan')", "search.similar(" + quoted(id) + ")",
		"list_files(), workspace.list_sessions()",
		"read_file('plans/zyx.txt')", "read_file('../ann/plans/zyx.txt')",
		"list_files(session=" + quoted(session.Result) + ")",
		"read_file('shared.txt', session=" + quoted(session.Result) + ")",
		"read_file(" + quoted(session.Result+"/shared.txt") + ")",
		"write_file('shared.txt', 'x', session=" + quoted(session.Result) + ")",
		"workspace.grant(" + quoted(session.Result) + ", 'bob')",
		"list_skills()", "load_skill('zyx_report')", "load_skill('ann/zyx_report')", "from skills import zyx_report\nzyx_report()",
		"skills.share_skill('zyx_report', 'bob')", "skills.revoke_skill('zyx_report')",
		"[t.name for t in search_tools('report on a company', limit=1000)]", "get_tool_definition('zyx_report')",
		"restore_pii(" + quoted(token) + ")",
		"stats.get_execution_stats()",
		"help(), help(search), help(skills)",
		"globals_ = [x for x in dir(search)]",
	}
	for _, code := range programs {
		for _, program := range []string{code, "import asyncio\nr = attempt(lambda: " + strings.Split(code, "\n")[0] + ")\nprint(r)\nr"} {
			if strings.HasPrefix(code, "from ") && program != code {
				continue
			}
			got := bob.program(program)
			if i := strings.Index(got, "Zyxcorp"); i >= 0 || strings.Contains(got, "zyx@") || strings.Contains(got, "Takeover") {
				t.Errorf("%s: %.700s", program, got)
			}
			if strings.Contains(code, "ann") {
				continue
			}
			if strings.Contains(got, `\"ann\"`) || strings.Contains(got, "owner ann") {
				t.Errorf("%s names ann: %.700s", program, got)
			}
		}
	}
	// A collection that may not be read cannot be told from one that is not there.
	for _, call := range []string{"search.hybrid_search('x', collection='%s')", "search.get_document('plan', collection='%s')", "search.similar('plan', collection='%s')"} {
		hidden, none := bob.ok2(fmt.Sprintf(call, "vaultroom")), bob.ok2(fmt.Sprintf(call, "vaultroon"))
		if strings.ReplaceAll(hidden, "vaultroom", "vaultroon") != none {
			t.Errorf("%s tells them apart:\n%s\n%s", call, hidden, none)
		}
	}
	for name, args := range map[string]map[string]any{
		"hybrid_search":        {"query": "takeover", "collection": "vaultroom"},
		"vector_search":        {"query": "takeover", "collection": "vaultroom"},
		"get_document":         {"id": "plan", "collection": "vaultroom"},
		"rerank_results":       {"query": "takeover", "ids": []string{id}, "collection": "vaultroom"},
		"filter_results":       {"filter": "title = \"Takeover\"", "ids": []string{id}, "collection": "vaultroom"},
		"list_collections":     {},
		"list_workspace_files": {},
		"read_workspace_file":  {"name": "plans/zyx.txt"},
		"list_skills":          {},
		"load_skill":           {"name": "ann/zyx_report"},
		"restore_pii":          {"value": token},
		"search_tools":         {"query": "report on Zyxcorp", "limit": 1000, "detail_level": "full"},
		"get_execution_stats":  {"limit": 100},
	} {
		got := bob.tool(name, args)
		for _, secret := range []string{"Zyx", "zyx@", "Takeover", `\"ann\"`} {
			if strings.Contains(got, secret) && !(name == "load_skill") {
				t.Errorf("%s shows %s: %.700s", name, secret, got)
			}
		}
		if name == "list_collections" && (strings.Contains(got, "vaultroom") || !strings.Contains(got, "open-notes")) {
			t.Errorf("%s: %s", name, got)
		}
	}
	// Resources.
	if got := bob.rpc("resources/list", map[string]any{}); strings.Contains(got, "vaultroom") || strings.Contains(got, "zyx") || !strings.Contains(got, "bmcis://documents/open-notes/raft") {
		t.Errorf("resources/list: %.700s", got)
	}
	if got := ann.rpc("resources/list", map[string]any{}); !strings.Contains(got, "bmcis://documents/vaultroom/plan") || !strings.Contains(got, "bmcis://workspace/plans/zyx.txt") {
		t.Errorf("resources/list of ann: %.700s", got)
	}
	for _, uri := range []string{"bmcis://documents/vaultroom/plan", "bmcis://workspace/plans/zyx.txt", "bmcis://workspace/" + session.Result + "/shared.txt"} {
		if got := bob.rpc("resources/read", map[string]any{"uri": uri}); !strings.Contains(got, `"error"`) || strings.Contains(got, "Zyxcorp") {
			t.Errorf("%s: %.500s", uri, got)
		}
		if got := ann.rpc("resources/read", map[string]any{"uri": uri}); !strings.Contains(got, "Zyxcorp") {
			t.Errorf("ann, %s: %.500s", uri, got)
		}
	}
	// The log counts one's own.
	mine := bob.ok("get_execution_stats", map[string]any{"limit": 100})
	var runs int64
	if err := a.server.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.pool.QueryRow(t.Context(), `select count(*) from audit_runs where identity = 'bob'`).Scan(&runs); err != nil {
		t.Fatal(err)
	}
	if n := mine["runs"].(float64); int64(n) != runs-1 { // the call itself came later
		t.Errorf("bob counts %v of %d runs", n, runs)
	}
	// ann's session is not bob's to use.
	thief := &bearer{t: t, url: a.url, token: bob.token, session: ann.session}
	if status, _, text := thief.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != 404 {
		t.Errorf("bob uses ann's session: %d %s", status, text)
	}
	// What ann gives, bob has, until she takes it back.
	ann.program("workspace.grant(" + quoted(session.Result) + ", 'bob')\nskills.share_skill('zyx_report', 'bob')")
	if got := bob.program("from skills import zyx_report\nread_file('shared.txt', session=" + quoted(session.Result) + "), zyx_report()"); strings.Count(got, "Zyxcorp") < 2 {
		t.Errorf("%s", got)
	}
	ann.program("workspace.revoke_grant(" + quoted(session.Result) + ", 'bob')\nskills.unshare_skill('zyx_report', 'bob')")
	if got := bob.program("attempt(load_skill, 'ann/zyx_report'), attempt(read_file, 'shared.txt', session=" + quoted(session.Result) + ")"); strings.Contains(got, "Zyxcorp") {
		t.Errorf("%s", got)
	}
}

// ok2 is the error text of a program that fails.
func (b *bearer) ok2(code string) string {
	b.t.Helper()
	var m struct {
		Result struct {
			StructuredContent struct {
				Error struct{ Message, Hint string }
			}
		}
	}
	text := b.program(code)
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.Result.StructuredContent.Error.Message == "" {
		b.t.Fatalf("%s: %s", code, text)
	}
	return m.Result.StructuredContent.Error.Message + m.Result.StructuredContent.Error.Hint
}

func TestTokensOverHTTP(t *testing.T) {
	a := newAgency(t)
	good, made := a.create(t, "ann", identity.DefaultPolicy(), 0)
	short, _ := a.create(t, "short", identity.DefaultPolicy(), time.Nanosecond)
	ping := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	good.open()
	if status, _, text := good.do("POST", "/mcp", ping); status != 200 || !strings.Contains(text, "execute_code") {
		t.Fatalf("%d %s", status, text)
	}
	forged := &bearer{t: t, url: a.url, token: made.Secret[:len(made.Secret)-1] + "x"}
	if made.Secret[len(made.Secret)-1] == 'x' {
		forged.token = made.Secret[:len(made.Secret)-1] + "y"
	}
	for name, b := range map[string]*bearer{
		"expired":  short,
		"forged":   forged,
		"garbage":  {t: t, url: a.url, token: "hello"},
		"basic":    {t: t, url: a.url, header: map[string]string{"Authorization": "Basic YTpi"}},
		"by proxy": {t: t, url: a.url, header: map[string]string{"X-Forwarded-For": "203.0.113.9"}},
	} {
		for _, path := range []string{"/mcp", "/v1/tools/search?query=x"} {
			method := "POST"
			if path != "/mcp" {
				method = "GET"
			}
			status, header, text := b.do(method, path, hello)
			if status != 401 || !strings.HasPrefix(header.Get("WWW-Authenticate"), `Bearer realm="bmcis"`) || !strings.Contains(text, "bmcis tokens create") && !strings.Contains(text, "token") {
				t.Errorf("%s %s: %d %v %s", name, path, status, header, text)
			}
			if name != "by proxy" && !strings.Contains(header.Get("WWW-Authenticate"), `error="invalid_token"`) {
				t.Errorf("%s: %s", name, header.Get("WWW-Authenticate"))
			}
		}
	}
	// Without a token, loopback is local; another page's origin is not.
	local := (&bearer{t: t, url: a.url}).open()
	if got := local.ok("get_execution_stats", map[string]any{}); got["identity"] != identity.LocalName {
		t.Errorf("%v", got)
	}
	evil := &bearer{t: t, url: a.url, token: good.token, header: map[string]string{"Origin": "https://evil.example"}}
	if status, _, _ := evil.do("POST", "/mcp", hello); status != 403 {
		t.Errorf("a foreign origin: %d", status)
	}
	for _, path := range []string{"/mcp", "/v1/tools/search?query=x"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "rebound.example"
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 403 {
			t.Errorf("%s of a rebound name: %d", path, response.StatusCode)
		}
	}
	// Revoked is revoked, in a session that is open, too.
	if _, err := a.people.RevokeAll(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if status, header, text := good.do("POST", "/mcp", ping); status != 401 || !strings.Contains(header.Get("WWW-Authenticate")+text, "revoked") {
		t.Errorf("revoked: %d %v %s", status, header, text)
	}
	// Guessing is slowed down.
	refused := 0
	for range 3 * badTokensBurst {
		if status, header, _ := forged.do("POST", "/mcp", hello); status == 429 && header.Get("Retry-After") != "" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("tokens can be guessed at full speed")
	}
}

func TestRatesAndToolsOfAnIdentity(t *testing.T) {
	a := newAgency(t)
	slow, _ := a.create(t, "slow", identity.Policy{Limits: identity.Limits{RequestsPerMinute: 6, Burst: 2}}, 0)
	statuses := map[int]int{}
	for range 5 {
		status, header, _ := slow.do("POST", "/mcp", hello)
		statuses[status]++
		if status == 429 && header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if statuses[200] != 2 || statuses[429] != 3 {
		t.Errorf("%v", statuses)
	}
	one, _ := a.create(t, "one", identity.Policy{Limits: identity.Limits{Concurrent: 1}}, 0)
	one.open()
	started := make(chan string, 1)
	go func() { started <- one.program("import time\ntime.sleep(2)\n1") }()
	busy := 0
	for deadline := time.Now().Add(10 * time.Second); busy == 0 && time.Now().Before(deadline); {
		if status, header, _ := one.do("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"ping"}`); status == 429 && header.Get("Retry-After") == "1" {
			busy++
		}
	}
	if got := <-started; busy == 0 || !strings.Contains(got, `"result":1`) {
		t.Errorf("busy %d, %s", busy, got)
	}
	few, _ := a.create(t, "few", identity.Policy{AllCollections: true, AllowTools: []string{"search_tools", "execute_code"}, DenyTools: []string{"mcp__box__*"}}, 0)
	few.open()
	if got := few.rpc("tools/list", map[string]any{}); strings.Count(got, `"inputSchema"`) != 2 || strings.Contains(got, `"name":"save_skill"`) {
		t.Errorf("%.1000s", got)
	}
	if got := few.tool("save_skill", map[string]any{"name": "x", "code": "x = 1", "description": "x"}); !strings.Contains(got, "not among its tools") || !strings.Contains(got, "bmcis tokens set few") {
		t.Errorf("%s", got)
	}
	if got := few.program("call_mcp_tool('mcp__box__create_issue', {'title': 'x'})"); !strings.Contains(got, "PermissionError") {
		t.Errorf("%s", got)
	}
}

// What a policy refused is in the audit log as that, also where the caller is told that
// there is no such thing.
func TestRefusalsAreRecorded(t *testing.T) {
	a := newAgency(t)
	eve, _ := a.create(t, "eve", identity.Policy{Collections: []string{"open*"}, DenyTools: []string{"save_skill", "mcp__box__create_issue"}}, 0)
	eve.open()
	eve.tool("save_skill", map[string]any{"name": "x", "code": "x = 1"})
	eve.tool("bm25_search", map[string]any{"query": "takeover", "collection": "vaultroom"})
	eve.tool("get_document", map[string]any{"id": "nothing", "collection": "open-notes"})
	eve.tool("restore_pii", map[string]any{"value": "[EMAIL_abcdef]"})
	eve.rpc("resources/read", map[string]any{"uri": "bmcis://documents/vaultroom/plan"})
	eve.rpc("resources/read", map[string]any{"uri": "bmcis://documents/open-notes/raft"})
	eve.program("attempt(lambda: search.hybrid_search('takeover', collection='vaultroom'))\n" +
		"attempt(lambda: search.get_document('nothing'))\n" +
		"attempt(lambda: call_mcp_tool('mcp__box__drop_table', {'table': 'x'}))\nattempt(lambda: call_mcp_tool('mcp__box__create_issue', {'title': 'x'}))\n1")
	if err := a.server.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	outcomes := func(f audit.Filter) []string {
		f.Identity = "eve"
		runs, _, err := a.server.log.List(t.Context(), f, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, r := range runs {
			out = append(out, r.Tool+" "+r.Outcome)
		}
		slices.Reverse(out)
		return out
	}
	want := []string{"save_skill policy", "bm25_search policy", "get_document failed", "restore_pii policy", "resources/read policy", "resources/read ok", "execute_code ok"}
	if got := outcomes(audit.Filter{}); !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	if got := outcomes(audit.Filter{Refused: true}); !slices.Equal(got, []string{"save_skill policy", "bm25_search policy", "restore_pii policy", "resources/read policy", "execute_code ok"}) {
		t.Errorf("refused %q", got)
	}
	var calls []string
	rows, err := a.pool.Query(t.Context(), `select c.method || ' ' || c.target || ' ' || c.outcome from audit_calls c join audit_runs r on r.id = c.run_id where r.identity = 'eve' order by c.ordinal`)
	if err != nil {
		t.Fatal(err)
	}
	if calls, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	if want := []string{"search.hybrid vaultroom policy", "search.document  ok", "tools.call mcp__box__drop_table policy", "tools.call mcp__box__create_issue policy"}; !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
}

// The same search over plain HTTP, for people.
func TestToolSearchOverHTTP(t *testing.T) {
	a := newAgency(t)
	ann, _ := a.create(t, "ann", identity.DefaultPolicy(), 0)
	if err := a.server.host.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, _, text := ann.do("GET", "/v1/tools/search?query=report+a+bug&detail_level=full&limit=3", "")
	var got struct {
		Tools []struct {
			Name        string
			InputSchema map[string]any `json:"input_schema"`
		}
		Total int
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || len(got.Tools) != 3 || got.Tools[0].Name != "mcp__box__create_issue" ||
		got.Tools[0].InputSchema["required"] == nil || got.Total < 20 {
		t.Errorf("%d %v %s", status, err, text)
	}
	for query, want := range map[string]string{"limit=0": "limit", "limit=x": "limit", "detail_level=all": "detail_level", "q=x": "unknown parameter", "category=nothing": "category"} {
		if status, _, text := ann.do("GET", "/v1/tools/search?"+query, ""); status != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", query, status, text)
		}
	}
}
