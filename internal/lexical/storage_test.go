package lexical

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
)

// store writes documents with their rows in the tables, as ingestion does.
func (f *fixture) store(docs ...Document) {
	f.t.Helper()
	f.tx(func(tx pgx.Tx) error {
		ctx := f.t.Context()
		if _, err := tx.Exec(ctx, "update collections set generation = generation + 1 where id = $1", f.c.ID); err != nil {
			return err
		}
		for i := range docs {
			var document int64
			err := tx.QueryRow(ctx, `insert into documents (collection_id, external_id, title, body, content_hash, source)
				values ($1, gen_random_uuid()::text, $2, '', '', $3) returning id`, f.c.ID, docs[i].Title, docs[i].Path).Scan(&document)
			if err != nil {
				return err
			}
			docs[i].Path = ""
			err = tx.QueryRow(ctx, `insert into chunks (document_id, collection_id, stable_id, ordinal, headings, body, start_offset, end_offset)
				values ($1, $2, gen_random_uuid()::text, 0, $3, $4, 0, 0) returning id`,
				document, f.c.ID, append([]string{}, docs[i].Headings...), docs[i].Body).Scan(&docs[i].Chunk)
			if err != nil {
				return err
			}
			f.docs[docs[i].Chunk] = docs[i]
		}
		return f.ix.Append(ctx, tx, f.c, docs)
	})
}

func someDocuments(r *rand.Rand, n int) []Document {
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = randomDocument(r)
		docs[i].Path = ""
	}
	return docs
}

func TestDamageIsNamedAndRepaired(t *testing.T) {
	for name, damage := range map[string]string{
		"head":          "update lex_parts set data = overlay(data placing '\\xffffffff' from 40) where segment_id = $1 and part = 0",
		"dictionary":    "update lex_parts set data = overlay(data placing repeat(chr(255), 0)::bytea || '\\x00ff00ff00ff' from 8000) where segment_id = $1 and part = 0",
		"missing row":   "delete from lex_parts where segment_id = $1",
		"shortened":     "update lex_parts set data = substring(data from 1 for 5000) where segment_id = $1 and part = 0",
		"another's":     "update lex_parts set data = '\\x00' where segment_id = $1",
		"size mismatch": "update lex_segments set size = size - 10 where id = $1",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			r := rand.New(rand.NewPCG(3, 3))
			f.store(someDocuments(r, 600)...)
			good := f.docs
			f.docs = map[int64]Document{}
			f.store(someDocuments(r, 600)...)
			bad := f.docs
			f.docs = map[int64]Document{}
			for id, d := range good {
				f.docs[id] = d
			}
			var id int64
			if err := f.pool.QueryRow(t.Context(), "select max(id) from lex_segments").Scan(&id); err != nil {
				t.Fatal(err)
			}
			if _, err := f.pool.Exec(t.Context(), damage, id); err != nil {
				t.Fatal(err)
			}
			f.ix = New(f.pool, Config{}) // nothing in memory
			// Ask for words until the damaged place is read: it must be named, never
			// swallowed, and the other segment must answer.
			named := false
			for _, w := range vocabulary[:60] {
				res := f.search(Query{Text: w, Limit: 2000})
				for _, d := range res.Degraded {
					if !strings.Contains(d, fmt.Sprintf("segment %d", id)) || !strings.Contains(d, "repair") {
						t.Fatalf("degraded does not name segment %d and the remedy: %q", id, d)
					}
					named = true
				}
				found := map[int64]bool{}
				for _, h := range res.Hits {
					found[h.Chunk] = true
				}
				for chunk, d := range good {
					if strings.Contains(" "+d.Body+" ", " "+w+" ") && !found[chunk] {
						t.Fatalf("%q: chunk %d of the other segment is not found", w, chunk)
					}
				}
			}
			if !named {
				t.Fatal("nobody noticed the damage")
			}
			report, err := f.ix.Verify(t.Context(), f.c)
			if err != nil || len(report.Damaged) != 1 || report.Missing != len(bad) {
				t.Fatalf("verify: %+v, %v", report, err)
			}
			if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
				t.Fatalf("maintenance beside a damaged segment: %v", err)
			}
			if report, err = f.ix.Repair(t.Context(), f.c); err != nil || !report.Repaired {
				t.Fatalf("repair: %+v, %v", report, err)
			}
			if report, err = f.ix.Verify(t.Context(), f.c); err != nil || !report.OK() {
				t.Fatalf("verify after repair: %+v, %v", report, err)
			}
			for id, d := range bad {
				f.docs[id] = d
			}
			for range 20 {
				f.compare(randomWords(r, 3), 10)
			}
		})
	}
}

