package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/upstream"
	"github.com/bmcis/bmcis/internal/workspace"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// platform is everything that programs can use, on a database of its own.
type platform struct {
	pool   *pgxpool.Pool
	engine *search.Engine
	host   *host.Host
	runner *sandbox.Runner
	audit  *audit.Writer
	ids    map[string]identity.Identity
}

// newPlatform has the identities ann and bob: ann may read every collection, bob those
// that begin with "open".
func newPlatform(t *testing.T) *platform {
	t.Helper()
	pool := pgtest.New(t)
	engine, err := search.New(pool, search.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	runner, err := sandbox.NewRunner(sandbox.Config{Slots: 2, Spares: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	p := &platform{pool: pool, engine: engine, runner: runner, ids: map[string]identity.Identity{}}
	p.audit = audit.New(pool).NewWriter(audit.WriterConfig{})
	t.Cleanup(func() { p.audit.Close(context.WithoutCancel(t.Context())) })
	p.host = host.New(engine, host.Config{Services: host.Services{
		Workspace: workspace.New(pool, workspace.Config{}), Skills: skills.New(pool), Upstream: toolServer(t), Audit: p.audit,
	}})
	people := identity.New(pool)
	for name, policy := range map[string]identity.Policy{
		"ann": {AllCollections: true, Destructive: []string{"mcp__box__empty"}},
		"bob": {Collections: []string{"open*"}, DenyTools: []string{"mcp__box__big*"}},
	} {
		made, err := people.Create(t.Context(), identity.NewToken{Name: name, Policy: &policy})
		if err != nil {
			t.Fatal(err)
		}
		p.ids[name] = made.Identity
	}
	return p
}

// toolServer is a real MCP server, box, over HTTP, and the manager that calls it.
func toolServer(t *testing.T) *upstream.Manager {
	t.Helper()
	s := server.NewMCPServer("box", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("big-number", mcp.WithDescription("Adds one to a large whole number and keeps all its digits."),
		mcp.WithNumber("number", mcp.Required()), mcp.WithString("label"), mcp.WithReadOnlyHintAnnotation(true)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if r.GetString("label", "") == "fail" {
				return mcp.NewToolResultError("the box is broken"), nil
			}
			// Structured content as the server writes it, with integers beyond 2^53.
			return mcp.NewToolResultStructured(json.RawMessage(`{"sum": 12345678901234567891, "items": [1, 2.5], "label": "`+r.GetString("label", "")+`"}`), "ok"), nil
		})
	s.AddTool(mcp.NewTool("empty", mcp.WithDescription("Throws away what is in the box."), mcp.WithDestructiveHintAnnotation(true)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("emptied"), nil
		})
	s.AddTool(mcp.NewTool("create_issue", mcp.WithDescription("Opens a ticket about a bug in a code repository."), mcp.WithString("title", mcp.Required()),
		mcp.WithReadOnlyHintAnnotation(false), mcp.WithDestructiveHintAnnotation(false)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(`{"number": 7, "title": "` + r.GetString("title", "") + `"}`), nil
		})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(web.Close)
	cfg, err := upstream.Parse(fmt.Appendf(nil, `{"mcpServers": {"box": {"url": %q}}}`, web.URL))
	if err != nil {
		t.Fatal(err)
	}
	m, err := upstream.New(cfg, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func (p *platform) run(t *testing.T, who, source string) host.RunResult {
	t.Helper()
	ctx := host.WithConnection(identity.NewContext(t.Context(), p.ids[who]), host.Connection{Transport: "http", Session: "s-" + who, Tool: "execute_code", Description: "a test"})
	r, err := p.host.Execute(ctx, p.runner, sandbox.Program{Source: source, Context: map[string]any{"me": who}}, sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestServices runs the stories of testdata/services: programs divided by lines of dashes
// with the name of who runs them. A line ends with ### and the error that is expected
// there; otherwise the program must end well.
func TestServices(t *testing.T) {
	files, err := filepath.Glob("testdata/services/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(f), ".py"), func(t *testing.T) {
			p := newPlatform(t)
			if strings.Contains(string(text), "search_tools") {
				if err := p.host.Warm(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			line := 0
			for _, part := range strings.Split(string(text), "--- ")[1:] {
				who, program, _ := strings.Cut(part, "\n")
				line++
				r := p.run(t, who, program)
				wantLine, want := 0, ""
				for i, l := range strings.Split(program, "\n") {
					if _, message, ok := strings.Cut(l, "###"); ok {
						wantLine, want = i+1, strings.TrimSpace(message)
					}
				}
				switch {
				case r.Error != nil && want == "":
					t.Errorf("%s:%d (%s): %s: %s; %s", f, line+r.Error.Line, who, r.Error.Kind, r.Error.Message, r.Error.Hint)
				case want != "" && r.Error == nil:
					t.Errorf("%s:%d (%s): no error, want %q", f, line+wantLine, who, want)
				case want != "" && (!strings.Contains(r.Error.Message+"; "+r.Error.Hint, want) || r.Error.Line != wantLine):
					t.Errorf("%s:%d (%s): got %q at %d, want %q", f, line+wantLine, who, r.Error.Message+"; "+r.Error.Hint, line+r.Error.Line, want)
				}
				line += strings.Count(program, "\n")
			}
		})
	}
}

// What was run stands in the audit log with every call, and each sees its own alone.
func TestProgramsAreRecorded(t *testing.T) {
	p := newPlatform(t)
	const source = "write_file('a.txt', 'x')\ntry:\n    read_file('nothing')\nexcept FileNotFoundError:\n    pass\ncall_mcp_tool('mcp__box__create_issue', {'title': 'bug'})['number']"
	if r := p.run(t, "ann", source); r.Error != nil || string(r.Result) != "7" {
		t.Fatalf("%s %+v", r.Result, r.Error)
	}
	p.run(t, "bob", "1/0")
	if err := p.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	store := audit.New(p.pool)
	runs, _, err := store.List(t.Context(), audit.Filter{IdentityID: p.ids["ann"].ID}, 10, 0)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs of ann: %v", len(runs), err)
	}
	run, err := store.Get(t.Context(), audit.Filter{}, runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, c := range run.Calls {
		calls = append(calls, c.Method+" "+c.Target+" "+c.Outcome)
		if c.ArgsDigest == (audit.Digest{}) {
			t.Errorf("%s has no digest", c.Method)
		}
	}
	want := "workspace.write  ok,workspace.read  FileNotFoundError,tools.call mcp__box__create_issue ok"
	if strings.Join(calls, ",") != want || run.Program != source || run.Outcome != "ok" || run.Transport != "http" ||
		run.Session != "s-ann" || run.Identity != "ann" || run.Digest != audit.DigestOf([]byte(source)) || run.Description != "a test" {
		t.Errorf("calls %s\nrun %+v", calls, run)
	}
	runs, _, err = store.List(t.Context(), audit.Filter{IdentityID: p.ids["bob"].ID}, 10, 0)
	if err != nil || len(runs) != 1 || runs[0].Outcome != "runtime" || !strings.Contains(runs[0].Error, "ZeroDivisionError") {
		t.Errorf("%+v %v", runs, err)
	}
}

// What cannot be recorded is not answered.
func TestWithoutTheLogThereIsNoAnswer(t *testing.T) {
	p := newPlatform(t)
	if err := p.audit.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := p.host.Execute(identity.NewContext(t.Context(), p.ids["ann"]), p.runner, sandbox.Program{Source: "42"}, sandbox.Limits{})
	if !errors.Is(err, audit.ErrNotRecorded) || r.Result != nil {
		t.Errorf("%s %v", r.Result, err)
	}
}

// A long answer goes into a session of the workspace of whoever asked, and only there.
func TestLongAnswersAreKeptForTheirOwner(t *testing.T) {
	p := newPlatform(t)
	ctx := identity.NewContext(t.Context(), p.ids["ann"])
	r, err := p.host.Execute(ctx, p.runner, sandbox.Program{Source: "result = [{'i': i} for i in range(5000)]"}, sandbox.Limits{ResultBytes: 1000})
	if err != nil || !r.Success || r.Kept == nil || r.Kept.Expires == "" {
		t.Fatalf("%+v %v", r, err)
	}
	read := fmt.Sprintf("import json\nlen(json.loads(read_file(%q)))", r.Kept.Handle)
	if r := p.run(t, "ann", read); string(r.Result) != "5000" {
		t.Errorf("%s %+v", r.Result, r.Error)
	}
	if r := p.run(t, "bob", read); r.Error == nil || !strings.Contains(r.Error.Message, "FileNotFoundError") {
		t.Errorf("%s %+v", r.Result, r.Error)
	}
}

// The limits of an identity bind its programs, whatever they ask for.
func TestLimitsOfAnIdentity(t *testing.T) {
	p := newPlatform(t)
	id := p.ids["ann"]
	id.Limits = identity.Limits{Steps: 100_000, HostCalls: 2, SourceBytes: 300}
	ctx := identity.NewContext(t.Context(), id)
	for source, kind := range map[string]sandbox.Kind{
		"while True: pass":                       sandbox.KindSteps,
		"for i in range(5):\n    list_files()":   sandbox.KindCalls,
		"x = '" + strings.Repeat("x", 300) + "'": sandbox.KindValidation,
	} {
		r, err := p.host.Execute(ctx, p.runner, sandbox.Program{Source: source}, sandbox.Limits{MaxSteps: 1 << 40, HostCalls: 1 << 20})
		if err != nil || r.Error == nil || r.Error.Kind != kind {
			t.Errorf("%.30s: %+v %v", source, r.Error, err)
		}
	}
}

// Without services each function says so in one line, and so it does without an identity.
func TestWithoutServices(t *testing.T) {
	p := newPlatform(t)
	bare := host.New(p.engine, host.Config{})
	for _, source := range []string{"read_file('x')", "save_skill('f', 'def f(): pass')", "from skills import f", "call_mcp_tool('mcp__box__empty')",
		"from servers.box import empty"} {
		for _, h := range []*host.Host{bare, p.host} {
			r, err := h.Execute(t.Context(), p.runner, sandbox.Program{Source: source}, sandbox.Limits{})
			if err != nil || r.Error == nil || !strings.Contains(r.Error.Message, "not available here") || strings.Contains(r.Error.Message, "\n") {
				t.Errorf("%s: %+v %v", source, r.Error, err)
			}
		}
	}
}
