package lexical

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/segment"
)

// described is a document with everything that filters can look at.
type described struct {
	id                      int64 // in the table, once stored
	name, title, url, place string
	metadata                map[string]any
	created                 string
	chunks, words           int
}

var filterValues = []any{nil, true, false, 0, 1, 1.0, -2.5, 1e22, json.Number("9007199254740993"), json.Number("1.50"), "", "a", "ab", "Ä", "2024-05-01", "a'b"}

func randomDescribed(r *rand.Rand, n int) described {
	value := func() any {
		switch r.IntN(6) {
		case 0:
			return []any{filterValues[r.IntN(len(filterValues))], filterValues[r.IntN(len(filterValues))]}
		case 1:
			return map[string]any{"x": filterValues[r.IntN(len(filterValues))], "y": map[string]any{"z": r.IntN(3)}}
		}
		return filterValues[r.IntN(len(filterValues))]
	}
	d := described{
		name: fmt.Sprintf("doc %d", n), title: vocabulary[r.IntN(4)], place: []string{"", "a", "b"}[r.IntN(3)],
		url: fmt.Sprintf("https://example.org/%d", r.IntN(5)), metadata: map[string]any{},
		created: fmt.Sprintf("2024-05-0%dT00:00:00.00000%dZ", 1+r.IntN(3), r.IntN(3)), chunks: 1 + r.IntN(4), words: 1 + r.IntN(10),
	}
	for range r.IntN(4) {
		d.metadata[[]string{"f", "g", "h", "odd key"}[r.IntN(4)]] = value()
	}
	if r.IntN(20) == 0 {
		d.metadata[fmt.Sprintf("only%d", n)] = "here"
	}
	return d
}

// write stores documents as ingestion does: chunks whose document changed are indexed
// again.
func (f *fixture) write(r *rand.Rand, docs []*described) {
	f.t.Helper()
	ctx := f.t.Context()
	f.tx(func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "update collections set generation = generation + 1 where id = $1", f.c.ID); err != nil {
			return err
		}
		var old []int64
		var again []Document
		for _, d := range docs {
			if d.id != 0 {
				_, err := tx.Exec(ctx, `update documents set title = $2, source = $3, uri = $4, metadata = $5, updated_at = $6 where id = $1`,
					d.id, d.title, d.place, d.url, d.metadata, "2025-01-01T00:00:00Z")
				if err != nil {
					return err
				}
				var chunks []int64
				if err := tx.QueryRow(ctx, "select array_agg(id) from chunks where document_id = $1", d.id).Scan(&chunks); err != nil {
					return err
				}
				for _, id := range chunks {
					old = append(old, id)
					again = append(again, f.docs[id])
				}
				continue
			}
			err := tx.QueryRow(ctx, `insert into documents (collection_id, external_id, title, body, content_hash, source, uri, metadata, created_at, updated_at)
				values ($1, $2, $3, '', '', $4, $5, $6, $7, $7) returning id`, f.c.ID, d.name, d.title, d.place, d.url, d.metadata, d.created).Scan(&d.id)
			if err != nil {
				return err
			}
			for range d.chunks {
				doc := Document{Body: "every " + randomWords(r, d.words)}
				err := tx.QueryRow(ctx, `insert into chunks (document_id, collection_id, stable_id, ordinal, body, start_offset, end_offset)
					values ($1, $2, gen_random_uuid()::text, 0, $3, 0, 0) returning id`, d.id, f.c.ID, doc.Body).Scan(&doc.Chunk)
				if err != nil {
					return err
				}
				f.docs[doc.Chunk] = doc
				again = append(again, doc)
			}
		}
		if err := f.ix.Delete(ctx, tx, f.c, old); err != nil {
			return err
		}
		return f.ix.Append(ctx, tx, f.c, again)
	})
}

