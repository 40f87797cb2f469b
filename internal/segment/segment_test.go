package segment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bmcis/bmcis/internal/text"
)

// doc is a document in the words of the tests: terms by field, in order.
type doc struct {
	chunk, birth int64
	fields       [NumFields][]string
	record       *Record
}

func tokens(words []string) []text.Token {
	var out []text.Token
	for i, w := range words {
		out = append(out, text.Token{Term: w, Position: i})
	}
	return out
}

// build makes a segment; it has attributes when one of the documents has a record.
func build(t testing.TB, docs []doc) []byte {
	t.Helper()
	var b Builder
	described := slices.ContainsFunc(docs, func(d doc) bool { return d.record != nil })
	for _, d := range docs {
		var f [NumFields][]text.Token
		for i, words := range d.fields {
			f[i] = tokens(words)
		}
		b.Add(d.chunk, d.birth, f)
		if described {
			b.Describe(d.record)
		}
	}
	out, _, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func randomDocs(r *rand.Rand, n int, first int64) []doc {
	vocabulary := make([]string, 400)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("w%03d", i)
	}
	docs := make([]doc, n)
	for i := range docs {
		docs[i].chunk, docs[i].birth = first+int64(i), 7
		for f, most := range [NumFields]int{3, 4, 60, 2} {
			for range r.IntN(most + 1) {
				docs[i].fields[f] = append(docs[i].fields[f], vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64()*r.Float64())])
			}
		}
	}
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// check compares a segment with the documents that went in.
func check(t *testing.T, b []byte, docs []doc) *File {
	t.Helper()
	f, err := OpenFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b doc) int { return int(a.chunk - b.chunk) })
	if f.Docs != len(docs) {
		t.Fatalf("%d documents, want %d", f.Docs, len(docs))
	}
	checkAttributes(t, f, docs)
	want := map[string]map[uint32][NumFields][]uint32{}
	for i, d := range docs {
		if f.Documents.Chunks[i] != d.chunk || f.Documents.Births[i] != d.birth {
			t.Fatalf("document %d: chunk %d born %d, want %d born %d", i, f.Documents.Chunks[i], f.Documents.Births[i], d.chunk, d.birth)
		}
		for fi, words := range d.fields {
			if got := f.Documents.Len(fi, uint32(i)); int(got) != len(words) {
				t.Fatalf("document %d field %d: length %d, want %d", i, fi, got, len(words))
			}
			for pos, w := range words {
				if want[w] == nil {
					want[w] = map[uint32][NumFields][]uint32{}
				}
				p := want[w][uint32(i)]
				p[fi] = append(p[fi], uint32(pos))
				want[w][uint32(i)] = p
			}
		}
	}
	if int(f.Terms) != len(want) {
		t.Fatalf("%d terms, want %d", f.Terms, len(want))
	}
	for w, in := range want {
		e, err := f.Find(w)
		if err != nil || e == nil {
			t.Fatalf("find %q: %v, %v", w, e, err)
		}
		l, err := f.List(e)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := f.Positions(e, l)
		if err != nil {
			t.Fatal(err)
		}
		if e.DF != len(in) || len(l.Docs) != len(in) || len(l.Codes) != len(in) {
			t.Fatalf("%q: df %d, %d postings, want %d", w, e.DF, len(l.Docs), len(in))
		}
		for i, d := range l.Docs {
			if i > 0 && d <= l.Docs[i-1] {
				t.Fatalf("%q: document %d after %d", w, d, l.Docs[i-1])
			}
			for fi := range NumFields {
				got, err := pos.Of(nil, i, fi)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, in[d][fi]) || int(f.Shapes[l.Codes[i]][fi]) != len(got) {
					t.Fatalf("%q document %d field %d: positions %v, want %v", w, d, fi, got, in[d][fi])
				}
			}
			bounded := false
			for _, p := range l.BlockPairs(i / BlockSize) {
				bounded = bounded || p.TF >= f.Shapes[l.Codes[i]].Sum() && p.Len <= f.Documents.Total[d]
			}
			if !bounded {
				t.Fatalf("%q posting %d is above the bounds of its block", w, i)
			}
		}
	}
	for _, w := range []string{"", "a", "w000a", "zzz"} {
		if e, err := f.Find(w); err != nil || e != nil {
			t.Fatalf("find %q: %v, %v", w, e, err)
		}
	}
	return f
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		docs := randomDocs(r, []int{1, 2, 127, 129, 900, 3000}[seed], 1000)
		check(t, build(t, docs), docs)
	}
}

func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []doc
	var sources []Source
	for range 5 {
		docs := randomDocs(r, 1+r.IntN(700), 1)
		describe(r, docs)
		for i := range docs {
			docs[i].chunk = docs[i].chunk*5 + int64(len(sources)) // interleaved chunks
		}
		f := check(t, build(t, docs), docs)
		dropped := make([]uint64, (f.Docs+63)/64)
		for d, chunk := range f.Documents.Chunks {
			if r.IntN(4) == 0 {
				dropped[d>>6] |= 1 << (d & 63)
				docs = slices.DeleteFunc(docs, func(x doc) bool { return x.chunk == chunk })
			}
		}
		sources = append(sources, Source{File: f, Dropped: dropped})
		all = append(all, docs...)
	}
	out, meta, err := Merge(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	if f := check(t, out, all); meta.Docs != f.Docs {
		t.Fatalf("%d documents, want %d", meta.Docs, f.Docs)
	}
}

func TestMergeKeepsTheNewestVersion(t *testing.T) {
	old := doc{chunk: 5, birth: 1, fields: [NumFields][]string{Body: {"old"}}}
	now := doc{chunk: 5, birth: 2, fields: [NumFields][]string{Body: {"now"}}}
	var sources []Source
	for _, d := range []doc{now, old} {
		f, err := OpenFile(build(t, []doc{d}))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{File: f})
	}
	out, _, err := Merge(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	check(t, out, []doc{now})
}

func TestMergeOfNothing(t *testing.T) {
	f, err := OpenFile(build(t, []doc{{chunk: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Merge(context.Background(), []Source{{File: f, Dropped: []uint64{1}}})
	if out != nil || err != nil {
		t.Fatalf("merge of dropped documents: %d bytes, %v", len(out), err)
	}
}

func TestEveryFlippedByteIsNoticed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	docs := randomDocs(r, 300, 1)
	describe(r, docs)
	b := build(t, docs)
	for at := 0; at < len(b); at += 1 + r.IntN(40) {
		damaged := slices.Clone(b)
		damaged[at] ^= 1 << r.IntN(8)
		f, err := OpenFile(damaged)
		if err == nil {
			err = f.Verify()
		}
		if err == nil {
			t.Fatalf("byte %d of %d changed, and nothing noticed", at, len(b))
		}
	}
}
