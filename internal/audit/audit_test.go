package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/internal/render"
)

func record(identity int64, program, outcome string) Record {
	return Record{Started: time.Now().Truncate(time.Microsecond), Duration: 5 * time.Millisecond, IdentityID: identity, Identity: fmt.Sprint("id", identity),
		Session: "s1", Transport: "http", Kind: KindProgram, Tool: "execute_code", Program: program, Outcome: outcome}
}

func appendAll(t *testing.T, s *Store, records ...Record) {
	t.Helper()
	w := s.NewWriter(WriterConfig{OnError: func(err error) { t.Error(err) }})
	for _, r := range records {
		if err := w.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsWrittenIsRead: every field comes back, from Get and from an export.
func TestWhatIsWrittenIsRead(t *testing.T) {
	s := New(pgtest.New(t))
	r := Record{
		Started: time.Now().Truncate(time.Microsecond), Duration: 1500 * time.Microsecond, IdentityID: 7, Identity: "alice", Session: "ws_x", Transport: "stdio",
		Kind: KindProgram, Tool: "execute_code", Program: "print('<ü>')\n", Digest: DigestOf([]byte("the original")), Description: "greets",
		Limits: json.RawMessage(`{"wall_ns": 30}`), Outcome: "timeout", Error: "too long", Ledger: json.RawMessage(`{"tokens_touched": 900, "tokens_returned": 30}`),
		Usage: json.RawMessage(`{"steps": 4}`), CallsOmitted: 3,
		Calls: []Call{
			{Method: "search.hybrid", ArgsDigest: DigestOf([]byte("{}")), Start: time.Millisecond, Duration: 2 * time.Millisecond, Outcome: "ok"},
			{Method: "tools.call", Target: "mcp__fs__read", ArgsDigest: DigestOf([]byte("x")), Start: 3 * time.Millisecond, Outcome: "policy", Error: "no"},
		},
	}
	appendAll(t, s, r)
	runs, more, err := s.List(t.Context(), Filter{}, 0, 0)
	if err != nil || more || len(runs) != 1 {
		t.Fatalf("%d runs, %v, %v", len(runs), more, err)
	}
	if runs[0].Program != "" || runs[0].Calls != nil || runs[0].Digest != r.Digest {
		t.Errorf("listed %+v", runs[0])
	}
	got, err := s.Get(t.Context(), Filter{}, runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	got.Started = got.Started.Local()
	if !reflect.DeepEqual(got.Record, r) {
		t.Errorf("read  %+v\nwrote %+v", got.Record, r)
	}
	var out bytes.Buffer
	if n, err := s.Export(t.Context(), &out, Filter{}); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	var exported Run
	if err := json.Unmarshal(out.Bytes(), &exported); err != nil {
		t.Fatal(err)
	}
	exported.Started = exported.Started.Local()
	exported.Limits, exported.Ledger, exported.Usage = got.Limits, got.Ledger, got.Usage // spaced as PostgreSQL does
	if !reflect.DeepEqual(exported.Record, r) {
		t.Errorf("exported %s", out.String())
	}
}

// TestHostileRecords: whatever a program puts into a record, it and its neighbours are
// in the log.
func TestHostileRecords(t *testing.T) {
	s := New(pgtest.New(t))
	bad := record(1, "a\x00b\xff", "o\x00k")
	bad.Error, bad.Description, bad.Session = "\xc3\x28", "'; drop table audit_runs; --", "\x00"
	bad.Ledger = json.RawMessage(`{"calls": {"a\u0000b": 1}, "tokens_touched": 5}`) // valid JSON that jsonb refuses
	bad.Calls = []Call{{Method: "\x00", Error: "\xff"}}
	broken := record(2, "x", "ok")
	broken.Usage = json.RawMessage(`{"steps":`)
	huge := record(3, strings.Repeat("z", 1<<20), "ok")
	huge.Calls = make([]Call, MaxCalls+5)
	appendAll(t, s, record(0, "before", "ok"), bad, broken, huge, record(4, "after", "ok"))
	runs, _, err := s.List(t.Context(), Filter{}, 0, 0)
	if err != nil || len(runs) != 5 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if r := runs[3]; r.Outcome != "o\ufffdk" || r.Ledger != nil || !strings.Contains(r.Description, "left out") {
		t.Errorf("%+v", r)
	}
	if r := runs[2]; r.Usage != nil || r.IdentityID != 2 {
		t.Errorf("%+v", r)
	}
	got, err := s.Get(t.Context(), Filter{}, runs[1].ID)
	if err != nil || len(got.Calls) != MaxCalls || got.CallsOmitted != 5 || len(got.Program) != 1<<20 {
		t.Errorf("%d calls, %d omitted, %v", len(got.Calls), got.CallsOmitted, err)
	}
}

func TestFilters(t *testing.T) {
	s := New(pgtest.New(t))
	base := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var all []Record
	for i := range 6 {
		r := record(int64(1+i%2), fmt.Sprintf("result = %d", i), []string{"ok", "timeout", "memory"}[i%3])
		r.Started = base.Add(time.Duration(i) * time.Hour)
		all = append(all, r)
	}
	all[4].Description, all[5].Error = "100%_done", `Fall\back`
	all[3].Kind, all[3].Tool, all[3].Session = KindTool, "hybrid_search", "s2"
	all[2].Calls = []Call{{Method: "tools.call", Target: "mcp__a__b"}}
	appendAll(t, s, all...)
	for name, c := range map[string]struct {
		f    Filter
		want string
	}{
		"all":           {Filter{}, "543210"},
		"identity":      {Filter{Identity: "id2"}, "531"},
		"identity id":   {Filter{IdentityID: 1}, "420"},
		"one's own":     {Own(2), "531"},
		"nobody's own":  {Own(0), ""},
		"both":          {Filter{IdentityID: 1, Identity: "id2"}, ""},
		"outcome":       {Filter{Outcome: "timeout"}, "41"},
		"failed":        {Filter{Outcome: "failed"}, "5421"},
		"since":         {Filter{Since: base.Add(4 * time.Hour)}, "54"},
		"until":         {Filter{Until: base.Add(time.Hour)}, "0"},
		"range":         {Filter{Since: base.Add(time.Hour), Until: base.Add(3 * time.Hour)}, "21"},
		"kind":          {Filter{Kind: KindTool}, "3"},
		"tool":          {Filter{Tool: "hybrid_search"}, "3"},
		"session":       {Filter{Session: "s2"}, "3"},
		"program text":  {Filter{Text: "RESULT = 3"}, "3"},
		"no wildcards":  {Filter{Text: "%_DONE"}, "4"},
		"backslash":     {Filter{Text: `l\b`}, "5"},
		"method":        {Filter{Method: "tools.call"}, "2"},
		"target":        {Filter{Method: "mcp__a__b"}, "2"},
		"injection":     {Filter{Identity: "id1' or '1'='1"}, ""},
		"placeholder":   {Filter{Text: "$1"}, ""},
		"broken UTF-8":  {Filter{Text: "\xff\x00"}, ""},
		"identity in 2": {Filter{IdentityID: 2, Text: "result"}, "531"},
	} {
		runs, _, err := s.List(t.Context(), c.f, 0, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		for _, r := range runs {
			got += fmt.Sprint(int(r.Started.Sub(base).Hours()))
		}
		var out bytes.Buffer
		n, err := s.Export(t.Context(), &out, c.f)
		st, err2 := s.Stats(t.Context(), c.f)
		if got != c.want || err != nil || n != len(c.want) || err2 != nil || st.Runs != int64(n) {
			t.Errorf("%s: list %q, export %d, stats %d, want %q; %v, %v", name, got, n, st.Runs, c.want, err, err2)
		}
	}
	// Pages.
	runs, more, err := s.List(t.Context(), Filter{}, 4, 0)
	if err != nil || !more || len(runs) != 4 {
		t.Fatal(len(runs), more, err)
	}
	if rest, more, err := s.List(t.Context(), Filter{}, 4, runs[3].ID); err != nil || more || len(rest) != 2 {
		t.Error(len(rest), more, err)
	}
	// One's own filter hides others' runs from Get too.
	if _, err := s.Get(t.Context(), Filter{IdentityID: 9}, runs[0].ID); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestStats(t *testing.T) {
	s := New(pgtest.New(t))
	empty, err := s.Stats(t.Context(), Filter{IdentityID: 1})
	if err != nil || empty.Runs != 0 || empty.First != nil || empty.P95Millis != 0 {
		t.Fatalf("%+v, %v", empty, err)
	}
	a := record(1, "a", "ok")
	a.Ledger, a.Duration = json.RawMessage(`{"tokens_touched": 1000, "tokens_returned": 10, "calls": {"x": 1}}`), 10*time.Millisecond
	a.Calls = []Call{{Method: "search.hybrid"}, {Method: "search.hybrid"}}
	b := record(1, "b", "timeout")
	b.Ledger, b.Duration, b.Tool = json.RawMessage(`{"tokens_touched": "many"}`), 30*time.Millisecond, "hybrid_search"
	appendAll(t, s, a, b, record(2, "c", "ok"))
	st, err := s.Stats(t.Context(), Filter{IdentityID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if st.Runs != 2 || st.TokensTouched != 1000 || st.TokensReturned != 10 || st.HostCalls != 2 || st.Outcomes["timeout"] != 1 || st.Outcomes["ok"] != 1 ||
		st.Tools["hybrid_search"] != 1 || st.Methods["search.hybrid"] != 2 || st.TotalMillis != 40 || st.P50Millis != 20 || st.First == nil {
		t.Errorf("%+v", st)
	}
}

// TestTokensOfADirectCall: the answer is counted and not kept.
func TestTokensOfADirectCall(t *testing.T) {
	s := New(pgtest.New(t))
	r := record(1, "{}", "ok")
	r.Kind, r.Tool, r.Answer = KindTool, "hybrid_search", strings.Repeat("one two three ", 100)
	appendAll(t, s, r)
	st, err := s.Stats(t.Context(), Filter{IdentityID: 1})
	if n := int64(render.CountTokens(r.Answer)); err != nil || st.TokensTouched != n || st.TokensReturned != n {
		t.Errorf("%+v, %v; the answer has %d tokens", st, err, n)
	}
}

// TestAppendOnly: update, delete and truncate are refused, to the owner too; only the
// owner prunes; a role with the documented grants can write and read, and nothing else.
func TestAppendOnly(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool)
	old := record(1, "old", "ok")
	old.Started = time.Now().Add(-48 * time.Hour)
	old.Calls = []Call{{Method: "m"}}
	appendAll(t, s, old, record(1, "new", "ok"))
	attempts := []string{
		`update audit_runs set program = ''`, `delete from audit_runs`, `truncate audit_runs cascade`, `update audit_calls set method = ''`,
		`delete from audit_calls`, `truncate audit_calls`, `delete from audit_runs where false`, `select set_config('bmcis.audit_prune', 'on', false); delete from audit_runs`,
	}
	refused := func(conn *pgxpool.Conn, who, sql string) {
		t.Helper()
		_, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		var pe *pgconn.PgError
		if !errors.As(err, &pe) || pe.Code != "42501" {
			t.Errorf("%s: %s: %v", who, sql, err)
		}
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range attempts {
		refused(conn, "owner", sql)
	}

	role := strings.ToLower("bmcis_test_" + fmt.Sprint(time.Now().UnixNano()))
	for _, sql := range strings.Split(grants(t, role), ";\n") {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	t.Cleanup(func() {
		ctx := context.Background()
		defer conn.Release()
		if _, err := conn.Exec(ctx, "reset role; drop owned by "+role+"; drop role "+role, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Error(err)
		}
	})
	cfg := pool.Config()
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "set role "+role)
		return err
	}
	limited, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer limited.Close()
	server := New(limited)
	withCalls := record(2, "by the server", "ok")
	withCalls.Calls = []Call{{Method: "m"}}
	appendAll(t, server, withCalls)
	if runs, _, err := server.List(ctx, Filter{IdentityID: 2}, 0, 0); err != nil || len(runs) != 1 {
		t.Errorf("the server reads %d, %v", len(runs), err)
	}
	if _, err := server.Prune(ctx, time.Now(), "mallory"); err == nil {
		t.Error("the server's role prunes")
	}
	if _, err := conn.Exec(ctx, "set role "+role); err != nil {
		t.Fatal(err)
	}
	for _, sql := range append(attempts, `select audit_prune(now())`, `drop table audit_runs`, `alter table audit_runs disable trigger all`,
		`select set_config('bmcis.audit_prune', pg_current_xact_id()::text, true); delete from audit_runs`) {
		if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err == nil {
			t.Errorf("the server's role: %s", sql)
		}
	}

	if n, err := s.Prune(ctx, time.Now().Add(-24*time.Hour), "root"); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	runs, _, err := s.List(ctx, Filter{}, 0, 0)
	if err != nil || len(runs) != 3 || runs[0].Kind != KindPrune || runs[0].Identity != "root" || !strings.HasPrefix(runs[0].Description, "1 runs") {
		t.Errorf("after pruning %+v, %v", runs, err)
	}
}

// TestDatabaseAway: while the database refuses, records wait, in bounds; when it is
// back they are all there, in order, and what could not wait is named in the log.
func TestDatabaseAway(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool)
	rename := func(from, to string) {
		t.Helper()
		if _, err := pool.Exec(ctx, "alter table "+from+" rename to "+to); err != nil {
			t.Fatal(err)
		}
	}
	failures := make(chan error, 1000)
	w := s.NewWriter(WriterConfig{Queue: 10, OnError: func(err error) { failures <- err }})
	if err := w.Append(ctx, record(1, "0", "ok")); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	rename("audit_runs", "away")
	for i := 1; i <= 10; i++ {
		if err := w.Append(ctx, record(1, fmt.Sprint(i), "ok")); err != nil {
			t.Fatal(err)
		}
	}
	<-failures
	if st := w.State(); st.Waiting != 10 || st.Error == "" || st.Failing.IsZero() || st.Written != 1 {
		t.Errorf("%+v", st)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := w.Append(gone, record(1, "lost", "ok")); !errors.Is(err, ErrNotRecorded) || !errors.Is(err, context.Canceled) {
		t.Errorf("a full queue: %v", err)
	}
	if err := w.Flush(gone); err == nil {
		t.Error("flushed what is not written")
	}
	waits := make(chan error)
	go func() { waits <- w.Append(ctx, record(1, "11", "ok")) }()
	rename("away", "audit_runs")
	if err := <-waits; err != nil {
		t.Errorf("who waited for room: %v", err)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if st := w.State(); st.Waiting != 0 || st.Error != "" || st.Written != 12 || st.Lost != 1 {
		t.Errorf("%+v", st)
	}
	var out bytes.Buffer
	if _, err := s.Export(ctx, &out, Filter{}); err != nil {
		t.Fatal(err)
	}
	order, gaps := "", ""
	for d := json.NewDecoder(&out); d.More(); {
		var r Run
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Kind == KindGap {
			gaps += r.Description
		} else {
			order += r.Program + " "
		}
	}
	if order != "0 1 2 3 4 5 6 7 8 9 10 11 " || gaps != "1 records were lost here" {
		t.Errorf("order %q, gaps %q", order, gaps)
	}
	if err := w.Append(ctx, record(1, "late", "ok")); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("after Close: %v", err)
	}
	if err := w.Close(ctx); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestCloseWhileAway: Close ends in its time and says what is lost.
func TestCloseWhileAway(t *testing.T) {
	pool := pgtest.New(t)
	failed := make(chan error, 1000)
	w := New(pool).NewWriter(WriterConfig{OnError: func(err error) { failed <- err }})
	if _, err := pool.Exec(t.Context(), "alter table audit_runs rename to away"); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(t.Context(), record(1, "x", "ok")); err != nil {
		t.Fatal(err)
	}
	<-failed
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Close(ctx); err == nil || !strings.Contains(err.Error(), "1 records are lost") {
		t.Errorf("%v", err)
	}
	if st := w.State(); st.Lost != 1 {
		t.Errorf("%+v", st)
	}
}

// TestWrittenOnce: a commit whose answer was lost is not repeated, and ids that belong
// to others do not swallow a batch.
func TestWrittenOnce(t *testing.T) {
	ctx := t.Context()
	pool := pgtest.New(t)
	s := New(pool)
	b := &batch{records: []Record{record(1, "a", "ok").clean(), record(1, "b", "ok").clean()}}
	for range 2 { // the second attempt is the one after a lost answer
		if lost, err := s.write(ctx, b); err != nil || lost != 0 {
			t.Fatal(lost, err)
		}
	}
	other := &batch{records: []Record{record(2, "c", "ok").clean()}, ids: b.ids[:1:1]}
	if _, err := s.write(ctx, other); err == nil {
		t.Error("another's row was taken for this record")
	}
	if _, err := s.write(ctx, other); err != nil {
		t.Fatal(err)
	}
	if st, err := s.Stats(ctx, Filter{}); err != nil || st.Runs != 3 {
		t.Errorf("%d runs, %v", st.Runs, err)
	}
}

// TestManyWriters: everything that many appended at once is there, once, and the order
// of each is kept.
func TestManyWriters(t *testing.T) {
	ctx := t.Context()
	s := New(pgtest.New(t))
	w := s.NewWriter(WriterConfig{Queue: 7, QueueBytes: 5000})
	const writers, each = 8, 60
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				if err := w.Append(ctx, record(int64(i+1), fmt.Sprint(j), "ok")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := s.Export(ctx, &out, Filter{}); err != nil || n != writers*each {
		t.Fatal(n, err)
	}
	next := map[int64]int{}
	for d := json.NewDecoder(&out); d.More(); {
		var r Run
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Program != fmt.Sprint(next[r.IdentityID]) {
			t.Fatalf("identity %d: %s after %d", r.IdentityID, r.Program, next[r.IdentityID]-1)
		}
		next[r.IdentityID]++
	}
}

func TestDigestText(t *testing.T) {
	d := DigestOf([]byte("x"))
	var back Digest
	if err := back.UnmarshalText([]byte(d.String())); err != nil || back != d {
		t.Error(err)
	}
	for _, bad := range []string{"", "sha256:", d.String()[7:], d.String() + "00", "sha256:" + strings.Repeat("g", 64)} {
		if err := back.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// BenchmarkAppend is what a server pays for a record while the writer keeps up.
func BenchmarkAppend(b *testing.B) {
	w := New(pgtest.New(b)).NewWriter(WriterConfig{Queue: 1 << 20, QueueBytes: 1 << 40})
	r := record(1, strings.Repeat("result = search('x')\n", 40), "ok")
	r.Calls = make([]Call, 5)
	for b.Loop() {
		if err := w.Append(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	if err := w.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