func randomFilter(r *rand.Rand, depth int) filter.Expr {
	if depth > 0 && r.IntN(2) == 0 {
		of := []filter.Expr{randomFilter(r, depth-1), randomFilter(r, depth-1)}
		return []filter.Expr{filter.And(of...), filter.Or(of...), filter.Not(of[0])}[r.IntN(3)]
	}
	for {
		v, w := filterValues[r.IntN(len(filterValues))], filterValues[r.IntN(len(filterValues))]
		field := []string{"f", "g", "h", "`odd key`", "f.x", "g.y.z", "never", "only3"}[r.IntN(8)]
		switch r.IntN(5) {
		case 0:
			field = []string{"created", "updated"}[r.IntN(2)]
			v, w = fmt.Sprintf("2024-05-0%dT00:00:00.000001Z", 1+r.IntN(3)), "2024-12-01"
		case 1:
			field = []string{"id", "source", "title", "uri", "collection"}[r.IntN(5)]
			v = []string{"", "a", "test", vocabulary[0], "doc 3", "https://example.org/2"}[r.IntN(6)]
			w = "b"
		}
		e := []filter.Expr{
			filter.Eq(field, v), filter.Ne(field, v), filter.In(field, v, w), filter.Lt(field, v), filter.Ge(field, v),
			filter.Between(field, v, w), filter.Exists(field), filter.Prefix(field, "https"), filter.Contains(field, v),
		}[r.IntN(9)]
		if filter.Check(e) == nil {
			return e
		}
	}
}

