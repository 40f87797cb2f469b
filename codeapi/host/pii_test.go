package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/upstream"
	"github.com/bmcis/bmcis/internal/vault"
	"github.com/bmcis/bmcis/internal/workspace"
	"github.com/bmcis/bmcis/sandbox"
)

// mailbox is an MCP server that remembers what it was told.
type mailbox struct {
	mu   sync.Mutex
	told []string
}

func (m *mailbox) manager(t *testing.T) *upstream.Manager {
	t.Helper()
	s := server.NewMCPServer("mail", "1", server.WithToolCapabilities(false))
	for _, name := range []string{"send", "log"} {
		s.AddTool(mcp.NewTool(name, mcp.WithString("to", mcp.Required()), mcp.WithDestructiveHintAnnotation(false)),
			func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.told = append(m.told, r.Params.Name+": "+r.GetString("to", ""))
				return mcp.NewToolResultText("told " + r.GetString("to", "")), nil
			})
	}
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(web.Close)
	cfg, err := upstream.Parse(fmt.Appendf(nil, `{"mcpServers": {"mail": {"url": %q}}}`, web.URL))
	if err != nil {
		t.Fatal(err)
	}
	up, err := upstream.New(cfg, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Close() })
	return up
}

const private = "ann.smith@example.org"

// A program that holds an address cannot bring it out: not as its result or output, not in
// an error, a traceback or progress, not into the audit log, and not to another server
// that is not on the allow-list.
func TestPersonalDataStaysInside(t *testing.T) {
	p := newPlatform(t)
	vaults, err := vault.Open(t.Context(), p.pool, vault.Key{1})
	if err != nil {
		t.Fatal(err)
	}
	box := &mailbox{}
	h := host.New(p.engine, host.Config{
		Services: host.Services{Workspace: workspace.New(p.pool, workspace.Config{}), Skills: skills.New(p.pool), Upstream: box.manager(t), Audit: p.audit},
		Privacy:  host.Privacy{Vaults: vaults, Hides: func(id identity.Identity) bool { return id.Name == "bob" }, Sinks: []string{"mcp__mail__se*"}},
	})
	run := func(who, source string) (host.RunResult, []string) {
		t.Helper()
		ctx := host.WithConnection(identity.NewContext(t.Context(), p.ids[who]), host.Connection{Description: "for " + private})
		var progress []string
		r, err := h.Execute(ctx, p.runner, sandbox.Program{Source: source, Context: map[string]any{"address": private, "parts": []string{"ann.smith@", "example.org"}},
			Output: func(line string) { progress = append(progress, line) }}, sandbox.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return r, progress
	}
	everything := func(r host.RunResult, progress []string) string {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + strings.Join(progress, "\n")
	}
	for name, source := range map[string]string{
		"result":          "address",
		"nested result":   "{'a': [{address: {'x': ('to ' + address,)}}]}",
		"output":          "print('write to', address)",
		"split output":    "print(parts[0], end='')\nprint(parts[1])",
		"many lines":      "for i in range(50): print(i, address, i)",
		"error":           "raise ValueError('no such ' + address)",
		"key error":       "{}[address]",
		"assertion":       "assert False, [address]",
		"exit":            "raise SystemExit(address)",
		"cause":           "try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise RuntimeError(address) from e",
		"source":          "x = '" + private + "'\nx",
		"syntax":          "x = '" + private + "' '",
		"unknown name":    "print(" + strings.ReplaceAll(strings.ReplaceAll(private, "@", "_"), ".", "_") + ", '" + private + "')",
		"file":            "write_file('a.txt', address)\nread_file('a.txt')",
		"file name":       "read_file(address)",
		"skill":           "save_skill('s', 'x = \"' + address + '\"', 'of ' + address)\nload_skill('s'), [k.description for k in list_skills()]",
		"search":          "search.hybrid_search('x', collection='open ' + address)",
		"tool arguments":  "call_mcp_tool('mcp__mail__log', {'to': address})",
		"restored":        "t = sanitize_pii(address)\nassert t != address\ntry:\n    print(restore_pii(t))\nexcept PermissionError as e:\n    print(e)\nt",
		"unknown tool":    "call_mcp_tool('mcp__mail__' + address, {})",
		"cut":             "[address] * 400000",
		"progress, error": "print(address)\n[address].index('x ' + address)",
	} {
		r, progress := run("bob", source)
		if all := everything(r, progress); strings.Contains(all, private) || strings.Contains(all, "ann.smith") {
			t.Errorf("%s: %.500s", name, all)
		}
		if strings.Contains(name, "output") && (len(progress) != 1 || !strings.Contains(progress[0], "[EMAIL_")) {
			t.Errorf("%s: progress %q", name, progress)
		}
	}
	// ann's server hides nothing for her.
	if r, _ := run("ann", "address"); string(r.Result) != `"`+private+`"` {
		t.Errorf("%s %+v", r.Result, r.Error)
	}
	// A sink gets the value, also when the program only has the token.
	r, _ := run("bob", "token = sanitize_pii(address)\ncall_mcp_tool('mcp__mail__send', {'to': token}), call_mcp_tool('mcp__mail__send', {'to': address})")
	if r.Error != nil || strings.Contains(string(r.Result), private) || strings.Count(string(r.Result), "[EMAIL_") != 2 {
		t.Errorf("%s %+v", r.Result, r.Error)
	}
	for _, told := range box.told {
		if strings.HasPrefix(told, "send") != (told == "send: "+private) || strings.HasPrefix(told, "log") && !strings.HasPrefix(told, "log: [EMAIL_") {
			t.Errorf("the server was told %q", told)
		}
	}
	if len(box.told) != 3 {
		t.Errorf("%d calls reached the server: %q", len(box.told), box.told)
	}
	// A direct call is the same service; restoring is for those who may.
	ctx := identity.NewContext(t.Context(), p.ids["bob"])
	token, err := h.Service(ctx, codeapi.MethodSanitize, codeapi.PIIArgs{Value: json.RawMessage(`{"to": "` + private + `", "n": 12345678901234567890}`)})
	if err != nil || strings.Contains(string(token), private) || !strings.Contains(string(token), "12345678901234567890") {
		t.Fatalf("%s %v", token, err)
	}
	var refused *codeapi.Failure
	if _, err := h.Service(ctx, codeapi.MethodRestore, codeapi.PIIArgs{Value: token}); !errors.As(err, &refused) || refused.Class != "PermissionError" {
		t.Errorf("restored for bob: %v", err)
	}
	may := p.ids["bob"]
	may.RestorePII = true
	if back, err := h.Service(identity.NewContext(t.Context(), may), codeapi.MethodRestore, codeapi.PIIArgs{Value: token}); err != nil || !strings.Contains(string(back), private) {
		t.Errorf("%s %v", back, err)
	}
	// bob's tokens are nothing in ann's vault.
	ann := p.ids["ann"]
	ann.RestorePII = true
	if back, err := h.Service(identity.NewContext(t.Context(), ann), codeapi.MethodRestore, codeapi.PIIArgs{Value: token}); err != nil || string(back) != string(token) {
		t.Errorf("ann restored %s %v", back, err)
	}
	if _, err := h.Service(ctx, codeapi.MethodSanitize, codeapi.PIIArgs{Value: token, Kinds: []string{"shoe"}}); err == nil {
		t.Error("an unknown kind was taken")
	}
	// The log has it only where nothing is hidden.
	if err := p.audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if n, err := audit.New(p.pool).Export(t.Context(), &log, audit.Filter{IdentityID: p.ids["bob"].ID}); err != nil || n < 20 || strings.Contains(log.String(), "ann.smith") {
		t.Errorf("%d runs, %v: %.2000s", n, err, log.String())
	}
	if found := pii.Find(log.String(), pii.SetOf(pii.Email)); len(found) > 0 {
		t.Errorf("addresses in the log: %v", found)
	}
}
