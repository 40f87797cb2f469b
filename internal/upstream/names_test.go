package upstream

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
)

func TestPythonNames(t *testing.T) {
	for name, want := range map[string]string{
		"create_issue": "create_issue", "create-issue": "create_issue", "a.b": "a_b", "createIssue": "createIssue",
		"import": "import_", "None": "None_", "3d": "_3d", "-": "tool", "../../etc/passwd": "etc_passwd", "größe": "gr__e",
		"поиск": "tool", "__init__": "__init__", "a b": "a_b", "_private": "_private", "": "tool",
	} {
		if got := pythonName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func TestNamesDoNotDependOnOrder(t *testing.T) {
	unchanged := func(n, mapped string) bool { return n == mapped }
	a := uniqueNames([]string{"a-b", "a_b", "a.b", "a b", "a_b_2"}, pythonName, unchanged)
	b := uniqueNames([]string{"a_b_2", "a b", "a.b", "a_b", "a-b"}, pythonName, unchanged)
	if !maps.Equal(a, b) {
		t.Fatalf("%v and %v", a, b)
	}
	if a["a_b"] != "a_b" || a["a_b_2"] != "a_b_2" {
		t.Errorf("plain names must keep their place: %v", a)
	}
	seen := map[string]bool{}
	for _, n := range a {
		if seen[n] {
			t.Errorf("%q twice in %v", n, a)
		}
		seen[n] = true
	}
	var many []string
	for i := range 20_000 {
		many = append(many, strings.Repeat("-", i%100)+fmt.Sprint("+", i/100, "+"))
	}
	if got := uniqueNames(many, func(string) string { return "same" }, unchanged); len(got) != len(many) {
		t.Errorf("%d names of %d", len(got), len(many))
	}
}

func TestQualifiedNames(t *testing.T) {
	for _, c := range []struct{ server, tool, want string }{
		{"github", "create_issue", "mcp__github__create_issue"},
		{"a-b.c", "x.y", "mcp__a-b.c__x.y"},
		{"s", "../../etc/passwd", "mcp__s___.._etc_passwd"},
		{"s", "__x", "mcp__s____x"},
	} {
		got := qualifiedName(c.server, c.tool)
		if got != c.want {
			t.Errorf("%s and %s make %q, want %q", c.server, c.tool, got, c.want)
		}
		if server, _, ok := splitQualified(got); !ok || server != c.server {
			t.Errorf("%q is of server %q, not %q", got, server, c.server)
		}
	}
	for _, bad := range []string{"", "x", "mcp__", "mcp__a", "mcp__a__", "mcp____b", "MCP__a__b"} {
		if _, _, ok := splitQualified(bad); ok {
			t.Errorf("%q was taken apart", bad)
		}
	}
}

// A slow, obvious matcher beside the fast one.
func FuzzMatches(f *testing.F) {
	f.Add("mcp__*__delete_*", "mcp__github__delete_repo")
	f.Add("a*a", "a")
	f.Add("*", "")
	f.Add("a**b*", "a*b")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 30 || strings.Contains(name, "\n") {
			return
		}
		re, err := regexp.Compile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `$`)
		if err != nil {
			return
		}
		if got, want := matches(pattern, name), re.MatchString(name); got != want {
			t.Errorf("%q and %q: %v, want %v", pattern, name, got, want)
		}
	})
}

func TestPolicy(t *testing.T) {
	yes := true
	plain := Tool{Server: "g", Name: "list", QualifiedName: "mcp__g__list"}
	wipe := Tool{Server: "g", Name: "wipe", QualifiedName: "mcp__g__wipe", Annotations: Annotations{Destructive: &yes}}
	both := Tool{QualifiedName: "mcp__g__both", Annotations: Annotations{Destructive: &yes, ReadOnly: &yes}}
	marked := Tool{QualifiedName: "mcp__g__marked", destructive: true, Annotations: Annotations{ReadOnly: &yes}}
	for _, c := range []struct {
		name   string
		policy Policy
		tool   Tool
		want   string // of the message, "" for allowed
	}{
		{"nothing is allowed by default", Policy{}, plain, "this caller may not call mcp__g__list"},
		{"a pattern", Policy{Allow: []string{"mcp__g__*"}}, plain, ""},
		{"another server's pattern", Policy{Identity: "ann", Allow: []string{"mcp__h__*"}}, plain, `add "mcp__g__list" to the tools allowed to ann`},
		{"a destructive one by a pattern", Policy{Identity: "ann", Allow: []string{"*"}}, wipe, `mcp__g__wipe is marked destructive, and ann is allowed it by a pattern only; add its full name "mcp__g__wipe"`},
		{"a destructive one by name", Policy{Allow: []string{"mcp__g__wipe"}}, wipe, ""},
		{"denied beats allowed", Policy{Allow: []string{"mcp__g__wipe"}, Deny: []string{"*wipe"}}, wipe, `denied to this caller by "*wipe"`},
		{"read-only and destructive at once", Policy{Allow: []string{"*"}}, both, ""},
		{"marked by the config", Policy{Allow: []string{"*"}}, marked, "marked destructive"},
	} {
		err := c.policy.Check(c.tool)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		wantError(t, err, KindPolicy, c.want)
	}
}