// TestFiltersEqualSQL compares what a filter keeps of the segments with what SQL keeps of
// the tables: with several segments, documents that changed, deletions, merges, and
// segments of the first format, which have no columns.
func TestFiltersEqualSQL(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(8, 4))
	if s := os.Getenv("BMCIS_TEST_SEED"); s != "" {
		var seed uint64
		fmt.Sscan(s, &seed)
		r = rand.New(rand.NewPCG(seed, 4))
	}
	var docs []*described
	add := func(n int) {
		batch := make([]*described, n)
		for i := range batch {
			d := randomDescribed(r, len(docs)+i)
			batch[i] = &d
		}
		f.write(r, batch)
		docs = append(docs, batch...)
	}
	kept := 0
	check := func(what string) {
		t.Helper()
		for range 60 {
			e := randomFilter(r, 3)
			where, args, err := filter.SQL(e, 1)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := f.pool.Query(t.Context(), `select k.id from chunks k join documents d on d.id = k.document_id
				join collections c on c.id = d.collection_id where (`+where+`) order by k.id`, args...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			res := f.search(Query{Text: "every", Filter: e, Limit: 10_000})
			for _, h := range res.Hits {
				got = append(got, h.Chunk)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || len(res.Degraded) > 0 {
				t.Fatalf("%s: %s keeps %v, SQL keeps %v (degraded %v)", what, e, got, want, res.Degraded)
			}
			kept += len(got)
		}
	}
	add(40)
	check("one segment")
	add(30)
	add(1)
	check("three segments")
	for i := range docs {
		if r.IntN(3) == 0 {
			d := randomDescribed(r, i)
			d.id, d.name, d.created, d.chunks = docs[i].id, docs[i].name, docs[i].created, docs[i].chunks
			docs[i] = &d
			f.write(r, []*described{&d})
		}
	}
	check("documents that changed")
	f.stripAttributes()
	check("segments of the first format")
	add(25)
	check("both formats")
	if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	for _, s := range f.ix.viewSlot(f.c.ID).Load().segs {
		if s.meta.AttributesRange().Len == 0 {
			t.Error("a merged segment has no attributes")
		}
	}
	check("merged")
	f.ix = New(f.pool, Config{CacheBytes: 20 << 10}) // hardly anything stays in memory
	check("a small cache")
	if kept == 0 {
		t.Error("no filter kept anything: nothing was tested")
	}
	if report, err := f.ix.Verify(t.Context(), f.c); err != nil || !report.OK() {
		t.Fatalf("verify: %+v, %v", report, err)
	}
	// Somebody changes a row behind the index: Verify says so, Repair mends it.
	if _, err := f.pool.Exec(t.Context(), `update documents set metadata = '{"f": "behind"}' where id = $1`, docs[0].id); err != nil {
		t.Fatal(err)
	}
	if report, err := f.ix.Verify(t.Context(), f.c); err != nil || report.Stale != docs[0].chunks {
		t.Fatalf("verify after a change behind the index: %+v, %v", report, err)
	}
	if report, err := f.ix.Repair(t.Context(), f.c); err != nil || !report.Repaired {
		t.Fatalf("repair: %+v, %v", report, err)
	}
	if n := len(f.search(Query{Text: "every", Filter: filter.Eq("f", "behind")}).Hits); n != docs[0].chunks {
		t.Errorf("after the repair %d chunks are found, want %d", n, docs[0].chunks)
	}
	check("repaired")
}

// stripAttributes rewrites all segments as the first format had them: without
// attributes.
func (f *fixture) stripAttributes() {
	f.t.Helper()
	ctx := f.t.Context()
	a, err := f.ix.analyzer(f.c.Language)
	if err != nil {
		f.t.Fatal(err)
	}
	f.tx(func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "select id, size from lex_segments order by id")
		if err != nil {
			return err
		}
		type row struct{ ID, Size int64 }
		segs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			return err
		}
		for _, s := range segs {
			data, err := read(ctx, tx, []want{{s.ID, segment.Range{Len: s.Size}}})
			if err != nil {
				return err
			}
			file, err := segment.OpenFile(data[0])
			if err != nil {
				return err
			}
			var b segment.Builder
			for d, chunk := range file.Documents.Chunks {
				b.Add(chunk, file.Documents.Births[d], analyse(a, f.docs[chunk]))
			}
			out, meta, err := b.Finish()
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "delete from lex_segments where id = $1", s.ID); err != nil {
				return err
			}
			if _, err := insert(ctx, tx, f.c.ID, 1, out, meta); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestFilterAfterACommitReadsOnlyWhatIsNew: the bitmaps of old segments stay.
func TestFilterAfterACommitReadsOnlyWhatIsNew(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(3, 4))
	var docs []*described
	for i := range 1500 {
		d := randomDescribed(r, i)
		d.chunks, d.words = 1, 200 // more than the 256 KiB that are read at once
		d.metadata["n"] = i
		docs = append(docs, &d)
	}
	f.write(r, docs)
	if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	q := Query{Text: "every", Filter: filter.Lt("n", 1000), Limit: 1}
	if first := f.search(q); first.Stats.BytesRead == 0 {
		t.Fatalf("the first query read nothing: %+v", first.Stats)
	}
	d := randomDescribed(r, 1500)
	f.write(r, []*described{&d})
	if then := f.search(q); then.Stats.BytesRead != 0 { // the new segment came whole with the manifest
		t.Errorf("after a commit a filter read %d bytes", then.Stats.BytesRead)
	}
}

// BenchmarkFilter evaluates filters that nothing is cached of: 100,000 documents.
func BenchmarkFilter(b *testing.B) {
	columns := map[string]filter.Column{"id": {}, ".p": {Of: make([]uint32, 100_000)}}
	ids := filter.Column{}
	for i := range 100_000 {
		ids.Values = append(ids.Values, fmt.Sprintf("folder/%d/file.md", i))
		columns[".p"].Of[i] = uint32(i % 100)
	}
	p := columns[".p"]
	for i := range 100 {
		p.Values = append(p.Values, float64(i))
	}
	columns["id"], columns[".p"] = ids, p
	for _, text := range []string{`p < 10`, `id prefix "folder/99"`, `p < 10 or not (id contains "7" and p > 50)`} {
		e, err := filter.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				if _, err := filter.Select(e, 100_000, columns); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