// TestLostSegmentsAreNamed: rows that are gone leave nothing to check a sum of.
func TestLostSegmentsAreNamed(t *testing.T) {
	f := newFixture(t)
	if res := f.search(Query{Text: vocabulary[0]}); len(res.Degraded) > 0 {
		t.Fatalf("an empty collection is degraded: %q", res.Degraded)
	}
	r := rand.New(rand.NewPCG(3, 11))
	f.store(someDocuments(r, 50)...)
	f.compare(randomWords(r, 3), 10)
	if _, err := f.pool.Exec(t.Context(), "delete from lex_segments"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if res := f.search(Query{Text: vocabulary[0]}); len(res.Hits) > 0 || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "--repair") {
			t.Fatalf("%d hits, degraded %q", len(res.Hits), res.Degraded)
		}
	}
	if _, err := f.ix.Repair(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		f.compare(randomWords(r, 3), 10)
	}
	if res := f.search(Query{Text: vocabulary[0]}); len(res.Degraded) > 0 {
		t.Fatalf("degraded after the repair: %q", res.Degraded)
	}
}

// TestAfterLoadMergesWhereItPays: one segment after a load that is most of the collection,
// the usual tiers after a small one.
func TestAfterLoadMergesWhereItPays(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(3, 10))
	segments := func(written int) int {
		t.Helper()
		if _, err := f.ix.AfterLoad(t.Context(), f.c, written); err != nil {
			t.Fatal(err)
		}
		f.compare(randomWords(r, 3), 10)
		return len(f.ix.viewSlot(f.c.ID).Load().segs)
	}
	for range 3 {
		f.add(someDocuments(r, 2000)...)
		if _, err := f.ix.Maintain(t.Context(), f.c); err != nil {
			t.Fatal(err)
		}
	}
	if n := segments(6000); n != 1 {
		t.Errorf("%d segments after a load of everything", n)
	}
	f.add(someDocuments(r, 1100)...)
	if n := segments(1100); n != 2 {
		t.Errorf("%d segments after a load of a sixth, want two", n)
	}
	f.add(someDocuments(r, 10)...)
	if n := segments(10); n != 3 {
		t.Errorf("%d segments after ten documents, want three", n)
	}
}

// TestOlderAnalysisIsMadeAnew: after an upgrade of the analysis, searches say so, and
// maintenance rebuilds.
func TestOlderAnalysisIsMadeAnew(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(3, 9))
	f.store(someDocuments(r, 50)...)
	var id int64
	var data []byte
	if err := f.pool.QueryRow(t.Context(), "select segment_id, data from lex_parts").Scan(&id, &data); err != nil {
		t.Fatal(err)
	}
	n, err := segment.MetaLen(data)
	if err != nil {
		t.Fatal(err)
	}
	if data[12] != text.Version {
		t.Fatalf("the analysis is not where this test looks for it: %x", data[:20])
	}
	data[12]--
	binary.LittleEndian.PutUint32(data[n-4:], crc32.Checksum(data[:n-4], crc32.MakeTable(crc32.Castagnoli)))
	if _, err := f.pool.Exec(t.Context(), "update lex_parts set data = $2 where segment_id = $1", id, data); err != nil {
		t.Fatal(err)
	}
	f.ix = New(f.pool, Config{})
	if res := f.search(Query{Text: vocabulary[0]}); len(res.Hits) > 0 || !strings.Contains(strings.Join(res.Degraded, ""), "analysis") {
		t.Fatalf("%d hits, degraded %q", len(res.Hits), res.Degraded)
	}
	if report, err := f.ix.Maintain(t.Context(), f.c); err != nil || !report.Rebuilt {
		t.Fatalf("%+v, %v", report, err)
	}
	for range 20 {
		f.compare(randomWords(r, 3), 10)
	}
	if report, err := f.ix.Maintain(t.Context(), f.c); err != nil || report.Rebuilt {
		t.Fatalf("again: %+v, %v", report, err)
	}
}

// TestInterruptedMaintenance cancels seals and merges at random moments: nothing may
// get lost, nothing may be there twice.
func TestInterruptedMaintenance(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(8, 8))
	finished := 0
	for round := range 15 {
		f.store(someDocuments(r, 20+r.IntN(60))...)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			for range r.IntN(4000) {
				if _, err := f.pool.Exec(context.Background(), "select 1"); err != nil || round%3 == 0 {
					break
				}
			}
			cancel()
			close(done)
		}()
		for range 3 {
			if _, err := f.ix.Optimize(ctx, f.c); err == nil {
				finished++
			} else if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		cancel()
		<-done
		if report, err := f.ix.Verify(t.Context(), f.c); err != nil || !report.OK() {
			t.Fatalf("round %d: %+v, %v", round, report, err)
		}
		f.compare(randomWords(r, 3), 20)
	}
	if finished == 0 {
		t.Error("no maintenance ever finished")
	}
}

