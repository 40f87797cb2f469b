package skills

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// people makes identities and returns their ids.
func people(t testing.TB, pool *pgxpool.Pool, names ...string) []int64 {
	t.Helper()
	ids := make([]int64, len(names))
	for i, name := range names {
		if err := pool.QueryRow(t.Context(), `insert into identities (name) values ($1) returning id`, name).Scan(&ids[i]); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

const highRisk = `import json
from statistics import mean

def filter_high_risk(vulns: list[dict], level: str = "high", *, limit=None):
    """Keep vulnerabilities
    of a high severity.

    More words.
    """
    from re import match
    return [v for v in vulns if v["severity"] in ["high", "critical"]]
`

func save(t testing.TB, s *Store, owner int64, name, code string) Saved {
	t.Helper()
	k, err := s.Save(t.Context(), owner, Draft{name, "does " + name, code})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func wants(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func second[T any](_ T, err error) error { return err }

func TestSkillFromSaveToRevocation(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	alice := people(t, pool, "alice")[0]
	s := New(pool)
	first, err := s.Save(ctx, alice, Draft{Name: "filter_high_risk", Code: strings.ReplaceAll(highRisk, "\n", "\r\n") + "\n\n"})
	if err != nil {
		t.Fatal(err)
	}
	if !first.NewVersion || first.Version != 1 || first.Owner != "alice" || !first.Own || first.Shared != "private" || first.Code != highRisk ||
		first.Digest != DigestOf(highRisk) || first.Description != "Keep vulnerabilities of a high severity." ||
		!reflect.DeepEqual(first.Modules, []string{"json", "re", "statistics"}) ||
		!reflect.DeepEqual(first.Inputs, []Input{{"vulns", true, "list[dict]"}, {"level", false, "str"}, {"limit", false, ""}}) {
		t.Errorf("%+v", first)
	}
	again, err := s.Save(ctx, alice, Draft{"filter_high_risk", "another description", highRisk})
	if err != nil || again.NewVersion || again.Version != 1 || again.Description != "another description" || !again.Created.Equal(first.Created) {
		t.Errorf("identical code: %+v, %v", again, err)
	}
	two := save(t, s, alice, "filter_high_risk", "def f(): return 2")
	back := save(t, s, alice, "filter_high_risk", highRisk)
	if !two.NewVersion || two.Version != 2 || !back.NewVersion || back.Version != 3 {
		t.Errorf("versions %d and %d", two.Version, back.Version)
	}
	got, err := New(pool).Load(ctx, alice, "filter_high_risk", 0) // as after a restart
	if err != nil || !reflect.DeepEqual(got, back.Skill) {
		t.Errorf("loaded %+v, %v\nsaved  %+v", got, err, back.Skill)
	}
	if got, err := s.Load(ctx, alice, "alice/filter_high_risk", 2); err != nil || got.Code != "def f(): return 2\n" {
		t.Errorf("%+v, %v", got, err)
	}
	wants(t, "version 9", second(s.Load(ctx, alice, "filter_high_risk", 9)), ErrNotFound)
	wants(t, "version -1", second(s.Load(ctx, alice, "filter_high_risk", -1)), ErrNotFound)
	err = second(s.Load(ctx, alice, "filter_hi_risk", 0))
	if wants(t, "misspelt", err, ErrNotFound); !strings.Contains(err.Error(), `did you mean "filter_high_risk"`) {
		t.Error(err)
	}

	if n, err := s.Revoke(ctx, alice, "filter_high_risk", 3); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if got, err := s.Load(ctx, alice, "filter_high_risk", 0); err != nil || got.Version != 2 {
		t.Errorf("after revoking version 3: %+v, %v", got, err)
	}
	wants(t, "version 3", second(s.Load(ctx, alice, "filter_high_risk", 3)), ErrRevoked)
	if n, err := s.Revoke(ctx, alice, "filter_high_risk", 0); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	wants(t, "all revoked", second(s.Load(ctx, alice, "filter_high_risk", 0)), ErrRevoked)
	wants(t, "revoke what is not there", second(s.Revoke(ctx, alice, "filter_high_risk", 9)), ErrNotFound)
	if list, _, err := s.List(ctx, alice, Query{}); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, _, err := s.List(ctx, alice, Query{Revoked: true}); err != nil || len(list) != 1 || list[0].Revoked == nil {
		t.Errorf("%+v, %v", list, err)
	}
	// Saving revoked code again is a decision, and a new version.
	if k := save(t, s, alice, "filter_high_risk", highRisk); !k.NewVersion || k.Version != 4 {
		t.Errorf("%+v", k)
	}
	list, err := s.Versions(ctx, alice, "filter_high_risk")
	if err != nil || len(list) != 4 || list[0].Version != 4 || list[0].Revoked != nil || list[1].Revoked == nil || list[3].Code != "" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestSharing(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob", "carol", "dave")
	alice, bob, carol, dave := ids[0], ids[1], ids[2], ids[3]
	s := New(pool)
	save(t, s, alice, "clean", "a = 1")
	save(t, s, carol, "clean", "c = 1")
	load := func(who int64, name string) string {
		t.Helper()
		k, err := s.Load(ctx, who, name, 0)
		switch {
		case errors.Is(err, ErrNotFound):
			return "not found"
		case errors.Is(err, ErrAmbiguous):
			return "ambiguous"
		case errors.Is(err, ErrRevoked):
			return "revoked"
		case err != nil:
			t.Fatal(err)
		}
		if k.Own != (who == map[string]int64{"alice": alice, "bob": bob, "carol": carol}[k.Owner]) {
			t.Errorf("own: %+v", k)
		}
		return k.Owner + " " + k.Shared
	}
	expect := func(when string, who int64, name, want string) {
		t.Helper()
		if got := load(who, name); got != want {
			t.Errorf("%s: %q is %q, want %q", when, name, got, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect("private", bob, "clean", "not found")
	expect("private", bob, "alice/clean", "not found")
	must(s.Share(ctx, alice, "clean", nil, true))
	expect("alice shares with everyone", bob, "clean", "alice everyone")
	expect("alice shares with everyone", alice, "clean", "alice everyone")
	expect("alice shares with everyone", carol, "clean", "carol private")
	expect("alice shares with everyone", carol, "alice/clean", "alice everyone")
	must(s.Share(ctx, carol, "clean", nil, true))
	expect("both share with everyone", bob, "clean", "ambiguous")
	expect("both share with everyone", bob, "carol/clean", "carol everyone")
	must(s.Share(ctx, carol, "clean", []string{"bob"}, false))
	expect("carol shares with bob", bob, "clean", "carol named")
	expect("carol shares with bob", dave, "clean", "ambiguous")
	save(t, s, bob, "clean", "b = 1")
	expect("bob has his own", bob, "clean", "bob private")

	// What is revoked keeps its place: nobody's code comes in its stead unseen.
	if _, err := s.Revoke(ctx, bob, "clean", 0); err != nil {
		t.Fatal(err)
	}
	expect("bob revoked his own", bob, "clean", "revoked")
	expect("bob revoked his own", bob, "carol/clean", "carol named")
	if _, err := s.Revoke(ctx, carol, "clean", 0); err != nil {
		t.Fatal(err)
	}
	expect("carol revoked", bob, "carol/clean", "revoked")
	if list, err := s.Versions(ctx, bob, "carol/clean"); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	must(s.Unshare(ctx, carol, "clean", []string{"bob"}, true))
	expect("carol shares no more", bob, "carol/clean", "not found")
	expect("carol shares no more", dave, "clean", "alice everyone")

	must(s.Share(ctx, alice, "clean", []string{"bob", "carol"}, false))
	must(s.Unshare(ctx, alice, "clean", nil, true))
	expect("alice shares by name", bob, "alice/clean", "alice named")
	expect("alice shares by name", alice, "clean", "alice named")
	expect("alice shares by name", dave, "clean", "not found")
	if names, err := s.Shares(ctx, alice, "clean"); err != nil || !reflect.DeepEqual(names, []string{"bob", "carol"}) {
		t.Errorf("%v, %v", names, err)
	}
	wants(t, "with nobody", s.Share(ctx, alice, "clean", []string{"dave", "nobody"}, false), ErrNotFound)
	expect("one of them unknown", dave, "clean", "not found")
	wants(t, "with oneself", s.Share(ctx, alice, "clean", []string{"alice"}, false), ErrInvalid)
	wants(t, "with none", s.Share(ctx, alice, "clean", nil, false), ErrInvalid)
	wants(t, "from none", s.Unshare(ctx, alice, "clean", nil, false), ErrInvalid)
}

// TestOthersSeeNothing: what is not shared is not there, and cannot be changed, shared,
// counted or shadowed.
func TestOthersSeeNothing(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "mallory")
	s := New(pool)
	original := save(t, s, ids[0], "secret", "x = 'alice'")
	save(t, s, ids[0], "open", "y = 1")
	if err := s.Share(ctx, ids[0], "open", []string{"mallory"}, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "alice/secret", "alice/secret' or '1'='1", "%", "alice/%", "s_cret", "/secret", "alice//secret", "", "/", "\x00", "\xff", "alice/\x00secret", "SECRET", "Alice/secret"} {
		for _, who := range []int64{ids[1], 0, -1} {
			wants(t, fmt.Sprintf("%d loads %q", who, name), second(s.Load(ctx, who, name, 0)), ErrNotFound)
			wants(t, fmt.Sprintf("%d lists versions of %q", who, name), second(s.Versions(ctx, who, name)), ErrNotFound)
		}
		for _, name := range []string{name, "open", "alice/open"} { // shared is not owned
			wants(t, "share "+name, s.Share(ctx, ids[1], name, []string{"mallory"}, true), ErrNotFound)
			wants(t, "unshare "+name, s.Unshare(ctx, ids[1], name, []string{"mallory"}, true), ErrNotFound)
			wants(t, "revoke "+name, second(s.Revoke(ctx, ids[1], name, 0)), ErrNotFound)
			wants(t, "shares of "+name, second(s.Shares(ctx, ids[1], name)), ErrNotFound)
		}
	}
	err := second(s.Load(ctx, ids[1], "secre", 0))
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells what is not mallory's to know: %v", err)
	}
	for _, q := range []Query{{}, {Text: "secret"}, {Revoked: true}, {Text: "%"}, {After: "alice/a"}} {
		list, _, err := s.List(ctx, ids[1], q)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			if k.Name != "open" {
				t.Errorf("%+v lists %+v", q, k)
			}
		}
	}
	// The same name is another skill.
	save(t, s, ids[1], "secret", "x = 'mallory'")
	if k, err := s.Load(ctx, ids[0], "secret", 0); err != nil || !reflect.DeepEqual(k, original.Skill) {
		t.Errorf("%+v, %v", k, err)
	}
	if k := save(t, s, ids[1], "secret", "z = 1"); k.Version != 2 {
		t.Errorf("versions of others count: %d", k.Version)
	}
}

func TestList(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "zoe", "alice-b", "Bob")
	s := New(pool)
	for i, who := range ids {
		for _, name := range []string{"b", "a", "_c", "B"} {
			save(t, s, who, name, fmt.Sprintf("x = %d", i))
			save(t, s, who, name, fmt.Sprintf("x = %d", 10+i))
		}
		if err := s.Share(ctx, who, "a", nil, true); err != nil {
			t.Fatal(err)
		}
	}
	got, q := "", Query{Limit: 2}
	for {
		list, more, err := s.List(ctx, ids[0], q)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			got += k.Qualified() + " "
			if k.Version != 2 || k.Code != "" || k.Own != (k.Owner == "zoe") {
				t.Errorf("%+v", k)
			}
		}
		if !more {
			break
		}
		q.After = list[len(list)-1].Qualified()
	}
	if want := "Bob/a alice-b/a zoe/B zoe/_c zoe/a zoe/b "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for q, want := range map[Query]int{{Own: true}: 4, {Text: "DOES A"}: 3, {Text: "_"}: 1, {Text: "nothing"}: 0} {
		if list, _, err := s.List(ctx, ids[0], q); err != nil || len(list) != want {
			t.Errorf("%+v: %d, want %d, %v", q, len(list), want, err)
		}
	}
}

func TestRefusedDrafts(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	alice := people(t, pool, "alice")[0]
	s := New(pool)
	good := Draft{"good", "does good", "x = 1\n"}
	for _, name := range []string{"", "a-b", "a b", "1a", "é", "a\n", "class", "None", "async", "__init__", "__", "load_skill", "a.b", "../a", "a/b", "ａ", "a\x00", strings.Repeat("a", 65), "' or true --"} {
		d := good
		d.Name = name
		wants(t, fmt.Sprintf("name %q", name), second(s.Save(ctx, alice, d)), ErrInvalid)
	}
	for _, code := range []string{"", " \n\t\n", "def f(:\n  pass", "x = '\x00'", "x = '\xff'", "a = 1 #\u202e evil", "# \u2066", strings.Repeat("#", MaxCode+1), "if True:\nx = 1"} {
		d := good
		d.Code = code
		wants(t, fmt.Sprintf("code %.40q", code), second(s.Save(ctx, alice, d)), ErrInvalid)
	}
	for _, description := range []string{"", " \n ", strings.Repeat("é", MaxDescription+1), "a\x00b", "\xff", "hidden \U000e0041 tag", "\u202ebackwards", "\x1b[31m"} {
		d := good
		d.Description = description
		wants(t, fmt.Sprintf("description %.40q", description), second(s.Save(ctx, alice, d)), ErrInvalid)
	}
	if err := second(s.Save(ctx, alice, Draft{"f", "x", "x = 1\ny = = 2\n"})); !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
	if list, _, err := s.List(ctx, alice, Query{Revoked: true}); err != nil || len(list) != 0 {
		t.Errorf("refused ones left %+v, %v", list, err)
	}
	for _, name := range []string{"_", "_x", "match", "print", "X9", strings.Repeat("a", 64)} {
		d := good
		d.Name = name
		if _, err := s.Save(ctx, alice, d); err != nil {
			t.Error(err)
		}
	}
	if k, err := s.Save(ctx, alice, Draft{"emoji", " for 👩\u200d💻 \n and  more ", "x = 1"}); err != nil || k.Description != "for 👩\u200d💻 and more" {
		t.Errorf("%+v, %v", k, err)
	}
}

func TestQuotas(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob")
	s := New(pool)
	save(t, s, ids[0], "many", "x = 1")
	_, err := pool.Exec(ctx, `insert into skill_versions select skill_id, g, code, digest, description, modules, inputs from skill_versions, generate_series(2, 1000) g`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `insert into skills (owner_id, name) select $1, 's' || g from generate_series(1, 999) g`, ids[0]); err != nil {
		t.Fatal(err)
	}
	wants(t, "one version more", second(s.Save(ctx, ids[0], Draft{"many", "x", "x = 2"})), ErrQuota)
	wants(t, "one skill more", second(s.Save(ctx, ids[0], Draft{"more", "x", "x = 2"})), ErrQuota)
	if k := save(t, s, ids[0], "many", "x = 1"); k.NewVersion || k.Version != 1000 {
		t.Errorf("%+v", k)
	}
	save(t, s, ids[1], "more", "x = 2")
}

// TestTwoWriters: versions of concurrent saves are 1, 2, 3, … without gaps or doubles,
// whoever saves what.
func TestTwoWriters(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob")
	s := New(pool)
	const writers, each = 6, 10
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				save(t, s, ids[i%2], "shared_name", fmt.Sprintf("x = (%d, %d)", i, j))
			}
		})
	}
	for range writers { // identical code at once is one version
		wg.Go(func() { save(t, s, ids[0], "same", "x = 1") })
	}
	wg.Wait()
	for _, id := range ids {
		list, err := s.Versions(ctx, id, "shared_name")
		if err != nil || len(list) != writers/2*each {
			t.Fatal(len(list), err)
		}
		seen := map[Digest]bool{}
		for i, k := range list {
			if k.Version != len(list)-i || seen[k.Digest] {
				t.Errorf("version %d at %d", k.Version, i)
			}
			seen[k.Digest] = true
		}
	}
	if list, err := s.Versions(ctx, ids[0], "same"); err != nil || len(list) != 1 {
		t.Errorf("%d versions of identical code, %v", len(list), err)
	}
}

