package identity

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func create(t *testing.T, s *Store, n NewToken) Created {
	t.Helper()
	c, err := s.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTokenFromItsMakingToItsEnd(t *testing.T) {
	ctx := t.Context()
	s := New(pgtest.New(t))
	policy := Policy{Collections: []string{"go", "team-*"}, Destructive: []string{"mcp__fs__write"}, Limits: Limits{Wall: time.Second, RequestsPerMinute: 6}}
	c := create(t, s, NewToken{Name: "alice", Policy: &policy, Label: "laptop"})
	if !c.NewIdentity || c.Token.State != "live" || c.Token.Expires != nil || !strings.HasPrefix(c.Secret, c.Token.Hint) {
		t.Errorf("created %+v", c)
	}
	id, err := s.Authenticate(ctx, c.Secret)
	if err != nil || id.Name != "alice" || id.ID == LocalID || !reflect.DeepEqual(id.Policy, policy) {
		t.Fatalf("%+v, %v", id, err)
	}
	list, err := s.Tokens(ctx, "alice")
	if err != nil || len(list) != 1 || list[0].LastUsed == nil || list[0].Label != "laptop" {
		t.Errorf("%+v, %v", list, err)
	}

	// A second token of the same identity, made without naming rights.
	second := create(t, s, NewToken{Name: "alice"})
	if second.NewIdentity || second.Identity.ID != id.ID {
		t.Errorf("the second token made %+v", second.Identity)
	}
	if _, err := s.Create(ctx, NewToken{Name: "alice", Policy: &Policy{Admin: true}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a token that widens rights: %v", err)
	}
	if _, err := s.Create(ctx, NewToken{Name: "Alice"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a name that differs in case: %v", err)
	}

	// Both are remembered; revoking one counts at once, and only for that one.
	if _, err := s.Authenticate(ctx, second.Secret); err != nil {
		t.Fatal(err)
	}
	if revoked, err := s.Revoke(ctx, c.Token.ID); err != nil || revoked.State != "revoked" {
		t.Fatalf("%+v, %v", revoked, err)
	}
	if _, err := s.Authenticate(ctx, c.Secret); !errors.Is(err, ErrRevoked) {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := s.Authenticate(ctx, second.Secret); err != nil {
		t.Errorf("the other token: %v", err)
	}
	if n, err := s.RevokeAll(ctx, "alice"); err != nil || n != 1 {
		t.Errorf("revoked %d, %v", n, err)
	}
	if _, err := s.Authenticate(ctx, second.Secret); !errors.Is(err, ErrRevoked) {
		t.Errorf("after revoking all: %v", err)
	}
	if _, err := s.Revoke(ctx, 999999); !errors.Is(err, ErrNotFound) {
		t.Errorf("a token that is not there: %v", err)
	}
}

// TestOtherProcessesFollow: what one process remembers of a token that another one
// revokes, or of rights that it changes, is forgotten within Lag.
func TestOtherProcessesFollow(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	here, there := New(pool), New(pool)
	c := create(t, there, NewToken{Name: "bob"})
	if _, err := here.Authenticate(ctx, c.Secret); err != nil {
		t.Fatal(err)
	}
	if err := there.SetPolicy(ctx, "bob", Policy{Collections: []string{"one"}}); err != nil {
		t.Fatal(err)
	}
	if id, err := there.Authenticate(ctx, c.Secret); err != nil || id.MayRead("two") || !id.MayRead("one") {
		t.Errorf("rights where they were changed: %+v, %v", id, err)
	}
	forget(here)
	if id, err := here.Authenticate(ctx, c.Secret); err != nil || id.MayRead("two") {
		t.Errorf("rights elsewhere: %+v, %v", id, err)
	}
	if _, err := there.Revoke(ctx, c.Token.ID); err != nil {
		t.Fatal(err)
	}
	forget(here)
	if _, err := here.Authenticate(ctx, c.Secret); !errors.Is(err, ErrRevoked) {
		t.Errorf("revoked elsewhere: %v", err)
	}
}

// forget lets Lag pass.
func forget(s *Store) {
	before := s.now
	s.now = func() time.Time { return before().Add(Lag) }
}

func TestExpiry(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool)
	c := create(t, s, NewToken{Name: "carol", Lifetime: time.Hour})
	if c.Token.Expires == nil || !c.Token.Expires.Equal(c.Token.Created.Add(time.Hour)) {
		t.Errorf("expires %v, made %v", c.Token.Expires, c.Token.Created)
	}
	if _, err := s.Authenticate(ctx, c.Secret); err != nil {
		t.Fatal(err)
	}
	// A token about to end is remembered no longer than it lives.
	if _, err := pool.Exec(ctx, `update tokens set expires_at = now() + interval '200 ms'`); err != nil {
		t.Fatal(err)
	}
	forget(s)
	_, err := s.Authenticate(ctx, c.Secret)
	before := s.now
	s.now = func() time.Time { return before().Add(200 * time.Millisecond) }
	if _, known := s.recall(must(hashToken(c.Secret))); known && err == nil {
		t.Error("a token is remembered beyond its end")
	}
	if _, err := pool.Exec(ctx, `update tokens set expires_at = now()`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Authenticate(ctx, c.Secret); !errors.Is(err, ErrExpired) {
		t.Errorf("an expired token: %v", err)
	}
	list, err := s.Tokens(ctx, "")
	if err != nil || len(list) != 1 || list[0].State != "expired" {
		t.Errorf("%+v, %v", list, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestWrongTokens(t *testing.T) {
	ctx := t.Context()
	s := New(pgtest.New(t))
	good := create(t, s, NewToken{Name: "dave"}).Secret
	last := good[len(good)-1]
	for text, want := range map[string]error{
		"":                            ErrMissing,
		"hunter2":                     ErrMalformed,
		good[:len(good)-1]:            ErrMalformed,
		good + "a":                    ErrMalformed,
		strings.ToUpper(good):         ErrMalformed,
		" " + good:                    ErrMalformed,
		good[:20] + "\n" + good[21:]:  ErrMalformed,
		strings.Repeat("bmcis_", 1e5): ErrMalformed,
		mintToken():                   ErrUnknown,
		good[:len(good)-1] + string('a'+(last-'a'+1)%26): ErrMalformed,
	} {
		_, err := s.Authenticate(ctx, text)
		if !errors.Is(err, want) {
			t.Errorf("%.80q: %v, want %v", text, err, want)
		}
		if !IsUnauthenticated(err) {
			t.Errorf("%v is taken for a fault of ours", err)
		}
		if err != nil && text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error repeats the token: %v", err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Authenticate(gone, good); err == nil || IsUnauthenticated(err) {
		t.Errorf("a database that does not answer: %v", err)
	}
	for header, want := range map[string]string{
		"Bearer " + good: good, "bearer  " + good + " ": good, "BEARER x": "x",
		"": "", "Bearer": "", "Bearer ": "", "Basic dXNlcjpwYXNz": "", good: "",
	} {
		token, err := FromHeader(header)
		if token != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", header, token, err)
		}
	}
}

// TestNothingAtRest: neither a token nor any long part of it is in the database.
func TestNothingAtRest(t *testing.T) {
	pool := pgtest.New(t)
	c := create(t, New(pool), NewToken{Name: "erin"})
	var row string
	if err := pool.QueryRow(t.Context(), `select t::text || i::text from tokens t join identities i on i.id = t.identity_id`).Scan(&row); err != nil {
		t.Fatal(err)
	}
	if part := c.Secret[:hintLetters+2]; strings.Contains(row, part) {
		t.Errorf("%q holds more than the hint of the token", row)
	}
}

func TestNamesAndPoliciesRefused(t *testing.T) {
	s := New(pgtest.New(t))
	for _, name := range []string{"", "local", "LOCAL", "a/b", "../x", "a b", "-x", ".x", "é", "a\x00", strings.Repeat("a", 65), "a\n"} {
		if _, err := s.Create(t.Context(), NewToken{Name: name}); !errors.Is(err, ErrInvalid) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	for _, p := range []Policy{
		{Collections: []string{""}}, {AllowTools: []string{"a\x00"}}, {Destructive: []string{"mcp__*"}},
		{Limits: Limits{Steps: -1}}, {Limits: Limits{Wall: -time.Second}}, {DenyTools: []string{strings.Repeat("a", 201)}},
	} {
		if _, err := s.Create(t.Context(), NewToken{Name: "x", Policy: &p}); !errors.Is(err, ErrInvalid) {
			t.Errorf("policy %+v: %v", p, err)
		}
		if err := s.SetPolicy(t.Context(), LocalName, p); !errors.Is(err, ErrInvalid) {
			t.Errorf("set policy %+v: %v", p, err)
		}
	}
	if err := s.SetPolicy(t.Context(), "nobody", Policy{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("an identity that is not there: %v", err)
	}
	for _, life := range []time.Duration{-1, 101 * 365 * 24 * time.Hour} {
		if _, err := s.Create(t.Context(), NewToken{Name: "x", Lifetime: life}); !errors.Is(err, ErrInvalid) {
			t.Errorf("lifetime %v: %v", life, err)
		}
	}
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("refused ones left %v, %v", list, err)
	}
}

// TestUnknownRestriction: rights written by a newer program are not taken for fewer
// restrictions.
func TestUnknownRestriction(t *testing.T) {
	pool := pgtest.New(t)
	s := New(pool)
	c := create(t, s, NewToken{Name: "frank"})
	if _, err := pool.Exec(t.Context(), `update identities set policy = policy || '{"only_on_sundays": true}' where name = 'frank'`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Authenticate(t.Context(), c.Secret); err == nil || !strings.Contains(err.Error(), "newer program") {
		t.Errorf("%v", err)
	}
}

func TestLocal(t *testing.T) {
	s := New(pgtest.New(t))
	id, err := s.Local(t.Context())
	if err != nil || id.ID != LocalID || id.Name != LocalName || !id.Admin || !id.MayRead("anything") {
		t.Fatalf("%+v, %v", id, err)
	}
	if err := id.MayCall("mcp__fs__delete", true); err == nil {
		t.Error("a destructive tool needs no name")
	}
	p := id.Policy
	p.Destructive = []string{"mcp__fs__delete"}
	if err := s.SetPolicy(t.Context(), LocalName, p); err != nil {
		t.Fatal(err)
	}
	if id, err = s.Local(t.Context()); err != nil || id.MayCall("mcp__fs__delete", true) != nil {
		t.Errorf("after allowing it: %+v, %v", id, err)
	}
}

// TestTwoMakers: two at once make one identity with two tokens.
func TestTwoMakers(t *testing.T) {
	s := New(pgtest.New(t))
	var wg sync.WaitGroup
	made := make([]Created, 8)
	for i := range made {
		wg.Go(func() {
			var err error
			if made[i], err = s.Create(t.Context(), NewToken{Name: "grace"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	first := 0
	for _, c := range made {
		if c.Identity.ID != made[0].Identity.ID {
			t.Errorf("identities %d and %d", c.Identity.ID, made[0].Identity.ID)
		}
		if c.NewIdentity {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d of them made the identity", first)
	}
}

// BenchmarkAuthenticate is what each request pays: a token that is remembered, and one
// that is looked up.
func BenchmarkAuthenticate(b *testing.B) {
	s := New(pgtest.New(b))
	c, err := s.Create(b.Context(), NewToken{Name: "alice"})
	if err != nil {
		b.Fatal(err)
	}
	for _, remembered := range []bool{true, false} {
		b.Run(map[bool]string{true: "remembered", false: "looked_up"}[remembered], func(b *testing.B) {
			for b.Loop() {
				if !remembered {
					s.epoch.Add(1)
				}
				if _, err := s.Authenticate(b.Context(), c.Secret); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
