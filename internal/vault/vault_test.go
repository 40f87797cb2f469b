package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/pii"
)

const text = "ann@example.com called +1 415 555 2671 from 203.0.113.7; card 4111 1111 1111 1111; ann@example.com again"

func key(b byte) (k Key) {
	for i := range k {
		k[i] = b
	}
	return k
}

func open(t testing.TB, pool *pgxpool.Pool, k Key) *Store {
	t.Helper()
	s, err := Open(t.Context(), pool, k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// identities makes n identities besides number 1, and returns all their numbers.
func identities(t testing.TB, pool *pgxpool.Pool, n int) []int64 {
	t.Helper()
	ids := []int64{1}
	for i := range n {
		var id int64
		if err := pool.QueryRow(t.Context(), "insert into identities (name) values ($1) returning id", fmt.Sprint("agent", i)).Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// values counts what is in a vault.
func (v *Vault) values(t *testing.T) (n int64) {
	t.Helper()
	if err := v.store.pool.QueryRow(t.Context(), "select count(*) from vault_values where identity_id = $1", v.identity).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func sanitize(t testing.TB, v *Vault, text string) string {
	t.Helper()
	out, err := v.Sanitizer(0).Text(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTokensAreStableAndComeBack(t *testing.T) {
	pool := pgtest.New(t)
	v := open(t, pool, key(1)).Vault(1)
	clean := sanitize(t, v, text)
	if strings.Contains(clean, "ann@") || strings.Count(clean, "[EMAIL_") != 2 {
		t.Fatal(clean)
	}
	if again := sanitize(t, v, text); again != clean {
		t.Errorf("the second time %q, the first %q", again, clean)
	}
	other := open(t, pool, key(1)).Vault(1) // another process
	if again := sanitize(t, other, text); again != clean {
		t.Errorf("another process: %q, here %q", again, clean)
	}
	if n := v.values(t); n != 4 {
		t.Errorf("%d values", n)
	}
	if back, err := other.Restorer(true).Text(t.Context(), clean); err != nil || back != text {
		t.Errorf("%q, %v", back, err)
	}
	if back, err := other.Restorer(false).Text(t.Context(), clean); !errors.Is(err, pii.ErrDenied) || back != clean {
		t.Errorf("not allowed: %q, %v", back, err)
	}
	made := "[EMAIL_ffffff] and [PHONE_000000]"
	if back, err := other.Restorer(true).Text(t.Context(), made); err != nil || back != made {
		t.Errorf("made up: %q, %v", back, err)
	}
	// The identifier of one kind under another.
	kind, id, _ := pii.ParseToken(clean[:strings.IndexByte(clean, ']')+1])
	if kind != pii.Email {
		t.Fatal(clean)
	}
	if back, err := other.Restorer(true).Text(t.Context(), pii.Token(pii.Phone, id)); err != nil || back != pii.Token(pii.Phone, id) {
		t.Errorf("an e-mail's identifier as a phone number's: %q, %v", back, err)
	}
}

func TestIdentitiesShareNothing(t *testing.T) {
	pool := pgtest.New(t)
	s := open(t, pool, key(1))
	ids := identities(t, pool, 2)
	var clean []string
	for _, id := range ids {
		clean = append(clean, sanitize(t, s.Vault(id), text))
	}
	for i, a := range clean {
		for j, b := range clean {
			back, err := s.Vault(ids[j]).Restorer(true).Text(t.Context(), a)
			switch {
			case err != nil:
				t.Error(err)
			case i == j && back != text:
				t.Errorf("own tokens: %q", back)
			case i != j && (a == b || back != a):
				t.Errorf("identity %d reads tokens of %d: %q", ids[j], ids[i], back)
			}
		}
	}
	if n, err := Forget(t.Context(), pool, ids[1], time.Now().Add(time.Hour)); n != 4 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
	if n := s.Vault(ids[2]).values(t); n != 4 {
		t.Errorf("identity %d has %d values left when another forgot its own", ids[2], n)
	}
}

func TestNothingIsReadableAtRest(t *testing.T) {
	pool := pgtest.New(t)
	k := key(7)
	sanitize(t, open(t, pool, k).Vault(1), text)
	for _, table := range []string{"vault_values", "vault_key"} {
		rows, err := pool.Query(t.Context(), "select t::text, to_jsonb(t)::text from "+table+" t")
		if err != nil {
			t.Fatal(err)
		}
		var a, b string
		n := 0
		_, err = pgx.ForEachRow(rows, []any{&a, &b}, func() error {
			n++
			for _, secret := range []string{"ann@example.com", "415 555", "203.0.113.7", "4111", string(k[:])} {
				for _, form := range []string{secret, fmt.Sprintf("%x", secret)} {
					if strings.Contains(a+b, form) {
						t.Errorf("%s holds %q: %s", table, secret, b)
					}
				}
			}
			return nil
		})
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
	}
}

func TestAnotherKeyIsRefused(t *testing.T) {
	pool := pgtest.New(t)
	clean := sanitize(t, open(t, pool, key(1)).Vault(1), text)
	_, err := Open(t.Context(), pool, key(2))
	if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), KeyFile) || !strings.Contains(err.Error(), EnvKey) {
		t.Fatal(err)
	}
	if n, err := Reset(t.Context(), pool, key(2)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	v := open(t, pool, key(2)).Vault(1)
	if back, err := v.Restorer(true).Text(t.Context(), clean); err != nil || back != clean {
		t.Errorf("after the reset: %q, %v", back, err)
	}
	if other := sanitize(t, v, text); other == clean {
		t.Error("tokens do not depend on the key")
	}
	if _, err := Open(t.Context(), pool, key(1)); !errors.Is(err, ErrKey) {
		t.Errorf("the old key after the reset: %v", err)
	}
}

func TestChangedRowsAreNoticed(t *testing.T) {
	for name, change := range map[string]string{
		"a bit":   "update vault_values set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)",
		"swapped": `update vault_values v set sealed = (select sealed from vault_values w where w.digest <> v.digest limit 1)`,
		"of another identity": `with moved as (delete from vault_values where identity_id = 1 returning *)
			insert into vault_values select 2, digest, token_id, kind, sealed, created_at from moved`,
	} {
		t.Run(name, func(t *testing.T) {
			pool := pgtest.New(t)
			ids := identities(t, pool, 1)
			if ids[1] != 2 {
				t.Fatal(ids)
			}
			s := open(t, pool, key(1))
			clean := sanitize(t, s.Vault(1), text)
			if _, err := pool.Exec(t.Context(), change); err != nil {
				t.Fatal(err)
			}
			id := int64(1)
			if name == "of another identity" {
				id = 2
			}
			back, err := s.Vault(id).Restorer(true).Text(t.Context(), clean)
			if err == nil || back != clean || !strings.Contains(err.Error(), "cannot be opened") {
				t.Errorf("%q, %v", back, err)
			}
		})
	}
}

// TestConcurrently has many processes sanitize the same values in texts of different
// orders: each value gets one token everywhere, nobody waits for ever.
func TestConcurrently(t *testing.T) {
	pool := pgtest.New(t)
	const workers, rounds = 8, 20
	var mu sync.Mutex
	token := map[string]string{}
	var wg sync.WaitGroup
	for w := range workers {
		s := open(t, pool, key(1)) // with a memory of its own
		wg.Go(func() {
			v := s.Vault(1)
			for r := range rounds {
				values := make([]pii.Value, 40)
				for i := range values {
					n := (i*(2*w+1) + r*13) % 200
					values[i] = pii.Value{Kind: pii.Email, Text: fmt.Sprintf("user%d@example.com", n)}
				}
				values = distinct(values)
				tokens, err := v.Tokens(t.Context(), values)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for i, value := range values {
					if old, ok := token[value.Text]; ok && old != tokens[i] {
						t.Errorf("%s is %s and %s", value.Text, old, tokens[i])
					}
					token[value.Text] = tokens[i]
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var rows int
	if err := pool.QueryRow(t.Context(), "select count(*) from vault_values").Scan(&rows); err != nil || rows != len(token) {
		t.Errorf("%d rows for %d values, %v", rows, len(token), err)
	}
}

func distinct(values []pii.Value) (out []pii.Value) {
	seen := map[pii.Value]bool{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// TestTokensNeverCollide keeps so many values that six digits are too few for some.
func TestTokensNeverCollide(t *testing.T) {
	pool := pgtest.New(t)
	s := open(t, pool, key(1))
	const n = 20_000
	values := make([]pii.Value, n)
	for i := range values {
		values[i] = pii.Value{Kind: pii.Email, Text: fmt.Sprintf("user%d@example.com", i)}
	}
	tokens, err := s.Vault(1).Tokens(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	longer := 0
	for _, token := range tokens {
		if seen[token] {
			t.Fatalf("%s stands for two values", token)
		}
		seen[token] = true
		if len(token) > len("[EMAIL_ab12cd]") {
			longer++
		}
	}
	if longer == 0 {
		t.Fatal("no two values shared six digits: the test tests nothing")
	}
	values2, err := lookup{open(t, pool, key(1)).Vault(1)}.Values(t.Context(), tokens)
	if err != nil || len(values2) != n {
		t.Fatalf("%d, %v", len(values2), err)
	}
	for i, token := range tokens {
		if values2[token] != values[i].Text {
			t.Fatalf("%s is %q, not %q", token, values2[token], values[i].Text)
		}
	}
	again, err := open(t, pool, key(1)).Vault(1).Tokens(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		if again[i] != tokens[i] {
			t.Fatalf("%s became %s", tokens[i], again[i])
		}
	}
}

// counter counts what is sent to the server.
type counter struct{ batches, queries atomic.Int64 }

func (c *counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.batches.Add(1)
	return ctx
}
func (c *counter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.queries.Add(1)
	return ctx
}
func (c *counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestOneRoundTripAText(t *testing.T) {
	var c counter
	cfg := pgtest.New(t).Config()
	cfg.ConnConfig.Tracer = &c
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s := open(t, pool, key(1))
	clock := time.Now()
	s.now = func() time.Time { return clock }
	v := s.Vault(1)
	for _, step := range []struct {
		what, text string
		batches    int64
		later      time.Duration
	}{
		{"nothing to hide", "plain text", 0, 0},
		{"four new values", text, 1, 0},
		{"known ones", text, 0, 0},
		{"one new among them", text + " ben@example.com", 1, 0},
		{"known, a minute later", text, 1, 2 * remember},
	} {
		clock = clock.Add(step.later)
		before := c.batches.Load()
		queries := c.queries.Load()
		sanitize(t, v, step.text)
		if n := c.batches.Load() - before; n != step.batches || c.queries.Load() != queries {
			t.Errorf("%s: %d round trips and %d queries, want %d and 0", step.what, n, c.queries.Load()-queries, step.batches)
		}
	}
}

func TestForgottenValuesAreKeptAnew(t *testing.T) {
	pool := pgtest.New(t)
	v := open(t, pool, key(1)).Vault(1)
	clean := sanitize(t, v, text)
	if n, err := Forget(t.Context(), pool, 1, time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := Forget(t.Context(), pool, 1, time.Now().Add(time.Hour)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if back, err := v.Restorer(true).Text(t.Context(), clean); err != nil || back != clean {
		t.Errorf("forgotten: %q, %v", back, err)
	}
	v.store.now = func() time.Time { return time.Now().Add(2 * remember) }
	if again := sanitize(t, v, text); again != clean {
		t.Errorf("%q, before %q", again, clean)
	}
	if back, err := v.Restorer(true).Text(t.Context(), clean); err != nil || back != text {
		t.Errorf("kept anew: %q, %v", back, err)
	}
}

// TestResetShutsOutTheOldKey: who still has it cannot mix its values with those of the new.
func TestResetShutsOutTheOldKey(t *testing.T) {
	pool := pgtest.New(t)
	old := open(t, pool, key(1)).Vault(1)
	sanitize(t, old, text)
	if n, err := Reset(t.Context(), pool, key(2)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	out, err := old.Sanitizer(0).Text(t.Context(), "bob@example.com")
	if !errors.Is(err, ErrKey) || strings.Contains(out, "bob@") {
		t.Errorf("%q, %v", out, err)
	}
	if n := old.values(t); n != 0 {
		t.Errorf("%d values of the old key", n)
	}
	sanitize(t, open(t, pool, key(2)).Vault(1), text)
}

func TestStatus(t *testing.T) {
	t.Setenv("BMCIS_HOME", t.TempDir())
	t.Setenv(EnvKey, "")
	pool := pgtest.New(t)
	state := func() Status {
		t.Helper()
		s, err := ReadStatus(t.Context(), pool)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state(); s.State != "missing" || s.Since != nil || len(s.Identities) != 0 || filepath.Base(s.Key) != KeyFile {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(state().Key); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("asking made a key: %v", err)
	}
	mine, err := LoadKey()
	if err != nil {
		t.Fatal(err)
	}
	if s := state(); s.State != "unused" {
		t.Errorf("%+v", s)
	}
	id := identities(t, pool, 1)[1]
	store := open(t, pool, mine)
	sanitize(t, store.Vault(id), text)
	sanitize(t, store.Vault(1), "ann@example.com")
	s := state()
	if s.State != "fits" || s.Since == nil || len(s.Identities) != 2 {
		t.Fatalf("%+v", s)
	}
	if h := s.Identities[0]; h.Identity != "agent0" || h.Values != 4 || h.Kinds["EMAIL"] != 1 || h.Kinds["CARD"] != 1 || h.First.IsZero() || h.Last.Before(h.First) {
		t.Errorf("%+v", h)
	}
	t.Setenv(EnvKey, strings.Repeat("ab", 32))
	if s := state(); s.State != "other" || s.Key != EnvKey {
		t.Errorf("%+v", s)
	}
	t.Setenv(EnvKey, "ab")
	if s := state(); s.State != "unreadable" || s.Problem == "" || len(s.Identities) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestFailuresHideAll(t *testing.T) {
	pool := pgtest.New(t)
	s := open(t, pool, key(1))
	out, err := s.Vault(4711).Sanitizer(0).Text(t.Context(), text)
	if err == nil || !strings.Contains(err.Error(), "4711") || strings.Contains(out, "ann@") || !strings.Contains(out, "[EMAIL]") {
		t.Errorf("an identity that does not exist: %q, %v", out, err)
	}
	pool.Close()
	out, err = s.Vault(1).Sanitizer(0).Text(t.Context(), text)
	if err == nil || strings.Contains(out, "ann@") {
		t.Errorf("the database is away: %q, %v", out, err)
	}
}

func TestLoadKey(t *testing.T) {
	t.Setenv(EnvKey, "")
	dir := filepath.Join(t.TempDir(), "home")
	t.Setenv(home.EnvHome, dir)
	var wg sync.WaitGroup
	got := make([]Key, 8)
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = LoadKey(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range got {
		if k != got[0] || k == (Key{}) {
			t.Fatalf("%x and %x", k, got[0])
		}
	}
	file := filepath.Join(dir, KeyFile)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(file + ".*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey(); err == nil || !strings.Contains(err.Error(), "chmod 600 "+file) {
		t.Errorf("readable by all: %v", err)
	}
	if err := os.WriteFile(file, []byte("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Chmod(file, 0o600)
	if _, err := LoadKey(); err == nil || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "0123456789") {
		t.Errorf("cut short: %v", err)
	}
	t.Setenv(EnvKey, strings.Repeat("ab", 32)+"\n")
	if k, err := LoadKey(); err != nil || !bytes.Equal(k[:], bytes.Repeat([]byte{0xab}, 32)) {
		t.Errorf("%x, %v", k, err)
	}
	t.Setenv(EnvKey, "secret")
	if _, err := LoadKey(); err == nil || !strings.Contains(err.Error(), EnvKey) || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// BenchmarkTokens is a text with four values: known for a moment, and new each time.
func BenchmarkTokens(b *testing.B) {
	pool := pgtest.New(b)
	v := open(b, pool, key(1)).Vault(1)
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			sanitize(b, v, text)
		}
	})
	b.Run("new", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			sanitize(b, v, fmt.Sprintf("user%d@example.com a%d@example.com b%d@example.com c%d@example.com", i, i, i, i))
		}
	})
}
