package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

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

func newSession(t testing.TB, s *Store, owner int64) Place {
	t.Helper()
	session, err := s.NewSession(t.Context(), owner, 0)
	if err != nil {
		t.Fatal(err)
	}
	return Place{owner, session.Handle}
}

func write(t testing.TB, s *Store, p Place, name, data string) File {
	t.Helper()
	f, err := s.Write(t.Context(), p, name, []byte(data), WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func content(t testing.TB, s *Store, p Place, name string) string {
	t.Helper()
	_, data, err := s.Read(t.Context(), p, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wants(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func TestFileFromWriteToDelete(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	alice := people(t, pool, "alice")[0]
	s := New(pool, Config{})
	for _, p := range []Place{{Identity: alice}, newSession(t, s, alice)} {
		f := write(t, s, p, "reports/a.json", `{"ü": 1}`)
		if f.ContentType != typeJSON || f.Size != 9 || f.Writer != "alice" || f.ETag == "" || (f.Expires == nil) != (p.Session == "") {
			t.Errorf("%+v", f)
		}
		got, data, err := s.Read(ctx, p, "reports/a.json")
		if err != nil || string(data) != `{"ü": 1}` || got.ETag != f.ETag || (got.Expires == nil) != (p.Session == "") {
			t.Errorf("%+v, %s, %v", got, data, err)
		}
		again := write(t, s, p, "reports/a.json", `[]`)
		if again.ETag == f.ETag || again.Size != 2 || !again.Created.Equal(f.Created) {
			t.Errorf("%+v after %+v", again, f)
		}
		write(t, s, p, "empty.txt", "")
		if data := content(t, s, p, "empty.txt"); data != "" {
			t.Errorf("%q", data)
		}
		l, err := s.List(ctx, p, "", "", 0)
		if err != nil || len(l.Files) != 2 || l.TotalFiles != 2 || l.TotalBytes != 2 || l.QuotaBytes == 0 || (l.Expires == nil) != (p.Session == "") {
			t.Errorf("%+v, %v", l, err)
		}
		wants(t, "delete with an old etag", s.Delete(ctx, p, "reports/a.json", f.ETag), ErrConflict)
		if err := s.Delete(ctx, p, "reports/a.json", again.ETag); err != nil {
			t.Error(err)
		}
		_, _, err = s.Read(ctx, p, "reports/a.json")
		wants(t, "read what was deleted", err, ErrNotFound)
		wants(t, "delete it again", s.Delete(ctx, p, "reports/a.json", ""), ErrNotFound)
		_, err = s.Stat(ctx, p, "empty.tx")
		if wants(t, "misspelt", err, ErrNotFound); !strings.Contains(err.Error(), `did you mean "empty.txt"`) {
			t.Error(err)
		}
		// A deleted file that is made again is another one.
		f2 := write(t, s, p, "reports/a.json", `[]`)
		if f2.ETag == again.ETag {
			t.Error("an etag came back")
		}
		l, err = s.List(ctx, p, "", "", 0)
		if err != nil || l.TotalFiles != 2 || l.TotalBytes != 2 {
			t.Errorf("%+v, %v", l, err)
		}
	}
}

func TestEmptyOwnSpace(t *testing.T) {
	pool := pgtest.New(t)
	p := Place{Identity: people(t, pool, "alice")[0]}
	s := New(pool, Config{})
	if l, err := s.List(t.Context(), p, "", "", 0); err != nil || len(l.Files) != 0 || l.TotalFiles != 0 || l.QuotaFiles == 0 {
		t.Errorf("%+v, %v", l, err)
	}
	_, _, err := s.Read(t.Context(), p, "x.txt")
	wants(t, "read", err, ErrNotFound)
	wants(t, "delete", s.Delete(t.Context(), p, "x.txt", ""), ErrNotFound)
}

func TestRanges(t *testing.T) {
	pool := pgtest.New(t)
	p := Place{Identity: people(t, pool, "alice")[0]}
	s := New(pool, Config{})
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	if _, err := s.Write(t.Context(), p, "blob.bin", data, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		from, n := rand.Int64N(310_000), rand.Int64N(310_000)
		f, got, err := s.ReadRange(t.Context(), p, "blob.bin", from, n)
		want := data[min(from, int64(len(data))):min(from+n, int64(len(data)))]
		if err != nil || !bytes.Equal(got, want) || f.Size != int64(len(data)) || f.ContentType != typeBinary {
			t.Fatalf("%d bytes from %d: got %d, want %d; %v", n, from, len(got), len(want), err)
		}
	}
	if _, got, err := s.ReadRange(t.Context(), p, "blob.bin", 1<<60, 1<<60); err != nil || len(got) != 0 {
		t.Error(len(got), err)
	}
	_, _, err := s.ReadRange(t.Context(), p, "blob.bin", -1, 5)
	wants(t, "a negative offset", err, ErrInvalid)
}

// TestOthersSeeNothing: two identities with the same names, and one who tries
// everything with the other's handle.
func TestOthersSeeNothing(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "mallory")
	s := New(pool, Config{})
	own, session := Place{Identity: ids[0]}, newSession(t, s, ids[0])
	evil := Place{Identity: ids[1]}
	theirs := newSession(t, s, ids[1])
	for _, name := range []string{"secret.txt", "a/b.txt", "%", "_ecret.txt", "' or 1=1 --"} {
		write(t, s, own, name, "alice's")
		write(t, s, session, name, "alice's")
	}
	for _, p := range []Place{evil, theirs, {ids[1], session.Session}, {ids[1], ""}, {ids[1], "' or true --"}, {ids[1], "%"}, {ids[1], strings.ToLower(session.Session)}, {-1, session.Session}, {0, ""}} {
		for _, name := range []string{"secret.txt", "a/b.txt", "%", "_ecret.txt", "' or 1=1 --", "secret_txt"} {
			_, data, err := s.Read(ctx, p, name)
			if wants(t, fmt.Sprint(p, " reads ", name), err, ErrNotFound); data != nil {
				t.Errorf("%v reads %s", p, data)
			}
			wants(t, fmt.Sprint(p, " stats ", name), second(s.Stat(ctx, p, name)), ErrNotFound)
		}
		l, err := s.List(ctx, p, "", "", 0)
		if err == nil && (len(l.Files) != 0 || l.TotalFiles != 0 || l.TotalBytes != 0) || err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("%v lists %+v, %v", p, l, err)
		}
	}
	foreign := Place{ids[1], session.Session}
	wants(t, "write", second(s.Write(ctx, foreign, "x.txt", nil, WriteOptions{IfMatch: "*"})), ErrNotFound)
	wants(t, "append", second(s.Append(ctx, foreign, "secret.txt", []byte("x"), WriteOptions{})), ErrNotFound)
	wants(t, "delete", s.Delete(ctx, foreign, "secret.txt", "*"), ErrNotFound)
	wants(t, "describe", second(s.Session(ctx, foreign)), ErrNotFound)
	wants(t, "extend", second(s.Extend(ctx, foreign, time.Hour)), ErrNotFound)
	wants(t, "end", s.EndSession(ctx, foreign), ErrNotFound)
	wants(t, "grant oneself", s.Grant(ctx, foreign, "mallory", true), ErrNotFound)
	wants(t, "revoke", s.Revoke(ctx, foreign, "alice"), ErrNotFound)
	wants(t, "list grants", second(s.Grants(ctx, foreign)), ErrNotFound)
	wants(t, "keep", second(s.Keep(ctx, foreign, "x.txt", nil, "")), ErrNotFound)
	if list, err := s.Sessions(ctx, ids[1]); err != nil || len(list) != 1 || list[0].Handle != theirs.Session {
		t.Errorf("%+v, %v", list, err)
	}
	// An unknown handle and another's get the same answer but for the handle.
	unknown := "ws_" + strings.Repeat("A", 26)
	_, _, err1 := s.Read(ctx, foreign, "x")
	_, _, err2 := s.Read(ctx, Place{ids[1], unknown}, "x")
	if strings.ReplaceAll(err1.Error(), session.Session, unknown) != err2.Error() {
		t.Errorf("%v\n%v", err1, err2)
	}
	for _, p := range []Place{own, session} {
		if got := content(t, s, p, "secret.txt"); got != "alice's" {
			t.Errorf("%q", got)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestGrants(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob", "carol")
	s := New(pool, Config{})
	mine := newSession(t, s, ids[0])
	bobs, carols := Place{ids[1], mine.Session}, Place{ids[2], mine.Session}
	write(t, s, mine, "plan.txt", "one")
	if err := s.Grant(ctx, mine, "bob", false); err != nil {
		t.Fatal(err)
	}
	if got := content(t, s, bobs, "plan.txt"); got != "one" {
		t.Errorf("%q", got)
	}
	session, err := s.Session(ctx, bobs)
	if err != nil || session.Writes || session.Owner != "alice" || session.Files != 1 {
		t.Errorf("%+v, %v", session, err)
	}
	if list, err := s.Sessions(ctx, ids[1]); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	wants(t, "write by a reader", second(s.Write(ctx, bobs, "x.txt", nil, WriteOptions{})), ErrDenied)
	wants(t, "append by a reader", second(s.Append(ctx, bobs, "plan.txt", []byte("x"), WriteOptions{})), ErrDenied)
	wants(t, "delete by a reader", s.Delete(ctx, bobs, "plan.txt", "*"), ErrDenied)
	for what, err := range map[string]error{
		"grant on": s.Grant(ctx, bobs, "carol", true), "widen": s.Grant(ctx, bobs, "bob", true), "end": s.EndSession(ctx, bobs),
		"extend": second(s.Extend(ctx, bobs, time.Hour)), "list grants": second(s.Grants(ctx, bobs)), "revoke": s.Revoke(ctx, bobs, "bob"),
	} {
		wants(t, what+" by a reader", err, ErrDenied)
	}
	wants(t, "not granted", second(s.Session(ctx, carols)), ErrNotFound)

	// With a grant to write, each sees the other's hand before overwriting it.
	if err := s.Grant(ctx, mine, "bob", true); err != nil {
		t.Fatal(err)
	}
	wants(t, "overwrite another's", second(s.Write(ctx, bobs, "plan.txt", []byte("two"), WriteOptions{})), ErrConflict)
	f, _, err := s.Read(ctx, bobs, "plan.txt")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = s.Write(ctx, bobs, "plan.txt", []byte("two"), WriteOptions{IfMatch: f.ETag}); err != nil || f.Writer != "bob" {
		t.Errorf("%+v, %v", f, err)
	}
	wants(t, "the owner overwrites it", second(s.Write(ctx, mine, "plan.txt", []byte("three"), WriteOptions{})), ErrConflict)
	wants(t, "the owner deletes it", s.Delete(ctx, mine, "plan.txt", ""), ErrConflict)
	if _, err := s.Write(ctx, mine, "plan.txt", []byte("three"), WriteOptions{IfMatch: "*"}); err != nil {
		t.Error(err)
	}
	grants, err := s.Grants(ctx, mine)
	if err != nil || len(grants) != 1 || grants[0].Identity != "bob" || !grants[0].Writes {
		t.Errorf("%+v, %v", grants, err)
	}
	wants(t, "grant to nobody", s.Grant(ctx, mine, "nobody", true), ErrNotFound)
	wants(t, "grant to oneself", s.Grant(ctx, mine, "alice", true), ErrInvalid)
	wants(t, "grant the own space", s.Grant(ctx, Place{Identity: ids[0]}, "bob", true), ErrInvalid)
	if err := s.Revoke(ctx, mine, "bob"); err != nil {
		t.Fatal(err)
	}
	wants(t, "after the revocation", second(s.Stat(ctx, bobs, "plan.txt")), ErrNotFound)
	wants(t, "revoke twice", s.Revoke(ctx, mine, "bob"), ErrNotFound)
	// His own space was never in it.
	if l, err := s.List(ctx, Place{Identity: ids[1]}, "", "", 0); err != nil || l.TotalFiles != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestExpiry(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob", "mallory")
	s := New(pool, Config{})
	p := newSession(t, s, ids[0])
	other := newSession(t, s, ids[0])
	write(t, s, p, "a.txt", "x")
	write(t, s, other, "a.txt", "x")
	write(t, s, Place{Identity: ids[0]}, "a.txt", "x")
	if err := s.Grant(ctx, p, "bob", true); err != nil {
		t.Fatal(err)
	}
	session, err := s.Extend(ctx, p, time.Hour)
	if err != nil || time.Until(session.Expires) < 59*time.Minute || time.Until(session.Expires) > 61*time.Minute {
		t.Errorf("%+v, %v", session, err)
	}
	for _, life := range []time.Duration{-1, time.Millisecond, 31 * 24 * time.Hour} {
		wants(t, "lifetime "+life.String(), second(s.NewSession(ctx, ids[0], life)), ErrInvalid)
		wants(t, "extend by "+life.String(), second(s.Extend(ctx, p, life)), ErrInvalid)
	}
	if _, err := pool.Exec(ctx, `update workspaces set expires_at = now() where handle = $1`, p.Session); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		for _, who := range []int64{ids[0], ids[1]} {
			p := Place{who, p.Session}
			for what, err := range map[string]error{
				"read": second(s.Stat(ctx, p, "a.txt")), "write": second(s.Write(ctx, p, "a.txt", nil, WriteOptions{})), "list": second(s.List(ctx, p, "", "", 0)),
				"append": second(s.Append(ctx, p, "a.txt", nil, WriteOptions{})), "delete": s.Delete(ctx, p, "a.txt", ""), "describe": second(s.Session(ctx, p)),
				"extend": second(s.Extend(ctx, p, time.Hour)), "grant": s.Grant(ctx, p, "bob", true), "end": s.EndSession(ctx, p),
			} {
				wants(t, when+": "+what, err, ErrExpired)
			}
		}
		wants(t, when+": a stranger", second(s.Session(ctx, Place{ids[2], p.Session})), ErrNotFound)
	}
	check("before the sweep")
	if n, err := s.Sweep(ctx); err != nil || n != 1 {
		t.Errorf("swept %d, %v", n, err)
	}
	check("after the sweep")
	if n, err := s.Sweep(ctx); err != nil || n != 0 {
		t.Errorf("swept %d again, %v", n, err)
	}
	if list, err := s.Sessions(ctx, ids[0]); err != nil || len(list) != 1 || list[0].Handle != other.Session {
		t.Errorf("%+v, %v", list, err)
	}
	for _, p := range []Place{other, {Identity: ids[0]}} {
		if content(t, s, p, "a.txt") != "x" {
			t.Error("the sweep took more than was over")
		}
	}
	if _, err := pool.Exec(ctx, `update workspaces set expires_at = now() - interval '31 days' where handle = $1`, p.Session); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	wants(t, "long after", second(s.Session(ctx, p)), ErrNotFound)
	if err := s.EndSession(ctx, other); err != nil {
		t.Fatal(err)
	}
	wants(t, "ended", second(s.Stat(ctx, other, "a.txt")), ErrNotFound)
}

func TestQuotas(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob")
	s := New(pool, Config{FileBytes: 50, SessionBytes: 100, SessionFiles: 3, OwnBytes: 120, OwnFiles: 4, OwnerBytes: 200, Sessions: 2})
	ten, fifty := strings.Repeat("x", 10), strings.Repeat("x", 50)
	p := newSession(t, s, ids[0])
	try := func(p Place, name, data string) error {
		_, err := s.Write(ctx, p, name, []byte(data), WriteOptions{})
		return err
	}
	wants(t, "a file too large", try(p, "a.txt", fifty+"x"), ErrQuota)
	write(t, s, p, "a.txt", fifty)
	write(t, s, p, "b.txt", fifty)
	wants(t, "above the session's bytes", try(p, "c.txt", "x"), ErrQuota)
	write(t, s, p, "b.txt", ten) // less is always allowed
	write(t, s, p, "c.txt", ten)
	wants(t, "above the session's files", try(p, "d.txt", ""), ErrQuota)
	wants(t, "append above the file's bytes", second(s.Append(ctx, p, "a.txt", []byte("x"), WriteOptions{})), ErrQuota)
	if l, err := s.List(ctx, p, "", "", 0); err != nil || l.TotalBytes != 70 || l.TotalFiles != 3 || l.QuotaBytes != 100 || l.QuotaFiles != 3 {
		t.Errorf("%+v, %v", l, err)
	}
	own := Place{Identity: ids[0]}
	write(t, s, own, "a.txt", fifty)
	write(t, s, own, "b.txt", fifty)
	wants(t, "above the own bytes", try(own, "c.txt", fifty), ErrQuota)
	write(t, s, own, "c.txt", ten+ten)
	q := newSession(t, s, ids[0])
	write(t, s, q, "a.txt", ten) // 200 in all
	err := try(q, "b.txt", "x")
	if wants(t, "above all bytes of the owner", err, ErrQuota); !strings.Contains(err.Error(), "200 bytes") {
		t.Error(err)
	}
	// Who was granted the session learns that there is no room, not how much there is elsewhere.
	if err := s.Grant(ctx, q, "bob", true); err != nil {
		t.Fatal(err)
	}
	err = try(Place{ids[1], q.Session}, "b.txt", "x")
	if wants(t, "a guest above all bytes of the owner", err, ErrQuota); strings.Contains(err.Error(), "200") {
		t.Error(err)
	}
	wants(t, "a third session", second(s.NewSession(ctx, ids[0], 0)), ErrQuota)
	wants(t, "keep with no session left", second(s.Keep(ctx, own, "r.txt", nil, "")), ErrQuota)
	if _, err := s.NewSession(ctx, ids[1], 0); err != nil {
		t.Errorf("another's sessions count: %v", err)
	}
	// What ends or expires makes room.
	if _, err := pool.Exec(ctx, `update workspaces set expires_at = now() where handle = $1`, p.Session); err != nil {
		t.Fatal(err)
	}
	write(t, s, q, "b.txt", fifty)
	newSession(t, s, ids[0])
}

// TestQuotaExactUnderLoad: many writers in several spaces of one owner never go above
// the quotas together, and what is booked is what is there.
func TestQuotaExactUnderLoad(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	alice := people(t, pool, "alice")[0]
	s := New(pool, Config{OwnerBytes: 3000, SessionBytes: 1500, OwnBytes: 1500})
	places := []Place{{Identity: alice}, newSession(t, s, alice), newSession(t, s, alice)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for range 40 {
				p, name := places[random.IntN(3)], fmt.Sprintf("f%d.txt", random.IntN(6))
				var err error
				switch random.IntN(4) {
				case 0:
					err = s.Delete(ctx, p, name, "")
				case 1:
					_, err = s.Append(ctx, p, name, make([]byte, random.IntN(100)), WriteOptions{})
				default:
					_, err = s.Write(ctx, p, name, bytes.Repeat([]byte("x"), random.IntN(600)), WriteOptions{})
				}
				if err != nil && !errors.Is(err, ErrQuota) && !errors.Is(err, ErrNotFound) {
					t.Error(err)
				}
				var total, most int64
				if err := pool.QueryRow(ctx, `select sum(bytes), max(bytes) from workspaces`).Scan(&total, &most); err != nil || total > 3000 || most > 1500 {
					t.Errorf("%d bytes, %d in one space, %v", total, most, err)
				}
			}
		})
	}
	wg.Wait()
	var wrong int
	err := pool.QueryRow(ctx, `select count(*) from workspaces w where 
		w.bytes <> (select coalesce(sum(size), 0) from workspace_files f where f.workspace_id = w.id)
		or w.files <> (select count(*) from workspace_files f where f.workspace_id = w.id)
		or exists (select from workspace_files f where f.workspace_id = w.id and f.size <> length(f.data))`).Scan(&wrong)
	if err != nil || wrong != 0 {
		t.Errorf("%d spaces are booked wrong, %v", wrong, err)
	}
}

// TestTwoWriters: of two writes that expect the same version, one is done and the other
// told; no line that was appended is lost.
func TestTwoWriters(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob")
	s := New(pool, Config{})
	mine := newSession(t, s, ids[0])
	if err := s.Grant(ctx, mine, "bob", true); err != nil {
		t.Fatal(err)
	}
	both := []Place{mine, {ids[1], mine.Session}}
	const rounds = 25
	write(t, s, mine, "n.json", "0")
	var wg sync.WaitGroup
	for _, p := range both {
		wg.Go(func() { // each adds 1, rounds times
			for done := 0; done < rounds; {
				f, data, err := s.Read(ctx, p, "n.json")
				if err != nil {
					t.Error(err)
					return
				}
				var n int
				if err := json.Unmarshal(data, &n); err != nil {
					t.Error(err)
					return
				}
				_, err = s.Write(ctx, p, "n.json", fmt.Append(nil, n+1), WriteOptions{IfMatch: f.ETag})
				if err == nil {
					done++
				} else if !errors.Is(err, ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
		wg.Go(func() {
			for i := range rounds {
				if _, err := s.Append(ctx, p, "log.jsonl", fmt.Appendf(nil, `{"who": %d, "n": %d}`, p.Identity, i), WriteOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() { // of all who want a new file of that name, one gets it
			for i := range rounds {
				name := fmt.Sprintf("new/%d.txt", i)
				if _, err := s.Write(ctx, p, name, fmt.Append(nil, p.Identity), WriteOptions{IfMatch: "new"}); err != nil && !errors.Is(err, ErrConflict) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := content(t, s, mine, "n.json"); got != fmt.Sprint(2*rounds) {
		t.Errorf("counted to %s", got)
	}
	next := map[int64]int{}
	lines := strings.Split(strings.TrimSuffix(content(t, s, mine, "log.jsonl"), "\n"), "\n")
	for _, line := range lines {
		var l struct {
			Who int64
			N   int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.N != next[l.Who] {
			t.Errorf("line %q after %v, %v", line, next, err)
		}
		next[l.Who]++
	}
	if len(lines) != 2*rounds {
		t.Errorf("%d lines", len(lines))
	}
}

// TestCrashedWriter: a server that dies in the middle of a write leaves the old file.
func TestCrashedWriter(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	alice := people(t, pool, "alice")[0]
	s := New(pool, Config{})
	p := Place{Identity: alice}
	write(t, s, p, "a.txt", "old")
	tx, err := pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sp, err := lock(ctx, tx, p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := findBefore(ctx, tx, sp, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.put(ctx, tx, sp, p, "a.txt", typeText, []byte("new and longer"), b); err != nil {
		t.Fatal(err)
	}
	if got := content(t, s, p, "a.txt"); got != "old" {
		t.Errorf("a reader sees %q before the commit", got)
	}
	if err := tx.Conn().PgConn().Conn().Close(); err != nil { // the connection breaks
		t.Fatal(err)
	}
	_ = tx.Rollback(ctx)
	// The next writer does not wait for the dead one.
	if got := content(t, s, p, "a.txt"); got != "old" {
		t.Errorf("%q", got)
	}
	write(t, s, p, "b.txt", "x")
	if l, err := s.List(ctx, p, "", "", 0); err != nil || l.TotalBytes != 4 || l.TotalFiles != 2 {
		t.Errorf("%+v, %v", l, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	wants(t, "cancelled", second(s.Write(cancelled, p, "a.txt", []byte("never"), WriteOptions{})), context.Canceled)
	if got := content(t, s, p, "a.txt"); got != "old" {
		t.Errorf("%q", got)
	}
}

func TestAppend(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool, Config{})
	p := Place{Identity: people(t, pool, "alice")[0]}
	add := func(name, data string) error { return second(s.Append(ctx, p, name, []byte(data), WriteOptions{})) }
	for _, data := range []string{`{"a": 1}`, "{\"b\": 2}\n", "", "[3]\n[4]"} {
		if err := add("l.jsonl", data); err != nil {
			t.Error(err)
		}
	}
	if got := content(t, s, p, "l.jsonl"); got != "{\"a\": 1}\n{\"b\": 2}\n[3]\n[4]\n" {
		t.Errorf("%q", got)
	}
	write(t, s, p, "t.txt", "no break")
	if err := add("t.txt", "next"); err != nil || content(t, s, p, "t.txt") != "no break\nnext\n" {
		t.Errorf("%q, %v", content(t, s, p, "t.txt"), err)
	}
	wants(t, "a bad line", add("l.jsonl", "{oops}"), ErrInvalid)
	wants(t, "to JSON", add("x.json", "{}"), ErrInvalid)
	wants(t, "bytes to text", add("t.txt", "\xff"), ErrInvalid)
	write(t, s, p, "b.bin", "\x00")
	wants(t, "to binary", add("b.bin", "x"), ErrInvalid)
	wants(t, "an old etag", second(s.Append(ctx, p, "t.txt", nil, WriteOptions{IfMatch: "old"})), ErrConflict)
	wants(t, "as new", second(s.Append(ctx, p, "t.txt", nil, WriteOptions{IfMatch: "new"})), ErrConflict)
}

func TestContentTypes(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool, Config{})
	p := Place{Identity: people(t, pool, "alice")[0]}
	for _, c := range []struct{ name, said, data, want string }{
		{"a.json", "", `{"a": [1, 2.5, null]}`, typeJSON}, {"a.JSON", "", `1`, typeJSON}, {"a.jsonl", "", "1\n\n{}\n", typeJSONL},
		{"a.csv", "", "a,b\n", typeCSV}, {"a", "", "words", typeText}, {"a", "", "\xff", typeBinary}, {"a.dat", "", "a\x00", typeBinary},
		{"a.json", "text", "{'a': 1}", typeText}, {"a.txt", "json", "[]", typeJSON}, {"p", "image/PNG", "\x89PNG", "image/png"},
		{"g", "application/geo+json", "{}", "application/geo+json"}, {"a.md", "", "# x", typeMarkdown}, {"n", "application/x-ndjson", "1\n", typeJSONL},
		{"a.txt", "text/plain; charset=utf-8", "x", typeText},
		{"a.json", "", `{'a': 1}`, ""}, {"a.json", "", ``, ""}, {"a.json", "", "[NaN]", ""}, {"a.json", "", "1 2", ""}, {"a.jsonl", "", "1\nx\n", ""},
		{"a.txt", "", "\xff", ""}, {"a", "html please", "x", ""}, {"a", "text", "\xc3", ""}, {"g", "application/geo+json", "{", ""},
		{"a", "x/" + strings.Repeat("y", 100), "", ""},
	} {
		f, err := s.Write(ctx, p, c.name, []byte(c.data), WriteOptions{ContentType: c.said})
		if f.ContentType != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%q as %q with %q: %q, %v", c.name, c.said, c.data, f.ContentType, err)
		}
	}
	_, err := s.Write(ctx, p, "a.json", []byte("{\n\"a\": 1,\n}"), WriteOptions{})
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("%v", err)
	}
}

func TestList(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool, Config{})
	p := Place{Identity: people(t, pool, "alice")[0]}
	for _, name := range []string{"b.txt", "a/1.txt", "a/2.txt", "a/10.txt", "ab.txt", "%x.txt", "Ä.txt", "z_.txt"} {
		write(t, s, p, name, "x")
	}
	for prefix, want := range map[string]string{
		"": "%x.txt a/1.txt a/10.txt a/2.txt ab.txt b.txt z_.txt Ä.txt", "a/": "a/1.txt a/10.txt a/2.txt", "a": "a/1.txt a/10.txt a/2.txt ab.txt",
		"%": "%x.txt", "_": "", "z_": "z_.txt", "A\u0308": "Ä.txt", "../": "",
	} {
		got, after, pages := "", "", 0
		for {
			l, err := s.List(ctx, p, prefix, after, 2)
			if err != nil || l.TotalFiles != 8 || len(l.Files) > 2 {
				t.Fatalf("%+v, %v", l, err)
			}
			for _, f := range l.Files {
				got += f.Name + " "
			}
			if pages++; l.Next == "" {
				break
			}
			after = l.Next
		}
		if strings.TrimSpace(got) != want || pages > 4 {
			t.Errorf("%q: %q in %d pages", prefix, got, pages)
		}
	}
	for _, bad := range []string{"\xff", "\x00", strings.Repeat("x", 1000)} {
		wants(t, "prefix", second(s.List(ctx, p, bad, "", 0)), ErrInvalid)
		wants(t, "after", second(s.List(ctx, p, "", bad, 0)), ErrInvalid)
	}
}

func TestKeep(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	alice := people(t, pool, "alice")[0]
	s := New(pool, Config{PreviewBytes: 100})
	long := strings.Repeat("a line of some length\n", 1000)
	k, err := s.Keep(ctx, Place{Identity: alice}, "results/hits.jsonl", []byte("1\n2\n3"), "")
	if err != nil || k.Session == "" || k.File.Name != "results/hits.jsonl" || k.Preview != "1\n2\n3" || k.Lines != 3 || k.File.Expires == nil {
		t.Fatalf("%+v, %v", k, err)
	}
	p := Place{alice, k.Session}
	for _, want := range []string{"results/hits-2.jsonl", "results/hits-3.jsonl"} {
		k, err := s.Keep(ctx, p, "results/hits.jsonl", []byte("{}"), "")
		if err != nil || k.File.Name != want || k.Session != p.Session {
			t.Errorf("%+v, %v", k, err)
		}
	}
	k, err = s.Keep(ctx, p, "out", []byte(long), "text")
	if err != nil || k.Lines != 1000 || !strings.HasSuffix(k.Preview, "\n") || len(k.Preview) > 100 || !strings.HasPrefix(long, k.Preview) {
		t.Errorf("%+v, %v", k, err)
	}
	k, err = s.Keep(ctx, p, "wide", []byte(strings.Repeat("€", 1000)), "text")
	if err != nil || k.Preview != strings.Repeat("€", 33) || k.Lines != 1 {
		t.Errorf("%+v, %v", k, err)
	}
	k, err = s.Keep(ctx, p, "x.bin", []byte{0, 1, 2, 0xff}, "")
	if err != nil || k.Preview != "" {
		t.Errorf("%+v, %v", k, err)
	}
	// What cannot be kept leaves no session behind.
	wants(t, "a bad name", second(s.Keep(ctx, Place{Identity: alice}, "../x", nil, "")), ErrInvalid)
	if list, err := s.Sessions(ctx, alice); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New(pgtest.New(t), Config{}).Run(ctx); err != nil {
		t.Error(err)
	}
}

// BenchmarkWrite and BenchmarkRead are small files through the database.
func BenchmarkWrite(b *testing.B) {
	pool := pgtest.New(b)
	s := New(pool, Config{})
	p := Place{Identity: people(b, pool, "alice")[0]}
	data := bytes.Repeat([]byte("x"), 4096)
	for b.Loop() {
		if _, err := s.Write(b.Context(), p, "a.txt", data, WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	pool := pgtest.New(b)
	s := New(pool, Config{})
	p := Place{Identity: people(b, pool, "alice")[0]}
	write(b, s, p, "a.txt", strings.Repeat("x", 4096))
	for b.Loop() {
		if _, _, err := s.Read(b.Context(), p, "a.txt"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRightsAfterTheWait: who waits for another writer while its grant is taken back, or
// while the session ends, writes nothing.
func TestRightsAfterTheWait(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	ids := people(t, pool, "alice", "bob")
	s := New(pool, Config{})
	for _, c := range []struct {
		meanwhile string
		want      error
	}{
		{`delete from workspace_grants where workspace_id = $1`, ErrNotFound},
		{`update workspace_grants set writes = false where workspace_id = $1`, ErrDenied},
		{`update workspaces set expires_at = clock_timestamp() where id = $1`, ErrExpired},
		{`delete from workspaces where id = $1`, ErrNotFound},
	} {
		mine := newSession(t, s, ids[0])
		if err := s.Grant(ctx, mine, "bob", true); err != nil {
			t.Fatal(err)
		}
		tx, err := pool.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		sp, err := lock(ctx, tx, mine)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(ctx, c.meanwhile, sp.id); err != nil {
			t.Fatal(err)
		}
		result := make(chan error, 1)
		go func() {
			_, err := s.Write(ctx, Place{ids[1], mine.Session}, "a.txt", []byte("x"), WriteOptions{})
			result <- err
		}()
		for waiting := false; !waiting; {
			err := pool.QueryRow(ctx, `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`).Scan(&waiting)
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		wants(t, c.meanwhile, <-result, c.want)
	}
	var n int
	if err := pool.QueryRow(ctx, `select count(*) from workspace_files`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d files, %v", n, err)
	}
}