// TestThereAndBack: what is exported as Markdown or JSON and imported is the same skill.
func TestThereAndBack(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob@example.com")
	s := New(pool)
	for name, code := range map[string]string{
		"plain": "x = 1", "filter_high_risk": highRisk, "__x": "\n\n  \nx = 1", "Mixed_Case__9": "x = '''\n```python\nnot code\n```\n````\n'''",
		"tabs": "if True:\n\tx = '---'\n---1\n", "quotes": "x = \"a: b # c\"\n#   \ny = '~~~'", "_": "x = '<&>\u2028é'",
	} {
		k, err := s.Save(ctx, ids[0], Draft{name, `a "tricky": description # with - 'all' {of} it | ` + name, code})
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := k.JSON()
		if err != nil {
			t.Fatal(err)
		}
		fromMarkdown, err1 := ParseMarkdown(k.Markdown())
		fromJSON, err2 := ParseJSON(asJSON)
		for _, d := range []Draft{fromMarkdown, fromJSON} {
			if d.Name != k.Name || d.Description != k.Description || d.Code != k.Code {
				t.Errorf("%s: %+v, %v, %v\n%s", name, d, err1, err2, k.Markdown())
			}
			copied, err := s.Save(ctx, ids[1], d)
			if err != nil || copied.Digest != k.Digest || copied.Version != 1 || !reflect.DeepEqual(copied.Inputs, k.Inputs) {
				t.Errorf("%+v, %v", copied, err)
			}
		}
		e := k.Entry()
		if e.URI != "skill://alice/"+name+"/SKILL.md" || e.Frontmatter["description"] != k.Description || e.Resources[0].Size != len(k.Markdown()) {
			t.Errorf("%+v", e)
		}
		if n := e.Frontmatter["name"].(string); !agentSkillName.MatchString(n) {
			t.Errorf("%q is no name of Agent Skills", n)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Error(err)
		}
	}
}
