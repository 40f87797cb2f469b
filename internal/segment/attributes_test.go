package segment

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// describe gives documents records: some share one, some have none.
func describe(r *rand.Rand, docs []doc) {
	for i := range docs {
		switch {
		case r.IntN(8) == 0:
			continue
		case i > 0 && r.IntN(3) == 0:
			docs[i].record = docs[r.IntN(i)].record
			continue
		}
		record := Record{"id": fmt.Sprint("document ", r.Uint64()), "source": []string{"", "a", "b"}[r.IntN(3)]}
		for range r.IntN(4) {
			record[fmt.Sprintf(".k%d", r.IntN(9))] = fmt.Sprint(r.IntN(20))
		}
		if r.IntN(30) == 0 {
			record[fmt.Sprintf(".rare%d", r.IntN(1000))] = strings.Repeat("long ", r.IntN(100))
		}
		docs[i].record = &record
	}
}

// records reads the record of every document; nil where there is none.
func records(t *testing.T, f *File) []Record {
	t.Helper()
	a, err := f.Attributes()
	if err != nil {
		t.Fatal(err)
	}
	if a == nil {
		return nil
	}
	all := make([]Record, a.Records)
	for i := range all {
		all[i] = Record{}
	}
	for name := range a.Columns {
		c, err := f.Column(a, name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Entries(a.Records) {
			record, value := c.Entry(i)
			all[record][name] = value
		}
	}
	out := make([]Record, f.Docs)
	for d, r := range a.Of {
		if r > 0 {
			out[d] = all[r-1]
		}
	}
	return out
}

func checkAttributes(t *testing.T, f *File, docs []doc) {
	t.Helper()
	got := records(t, f)
	for i, d := range docs {
		switch {
		case d.record == nil && (got == nil || got[i] == nil):
		case d.record == nil || got == nil || !maps.Equal(*d.record, got[i]):
			t.Fatalf("document %d has the record %v, want %v", i, got[i], d.record)
		}
	}
}

func TestAttributesOfSparseAndEqualColumns(t *testing.T) {
	var docs []doc
	for i := range 500 { // a key of its own for each, and a record that all share
		docs = append(docs, doc{chunk: int64(2*i + 1), record: &Record{fmt.Sprintf(".%d", i): "x"}})
	}
	shared := &Record{"source": strings.Repeat("same ", 1000)}
	for i := range 500 {
		docs = append(docs, doc{chunk: int64(2*i + 2), record: shared})
	}
	b := build(t, docs)
	f := check(t, b, docs)
	a, err := f.Attributes()
	if err != nil || a.Records != 501 || len(a.Columns) != 501 {
		t.Fatalf("%+v, %v", a, err)
	}
	if len(b) > 60_000 {
		t.Errorf("%d bytes for 501 small records", len(b))
	}
}

// TestMergeTakesGivenRecords merges a file without attributes with one that has them.
func TestMergeTakesGivenRecords(t *testing.T) {
	plain := []doc{{chunk: 1}, {chunk: 3}, {chunk: 5}}
	one, two := &Record{"id": "one", ".n": "1"}, &Record{"id": "two", ".m": "2"}
	known := []doc{{chunk: 2, record: two}, {chunk: 4, record: two}}
	a, b := check(t, build(t, plain), plain), check(t, build(t, known), known)
	out, _, err := Merge(context.Background(), []Source{{File: a, Records: []*Record{one, nil, one}}, {File: b}})
	if err != nil {
		t.Fatal(err)
	}
	plain[0].record, plain[2].record = one, one
	check(t, out, append(plain, known...))
	out, _, err = Merge(context.Background(), []Source{{File: a}, {File: b}})
	if err != nil {
		t.Fatal(err)
	}
	f := check(t, out, []doc{{chunk: 1}, {chunk: 2}, {chunk: 3}, {chunk: 4}, {chunk: 5}})
	if f.AttributesRange().Len != 0 {
		t.Error("records that nobody knows came out of a merge")
	}
}

func TestTooLongColumnsAreNamedWithoutBytes(t *testing.T) {
	var w attributesWriter
	big := strings.Repeat("x", 1<<20)
	for i := range maxColumn>>20 + 1 {
		w.of = append(w.of, w.add(Record{".big": fmt.Sprint(i, big), ".small": fmt.Sprint(i)}))
	}
	m := &Meta{Docs: len(w.of), Size: 1 << 40}
	directory, _ := w.finish()
	a, err := m.DecodeAttributes(directory)
	if err != nil {
		t.Fatal(err)
	}
	if g, ok := a.Columns[".big"]; !ok || g.Len != 0 || a.Columns[".small"].Len == 0 {
		t.Errorf("%+v", a.Columns)
	}
}