// TestConcurrentWritersReadersAndMaintainers runs everything at once, from two nodes.
func TestConcurrentWritersReadersAndMaintainers(t *testing.T) {
	f := newFixture(t)
	f.store(someDocuments(rand.New(rand.NewPCG(1, 9)), 50)...)
	other := New(f.pool, Config{CacheBytes: 64 << 10})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for n, ix := range []*Index{f.ix, other, other} {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 2))
			for ctx.Err() == nil {
				if _, err := ix.Search(ctx, Query{Collection: f.c, Text: randomWords(r, 3)}); err != nil && ctx.Err() == nil {
					t.Errorf("search: %v", err)
				}
			}
		})
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := ix.Optimize(ctx, f.c); err != nil && ctx.Err() == nil {
					t.Errorf("maintain: %v", err)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(6, 6))
	for range 25 {
		f.store(someDocuments(r, 1+r.IntN(30))...)
		var some []int64
		for id := range f.docs {
			if some = append(some, id); len(some) == 5 {
				break
			}
		}
		f.tx(func(tx pgx.Tx) error {
			if err := f.ix.Delete(t.Context(), tx, f.c, some); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), "delete from chunks where id = any($1)", some)
			return err
		})
		for _, id := range some {
			delete(f.docs, id)
		}
		f.compare(randomWords(r, 2), 10)
	}
	cancel()
	wg.Wait()
	if report, err := f.ix.Verify(t.Context(), f.c); err != nil || !report.OK() {
		t.Fatalf("%+v, %v", report, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(2, 2))
	f.add(someDocuments(r, 3000)...)
	if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	f.ix = New(f.pool, Config{CacheBytes: 200 << 10})
	misses := int64(0)
	for range 300 {
		q := randomWords(r, 4)
		misses += f.search(Query{Text: q}).Stats.CacheMisses
		f.compare(q, 10)
		if used := f.ix.CacheBytes(); used > 220<<10 {
			t.Fatalf("%d bytes in a cache of %d", used, 200<<10)
		}
	}
	if misses == 0 {
		t.Fatal("everything fitted: nothing was tested")
	}
}

func TestFilter(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(2, 7))
	docs := someDocuments(r, 500)
	want := map[int64]bool{}
	for i := range docs {
		docs[i].Path = []string{"a", "b"}[r.IntN(2)] // store writes it as the source
	}
	sources := make([]string, len(docs))
	for i, d := range docs {
		sources[i] = d.Path
	}
	f.store(docs...)
	for i, d := range docs {
		want[d.Chunk] = sources[i] == "a"
	}
	for range 20 {
		q := randomWords(r, 3)
		got := f.search(Query{Text: q, Filter: filter.Eq("source", "a"), Limit: 15}).Hits
		sameHits(t, q, got, f.brute(q, 15, func(id int64) bool { return want[id] }))
	}
}

func TestBadQueries(t *testing.T) {
	f := newFixture(t)
	f.add(Document{Body: "alpha beta gamma"}, Document{Body: strings.Repeat("word ", 100) + strings.Repeat("x", 1_000_000)})
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "w%d ", i)
	}
	res := f.search(Query{Text: "alpha " + b.String()})
	if len(res.Hits) == 0 || len(res.Degraded) == 0 || !strings.Contains(strings.Join(res.Degraded, ";"), "cut") {
		t.Errorf("a query of 100,000 words: %d hits, degraded %q", len(res.Hits), res.Degraded)
	}
	if got := f.search(Query{Text: strings.Repeat("x", 1_000_000)}).Hits; len(got) != 1 {
		t.Errorf("a word of a million characters finds %v", got)
	}
	if res := f.search(Query{Text: `-alpha`}); len(res.Hits) != 0 || len(res.Degraded) == 0 {
		t.Errorf("nothing to look for: %v, degraded %q", res.Hits, res.Degraded)
	}
	if res := f.search(Query{Text: `"alpha beta`}); len(res.Hits) != 1 || len(res.Degraded) == 0 {
		t.Errorf("an open quote: %v, degraded %q", res.Hits, res.Degraded)
	}
	for query, hint := range map[string]string{
		"+titel:alpha": "did you mean title:?", "titel:alpha": "did you mean title:?", "Heading:alpha": "", "-pth:alpha beta": "did you mean path:?",
		"+author:alpha": "fields are title, headings, body, path", "author:alpha": "", "test:alpha": "", "std::alpha": "",
		"+https://alpha": "", "+localhost:8080": "", "12:30": "", "+description:alpha": "fields are",
	} {
		notes := strings.Join(f.search(Query{Text: query}).Degraded, ";")
		if !strings.Contains(notes, hint) || hint == "" && notes != "" {
			t.Errorf("%s: %q, want %q", query, notes, hint)
		}
	}
	for _, q := range []Query{{Limit: -1}, {Limit: maxLimit + 1}, {Collection: Collection{K1: -1}}, {Collection: Collection{Language: "klingon"}}} {
		q.Text = "alpha"
		if q.Collection.ID == 0 {
			q.Collection.ID = f.c.ID
		}
		if _, err := f.ix.Search(t.Context(), q); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
	if _, err := f.ix.Search(t.Context(), Query{Collection: Collection{ID: 1 << 40}, Text: "alpha"}); err == nil {
		t.Error("a collection that does not exist: no error")
	}
}

func TestBigDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("50 MB")
	}
	f := newFixture(t)
	f.add(Document{Body: strings.Repeat("lorem ipsum dolor sit amet, ", 50<<20/28) + "needle"}, Document{Body: "hay"})
	if got := f.search(Query{Text: "needle"}).Hits; len(got) != 1 {
		t.Fatalf("found %v", got)
	}
	if got := f.search(Query{Text: `"amet needle"`}).Hits; len(got) != 1 {
		t.Fatalf("phrase at the end: %v", got)
	}
}
