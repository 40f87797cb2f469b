package identity

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMatchAgainstRegexp(t *testing.T) {
	patterns := []string{"", "*", "a", "a*", "*a", "a*b", "*a*", "a*a", "ab*ba", "a**b", "*ab*ab*", "mcp__*__x"}
	names := []string{"", "a", "b", "ab", "aa", "aba", "abba", "abab", "ababab", "xabyabz", "mcp__fs__x", "mcp__x", "mcp____x", "a.b", "a\nb"}
	for _, p := range patterns {
		slow := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, `.*`) + `$`)
		for _, n := range names {
			if got, want := match(p, n), slow.MatchString(n); got != want {
				t.Errorf("match(%q, %q) = %v", p, n, got)
			}
		}
	}
}

func TestRights(t *testing.T) {
	id := Identity{Name: "a", Policy: Policy{
		Collections: []string{"go", "team-*"},
		AllowTools:  []string{"search", "mcp__fs__*", "mcp__db__drop"}, DenyTools: []string{"mcp__fs__admin_*"},
		Destructive: []string{"mcp__fs__write", "mcp__fs__admin_wipe", "mcp__git__push"},
	}}
	for name, want := range map[string]bool{"go": true, "team-x": true, "team-": true, "Go": false, "gopher": false, "": false, "*": false} {
		if id.MayRead(name) != want {
			t.Errorf("collection %q: %v", name, !want)
		}
	}
	for _, c := range []struct {
		tool        string
		destructive bool
		why         string
	}{
		{"search", false, ""}, {"mcp__fs__read", false, ""}, {"mcp__fs__write", true, ""}, {"mcp__fs__write", false, ""},
		{"mcp__db__drop", true, ""}, {"mcp__git__push", true, ""}, {"mcp__git__push", false, ""},
		{"mcp__fs__move", true, "destructive"}, {"mcp__fs__*", true, "destructive"}, {"mcp__git__pull", true, "not among"}, {"mcp__git__log", false, "not among"},
		{"mcp__fs__admin_x", false, "not among"}, {"mcp__fs__admin_wipe", true, "not among"},
	} {
		err := id.MayCall(c.tool, c.destructive)
		var denied *Denied
		if (err == nil) != (c.why == "") || err != nil && (!errors.As(err, &denied) || !strings.Contains(denied.Why, c.why)) {
			t.Errorf("%s, destructive %v: %v", c.tool, c.destructive, err)
		}
	}
	// Patterns of other servers' tools alone leave the tools of this server as they are.
	for _, c := range []struct {
		allow, deny []string
		tool        string
		may         bool
	}{
		{[]string{"mcp__github__*"}, nil, "execute_code", true},
		{[]string{"mcp__github__*"}, nil, "mcp__github__list", true},
		{[]string{"mcp__github__*"}, nil, "mcp__fs__list", false},
		{[]string{"mcp__github__*"}, []string{"save_*"}, "save_skill", false},
		{[]string{"mcp__github__*", "search_tools"}, nil, "execute_code", false},
		{[]string{"execute_code"}, nil, "mcp__github__list", false},
		{[]string{"*"}, nil, "mcp__github__list", true},
	} {
		p := Policy{AllowTools: c.allow, DenyTools: c.deny}
		if err := (Identity{Policy: p}).MayCall(c.tool, false); (err == nil) != c.may {
			t.Errorf("%v without %v, %s: %v", c.allow, c.deny, c.tool, err)
		}
	}
	if (Identity{}).MayRead("x") {
		t.Error("who has no rights may read")
	}
	if err := (Identity{}).MayCall("x", false); err != nil {
		t.Error(err)
	}
	if err := (Identity{}).MayCall("x", true); err == nil {
		t.Error("a destructive tool is allowed to all")
	}
}

func TestContext(t *testing.T) {
	if _, ok := FromContext(t.Context()); ok {
		t.Error("an identity out of nowhere")
	}
	if id, ok := FromContext(NewContext(t.Context(), Identity{ID: 7})); !ok || id.ID != 7 {
		t.Error(id, ok)
	}
}

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2)
		allow := func(key string) (time.Duration, bool) { return l.Allow(key, 60, 2) }
		for range 2 {
			if _, ok := allow("a"); !ok {
				t.Fatal("the burst is refused")
			}
		}
		wait, ok := allow("a")
		if ok || wait <= 0 || wait > time.Second {
			t.Fatalf("third of a burst of two: %v, %v", wait, ok)
		}
		if again, ok := allow("a"); ok || again != wait {
			t.Errorf("being refused costs: %v, %v", again, ok) // refusals take nothing from the bucket
		}
		if _, ok := allow("b"); !ok {
			t.Error("another's requests count")
		}
		time.Sleep(wait)
		if _, ok := allow("a"); !ok {
			t.Error("refused after the wait that it named")
		}
		if _, ok := allow("a"); ok {
			t.Error("more than the rate")
		}
		if _, ok := l.Allow("a", 0, 0); !ok {
			t.Error("no rate is a bound")
		}
		for i, want := range []bool{true, false} { // the default burst of a small rate is 1
			if _, ok := l.Allow("c", 5, 0); ok != want {
				t.Errorf("request %d: %v", i, ok)
			}
		}
	})
}

func TestGate(t *testing.T) {
	g := NewGate()
	leave, ok := g.Enter("a", 2)
	if !ok {
		t.Fatal("closed")
	}
	if _, ok = g.Enter("a", 2); !ok {
		t.Fatal("the second place is taken")
	}
	if _, ok = g.Enter("a", 2); ok {
		t.Error("a third place of two")
	}
	if _, ok = g.Enter("b", 1); !ok {
		t.Error("another's places count")
	}
	leave()
	leave()
	if _, ok = g.Enter("a", 2); !ok {
		t.Error("the place was not given back")
	}
	if _, ok = g.Enter("a", 2); ok {
		t.Error("a place was given back twice")
	}
}

func FuzzToken(f *testing.F) {
	f.Add(mintToken())
	f.Add("bmcis_")
	f.Add("bmcis_" + strings.Repeat("7", tokenLetters))
	f.Fuzz(func(t *testing.T, text string) {
		_, err := hashToken(text)
		if err == nil && !regexp.MustCompile(`^bmcis_[a-z2-7]{58}$`).MatchString(text) {
			t.Errorf("%q is taken for a token", text)
		}
		// A token with one letter changed is malformed: CRC-32 finds every such error.
		if err == nil {
			for i := range text[len(tokenPrefix):] {
				b := []byte(text)
				if b[len(tokenPrefix)+i] = 'a'; string(b) == text {
					b[len(tokenPrefix)+i] = 'b'
				}
				if _, err := hashToken(string(b)); err == nil {
					t.Fatalf("%q is taken for a token beside %q", b, text)
				}
			}
		}
	})
}
