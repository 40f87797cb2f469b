package upstream

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func problemsText(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Server + ": " + p.Message + "\n")
	}
	return b.String()
}

func toolNames(tools []Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.QualifiedName
	}
	return out
}

func TestHostileNames(t *testing.T) {
	m := hostileManager(t, "names")
	tools, problems := m.Tools(t.Context())
	functions := map[string]string{}
	for _, tool := range tools {
		if functions[tool.Function] != "" {
			t.Errorf("%q and %q are both %s in programs", functions[tool.Function], tool.Name, tool.Function)
		}
		functions[tool.Function] = tool.Name
		if tool.QualifiedName != filepath.Base(tool.QualifiedName) || strings.ContainsAny(tool.QualifiedName, "/\\ ") {
			t.Errorf("%q is not safe as a file's name", tool.QualifiedName)
		}
		// Every tool can be called by the name it has here and is called by its own.
		r, err := m.Call(t.Context(), tool.QualifiedName, nil, Policy{Allow: []string{tool.QualifiedName}})
		if err != nil || r.Text != "called "+tool.Name {
			t.Errorf("%s: %q, %v", tool.QualifiedName, r.Text, err)
		}
	}
	for function, name := range map[string]string{
		"etc_passwd": "../../etc/passwd", "a_b": "a_b", "import_": "import", "_3d": "3d", "no_schema": "no_schema", "mcp__other__tool": "mcp__other__tool",
	} {
		if functions[function] != name {
			t.Errorf("%s is %q, want %q", function, functions[function], name)
		}
	}
	text := problemsText(problems)
	for _, want := range []string{"has no name", "more than 128 bytes", "invisible characters", "is listed twice", "is not described as tools are", "another one is a_b", "counts as destructive"} {
		if !strings.Contains(text, want) {
			t.Errorf("problems lack %q:\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\u202e\x00") {
		t.Errorf("problems hold what a terminal would obey: %q", text)
	}
	_, err := m.Call(t.Context(), "mcp__h__odd_marks", nil, all)
	wantError(t, err, KindPolicy, "marked destructive")
}

func TestTooManyTools(t *testing.T) {
	m := newManager(t, Options{MaxTools: 3000}, hostileServer("h", "many"), hostileServer("ok", "typed"))
	tools, problems := m.Tools(t.Context())
	if len(tools) != 3001 || !strings.Contains(problemsText(problems), "too long; the first 3000 are used") {
		t.Errorf("%d tools, problems:\n%s", len(tools), problemsText(problems))
	}
	_, err := m.Call(t.Context(), "mcp__h__tool_00999", nil, all)
	if err != nil {
		t.Error(err)
	}
	_, err = m.Call(t.Context(), "mcp__h__toool_00001", nil, all)
	wantError(t, err, KindUnknownTool, `did you mean "mcp__h__tool_00001"?`)
}

func TestListsThatFail(t *testing.T) {
	for _, c := range []struct {
		mode     string
		kind     Kind
		words    string
		unusable bool
		tools    int
	}{
		{"list_garbage", KindGarbage, "its list of tools is none", true, 0},
		{"list_error", KindUpstream, "the moon is full", true, 0},
		{"list_huge", KindTooLarge, "more than the 2 MiB allowed", true, 0},
		{"loop", "", "repeats a page", false, 2},
		{"pages", "", "", false, 2},
	} {
		m := hostileManager(t, c.mode)
		tools, problems := m.Tools(t.Context())
		if len(tools) != c.tools || !strings.Contains(problemsText(problems), c.words) || (len(problems) > 0 && problems[0].Unusable != c.unusable) {
			t.Errorf("%s: %d tools, %+v", c.mode, len(tools), problems)
		}
		_, err := call(t, m, "anything", "")
		if c.kind != "" {
			if e := wantError(t, err, c.kind, c.words); e.MayHaveActed {
				t.Errorf("%s: nothing was asked of any tool", c.mode)
			}
		} else {
			wantError(t, err, KindUnknownTool, `server "h" has no tool`)
		}
	}
}

// One bad server costs its own tools only.
func TestCatalogueOfManyServers(t *testing.T) {
	off := hostileServer("off", "typed")
	off.Disabled = true
	m := newManager(t, Options{}, hostileServer("zz", "typed"), hostileServer("dead", "exit"), hostileServer("a-b", "pages"), hostileServer("a.b", "typed"), off)
	tools, problems := m.Tools(t.Context())
	if got := strings.Join(toolNames(tools), " "); got != "mcp__a-b__first mcp__a-b__second mcp__a.b__create-issue mcp__zz__create-issue" {
		t.Errorf("tools %s", got)
	}
	text := problemsText(problems)
	if !strings.Contains(text, `server "dead" cannot be used`) || !strings.Contains(text, `server "a.b" is servers.a_b_2 in programs: another one is servers.a_b`) {
		t.Errorf("problems:\n%s", text)
	}
	for _, c := range []struct {
		name  string
		kind  Kind
		words string
	}{
		{"mcp__off__create-issue", KindUnknownServer, `there is no server "off"`},
		{"mcp__daed__create-issue", KindUnknownServer, `did you mean "dead"?`},
		{"mcp__nothing-like-it__x", KindUnknownServer, "there are zz, dead, a-b, a.b"},
		{"mcp__zz__create_issue", KindUnknownTool, `its name is "mcp__zz__create-issue"`},
		{"mcp__zz__create-isue", KindUnknownTool, `did you mean "mcp__zz__create-issue"?`},
		{"create_issue", KindUnknownTool, "write mcp__server__tool"},
	} {
		_, err := m.Call(t.Context(), c.name, nil, all)
		wantError(t, err, c.kind, c.words)
	}
}

func TestConfigHidesTools(t *testing.T) {
	s := hostileServer("h", "marked")
	s.AllowedTools, s.DeniedTools, s.DestructiveTools = []string{"re*", "wipe", "drop_all", "plain"}, []string{"pl*n", "wype"}, []string{"drop_*"}
	m := newManager(t, Options{}, s)
	tools, problems := m.Tools(t.Context())
	if got := strings.Join(toolNames(tools), " "); got != "mcp__h__drop_all mcp__h__read mcp__h__wipe" {
		t.Errorf("tools %s", got)
	}
	if text := problemsText(problems); !strings.Contains(text, `deniedTools: no tool is called "wype"; did you mean "wipe"?`) {
		t.Errorf("problems:\n%s", text)
	}
	_, err := call(t, m, "plain", "")
	wantError(t, err, KindPolicy, `kept back by the config of server "h"`)
	for _, tool := range []string{"wipe", "drop_all"} {
		_, err = call(t, m, tool, "")
		wantError(t, err, KindPolicy, "marked destructive", `add its full name "mcp__h__`+tool+`"`)
		if _, err := m.Call(t.Context(), "mcp__h__"+tool, nil, Policy{Allow: []string{"mcp__h__" + tool}}); err != nil {
			t.Error(err)
		}
	}
	mustCall(t, m, "read", "", `"called read"`)
}

// What the policy can never allow does not even start the server.
func TestPolicyComesBeforeTheConnection(t *testing.T) {
	m := hostileManager(t, "tools")
	_, err := m.Call(t.Context(), "mcp__h__echo", nil, Policy{Identity: "bob", Allow: []string{"mcp__other__*"}})
	wantError(t, err, KindPolicy, "bob may not call mcp__h__echo")
	if m.Status()[0].Connected {
		t.Error("the server was started")
	}
}

func TestChangedListsAreHeeded(t *testing.T) {
	m := hostileManager(t, "changing")
	has := func(name string) bool {
		tools, _ := m.Tools(t.Context())
		return strings.Contains(strings.Join(toolNames(tools), " "), name)
	}
	for range 2 {
		if !has("generation_1") {
			t.Fatal("the first list is not kept")
		}
	}
	mustCall(t, m, "echo", "", "{}") // which tells of a change
	if !has("generation_2") || has("generation_1") {
		t.Error("the change was not heeded")
	}
	_, err := call(t, m, "generation_1", "")
	wantError(t, err, KindUnknownTool, "generation_2")
}

func TestCatalogueOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	first := newManager(t, Options{CacheDir: dir}, hostileServer("h", "typed"))
	want, _ := first.Tools(t.Context())
	if len(want) != 1 {
		t.Fatalf("tools %v", want)
	}
	second := newManager(t, Options{CacheDir: dir}, hostileServer("h", "typed"))
	got, problems := second.Tools(t.Context())
	if len(got) != 1 || len(problems) != 0 || got[0].QualifiedName != want[0].QualifiedName || string(got[0].OutputSchema) != string(want[0].OutputSchema) {
		t.Errorf("from disk %+v, %v", got, problems)
	}
	if second.Status()[0].Connected {
		t.Error("the server was started for what is on disk")
	}
	// Another config is another server.
	other := hostileServer("h", "pages")
	third := newManager(t, Options{CacheDir: dir}, other)
	if tools, _ := third.Tools(t.Context()); len(tools) != 2 {
		t.Errorf("tools of another server: %v", toolNames(tools))
	}
	// What is broken on disk is as if it were not there.
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
		if err := os.WriteFile(f, []byte(`{"version":1,"tools":[`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fourth := newManager(t, Options{CacheDir: dir}, hostileServer("h", "typed"))
	if tools, _ := fourth.Tools(t.Context()); len(tools) != 1 {
		t.Errorf("tools %v", toolNames(tools))
	}
}

func TestArgumentsAreCheckedBeforeTheCall(t *testing.T) {
	m := hostileManager(t, "typed")
	for args, want := range map[string]string{
		`{}`:                                 `argument "owner" is missing; give it a string`,
		`{"owner":5}`:                        `argument "owner" must be a string, not the number 5; pass "5" in quotes`,
		`{"ownr":"x"}`:                       `there is no argument "ownr"; did you mean "owner"?`,
		`{"owner":"x","zzz":1}`:              `there is no argument "zzz"; the tool takes count, labels, owner, state`,
		`{"owner":"x","count":"3"}`:          `argument "count" must be an integer, not the string "3"; pass 3 without quotes`,
		`{"owner":"x","count":0}`:            `argument "count" must be at least 1, not 0`,
		`{"owner":"x","count":1.5}`:          `argument "count" must be an integer, not the number 1.5`,
		`{"owner":"x","state":"closd"}`:      `argument "state" must be one of "open","closed", not the string "closd"; did you mean "closed"?`,
		`{"owner":"x","labels":"bug"}`:       `argument "labels" must be a list, not the string "bug"; pass a list, even of one`,
		`{"owner":"x","labels":["a",1]}`:     `argument "labels[1]" must be a string`,
		`{"owner":null}`:                     `argument "owner" must be a string, not null; leave it out, or give it a value`,
		`["x"]`:                              `the arguments must be an object of names and values, not a list of 1`,
		`{"owner":"x"} trailing`:             `not JSON`,
		`{"owner":"x"`:                       `not JSON`,
		`{"owner":"x","labels":"[\"a\"]"}`:   `pass the value itself, not JSON text`,
		`{"owner":"x","state":"open","o":1}`: `there is no argument "o"`,
	} {
		_, err := call(t, m, "create-issue", args)
		wantError(t, err, KindArguments, "mcp__h__create-issue: ", want)
	}
	mustCall(t, m, "create-issue", `{"owner":"x","count":2,"labels":[]}`, `"called create-issue"`)
}

func TestSignatures(t *testing.T) {
	m := hostileManager(t, "typed")
	tools, _ := m.Tools(t.Context())
	want := `create_issue(owner: str, count: int = None, labels: list[str] = None, state: "open" | "closed" = None) -> {"id": int}`
	if got := Signature(tools[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Describe(tools[0], WithDescription); got != "mcp__h__create-issue: Creates an issue" {
		t.Errorf("got %s", got)
	}
	full := Describe(tools[0], Full)
	for _, w := range []string{"from servers.h import create_issue", "Needs a token.", `"minimum":1`, "output schema: "} {
		if !strings.Contains(full, w) {
			t.Errorf("full description lacks %q:\n%s", w, full)
		}
	}
	for schema, want := range map[string]string{
		`{}`: "f()",
		`{"properties":{"a":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":["null","string"]}}}`:                                "f(a: str | None = None)",
		`{"properties":{"a":{"$ref":"#"}}}`:                                                                                 `f(a: {"a"?: dict} = None)`,
		`{"properties":{"a":{"type":"integer","default":5},"b":{"anyOf":[{"type":"null"},{"type":"number"}]}}}`:             "f(a: int = 5, b: float | None = None)",
		`{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"const":"y"}}}}},"required":["a"]}`: `f(a: list[{"x"?: "y"}])`,
		`nonsense`: "f()",
	} {
		if got := Signature(Tool{Function: "f", InputSchema: json.RawMessage(schema)}); got != want {
			t.Errorf("%s\n got  %s\n want %s", schema, got, want)
		}
	}
}

func TestToolsEndWithTheContext(t *testing.T) {
	m := hostileManager(t, "deaf")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, problems := m.Tools(ctx)
	if len(problems) != 1 || !problems[0].Unusable || !strings.Contains(problems[0].Message, "cancelled") {
		t.Errorf("%+v", problems)
	}
}
