package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func lookup(m map[string]string) func(string) (string, bool) {
	return func(k string) (string, bool) { v, ok := m[k]; return v, ok }
}

func TestParseAsClientsWriteIt(t *testing.T) {
	c, err := parse([]byte("\xEF\xBB\xBF"+`{
		"$schema": "x", "inputs": [{"id": "token"}],
		"mcpServers": {
			"github": {"command": "npx", "args": ["-y", "server-github@${VERSION:-1}"], "env": {"GITHUB_TOKEN": "${TOKEN}", "MODE": "a$b${EMPTY:-c}"},
				"cwd": "${HOME_DIR}/x", "disabledTools": ["delete_*"], "autoApprove": ["x"], "timeout": 60, "callTimeout": "90s"},
			"brave-search": {"type": "streamable-http", "url": "https://h.example/${PATH_PART}?key=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}},
			"old.one": {"type": "sse", "url": "http://127.0.0.1:1/sse"},
			"gemini": {"httpUrl": "http://127.0.0.1:2/mcp", "includeTools": ["a"], "trust": true},
			"plain": {"url": "http://127.0.0.1:3/mcp"},
			"off": {"command": "x ${UNSET}", "disabled": true}
		}}`), lookup(map[string]string{"TOKEN": "tok-123456", "EMPTY": "", "HOME_DIR": "/h", "PATH_PART": "mcp"}))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Server{}
	var order []string
	for _, s := range c.Servers {
		by[s.Name] = s
		order = append(order, s.Name)
	}
	if want := []string{"github", "brave-search", "old.one", "gemini", "plain", "off"}; !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	g := by["github"]
	if g.Transport != Stdio || g.Args[1] != "server-github@1" || g.Env["GITHUB_TOKEN"] != "tok-123456" || g.Env["MODE"] != "a$bc" || g.Cwd != "/h/x" {
		t.Errorf("github %+v", g)
	}
	if !slices.Equal(g.DeniedTools, []string{"delete_*"}) || g.CallTimeout != 90*time.Second {
		t.Errorf("github %+v", g)
	}
	b := by["brave-search"]
	if b.Transport != HTTP || b.URL != "https://h.example/mcp?key=tok-123456" || b.Headers["Authorization"] != "Bearer tok-123456" {
		t.Errorf("brave-search %+v", b)
	}
	if got := mask("Post "+b.URL+": Bearer tok-123456", b.secrets); strings.Contains(got, "tok-") {
		t.Errorf("masked: %s", got)
	}
	if by["old.one"].Transport != SSE || by["gemini"].Transport != HTTP && by["gemini"].Transport != auto || by["plain"].Transport != auto || !by["off"].Disabled {
		t.Errorf("transports: %+v", c.Servers)
	}
	if !slices.Equal(by["gemini"].AllowedTools, []string{"a"}) {
		t.Errorf("gemini %+v", by["gemini"])
	}
	notes := strings.Join(c.Notes, "\n")
	for _, want := range []string{`key "inputs" is ignored`, `server "github": key "autoApprove" is ignored: calls are allowed by policy`, `"timeout" is ignored: clients disagree`, `"trust"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %s:\n%s", want, notes)
		}
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"mcpServer": {}}`, `unknown key "mcpServer"; did you mean "mcpServers"?`},
		{`{}`, `no "mcpServers" object`},
		{`[]`, `must be a JSON object`},
		{"{\n  \"mcpServers\": {\n    // mine\n", `line 3, column 5`},
		{"{\n  // mine\n}", `JSON has no comments`},
		{"{\"mcpServers\": {},\n}", `no comma after the last item`},
		{`{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`, `key "a" comes twice`},
		{`{"mcpServers": {"a": {"comand": "x"}}}`, `unknown key "comand"; did you mean "command"?`},
		{`{"mcpServers": {"a": {"command": "x", "disabledTool": ["y"]}}}`, `did you mean "disabledTools"?`},
		{`{"mcpServers": {"a": {"command": "x", "deniedtools": ["y"]}}}`, `did you mean "deniedTools"?`},
		{`{"mcpServers": {"a": {"command": "x", "frobnicate": 1}}}`, `unknown key "frobnicate"; there are type, command`},
		{`{"mcpServers": {"a": {}}}`, `needs a "command" to start or a "url" to call`},
		{`{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}`, `keep one`},
		{`{"mcpServers": {"a": {"type": "http", "command": "x"}}}`, `type "http" needs a "url"`},
		{`{"mcpServers": {"a": {"type": "websocket", "url": "ws://y"}}}`, `none of stdio, http, sse`},
		{`{"mcpServers": {"a": {"url": "ftp://y"}}}`, `no http or https address`},
		{`{"mcpServers": {"a": {"url": "http://y", "env": {"A": "b"}}}}`, `belong to a "command"`},
		{`{"mcpServers": {"a": {"command": "x", "headers": {"A": "b"}}}}`, `"headers" belong to a "url"`},
		{`{"mcpServers": {"a": {"command": "x", "args": "y"}}}`, `"args" must be a list of strings, not "y"`},
		{`{"mcpServers": {"a": {"command": "x", "env": {"N": 1}}}}`, `"env" must be an object of strings`},
		{`{"mcpServers": {"a": {"command": "x", "env": {"N": "${MISSING}"}}}}`, `server "a": env N: the environment variable MISSING is not set`},
		{`{"mcpServers": {"a": {"command": "x", "args": ["${input:key}"]}}}`, `asks a person`},
		{`{"mcpServers": {"a": {"command": "x", "args": ["${A B}"]}}}`, `${A B} is no variable`},
		{`{"mcpServers": {"a": {"command": "x", "args": ["${A"]}}}`, `no closing brace`},
		{`{"mcpServers": {"a": {"command": "x", "callTimeout": 60}}}`, `"callTimeout" must be a time like "20s" or "2m", not 60`},
		{`{"mcpServers": {"a": {"command": "x", "envFile": ".env"}}}`, `key "envFile" is not supported; write its variables into env`},
		{`{"mcpServers": {"a__b": {"command": "x"}}}`, `server "a__b": a name has letters`},
		{`{"mcpServers": {"../x": {"command": "x"}}}`, `a name has letters`},
		{`{"mcpServers": {"a_": {"command": "x"}}}`, `a name has letters`},
		{`{"mcpServers": {"a": {"url": "http://y", "headers": {"X Y": "b"}}}}`, `header "X Y" is not a valid HTTP header`},
		{`{"mcpServers": {"a": {"url": "http://y", "headers": {"X": "b\r\nInjected: 1"}}}}`, `not a valid HTTP header`},
		{`{"mcpServers": {"a": {"url": "http://y", "serverUrl": "http://z"}}}`, `"url" and "serverUrl" say the same`},
	} {
		if _, err := parse([]byte(c.json), lookup(nil)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got  %v\n want %s", c.json, err, c.want)
		}
	}
	// All that is wrong is told at once.
	_, err := parse([]byte(`{"mcpServers": {"a": {"comand": "x"}, "b": {"url": "http://x", "typ": "sse"}}}`), lookup(nil))
	if err == nil || strings.Count(err.Error(), "\n") < 2 || !strings.Contains(err.Error(), `server "b": unknown key "typ"`) {
		t.Errorf("got %v", err)
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"a": {"command": "x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(path); err != nil || len(c.Servers) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"command": "x", "args": ["${A:-b}"], "env": {"K": "${V}"}}}}`))
	f.Add([]byte(`{"servers": {"a": {"url": "http://x/y?k=v", "headers": {"A": "b"}, "callTimeout": "1m"}}}`))
	f.Add([]byte(`{"mcpServers": {"a": {"command": "x"}, "a": {}}} `))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parse(b, lookup(map[string]string{"A": "1", "V": "secret"}))
		if err != nil {
			return
		}
		for _, s := range c.Servers {
			if _, _, ok := splitQualified(qualifiedName(s.Name, "t")); !ok {
				t.Errorf("server %q has no qualified names", s.Name)
			}
			if !s.Disabled && s.Command == "" && s.URL == "" {
				t.Errorf("server %+v can neither be started nor called", s)
			}
		}
	})
}
