package segment

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/bmcis/bmcis/internal/text"
)

// Builder makes a segment of documents. The zero value is ready; it is not safe for
// concurrent use.
type Builder struct {
	terms map[string]uint32
	names []string
	docs  []pendingDoc
	occ   []occurrence
	// described says that the attributes of documents are known.
	described bool
}

type pendingDoc struct {
	chunk, birth int64
	lens         [NumFields]uint32
	from, to     int // in occ
	record       *Record
}

type occurrence struct {
	term uint32
	pos  uint32 // and the field in the two highest bits
}

const (
	fieldShift = 30
	maxPos     = 1<<fieldShift - 1
)

// Add adds a document with the tokens of its fields, each in order of positions. Terms
// are kept, so they must not be changed.
func (b *Builder) Add(chunk, birth int64, fields [NumFields][]text.Token) {
	if b.terms == nil {
		b.terms = map[string]uint32{}
	}
	d := pendingDoc{chunk: chunk, birth: birth, from: len(b.occ)}
	for f, tokens := range fields {
		d.lens[f] = uint32(len(tokens))
		for _, t := range tokens {
			id, ok := b.terms[t.Term]
			if !ok {
				id = uint32(len(b.names))
				b.terms[t.Term] = id
				b.names = append(b.names, t.Term)
			}
			b.occ = append(b.occ, occurrence{id, uint32(f)<<fieldShift | uint32(min(t.Position, maxPos))})
		}
	}
	d.to = len(b.occ)
	b.docs = append(b.docs, d)
}

// Describe gives the document last added its record; nil says that it has none. What
// has the same pointer shares a record. Unless it is called, the segment has no
// attributes.
func (b *Builder) Describe(r *Record) {
	b.described = true
	b.docs[len(b.docs)-1].record = r
}

// attributes lays out the records of the sorted documents.
func (b *Builder) attributes() *attributesWriter {
	if !b.described {
		return nil
	}
	w := &attributesWriter{}
	numbers := map[*Record]uint32{nil: 0}
	for _, d := range b.docs {
		n, ok := numbers[d.record]
		if !ok {
			n = w.add(*d.record)
			numbers[d.record] = n
		}
		w.of = append(w.of, n)
	}
	return w
}

// Docs is the number of documents added.
func (b *Builder) Docs() int { return len(b.docs) }

// Finish gives the segment and makes the builder ready for the next.
func (b *Builder) Finish() ([]byte, *Meta, error) {
	slices.SortStableFunc(b.docs, func(x, y pendingDoc) int { return cmp.Compare(x.chunk, y.chunk) })
	docs := &Docs{}
	for f := range docs.Lens {
		docs.Lens[f] = make([]uint32, len(b.docs))
	}
	// Group the occurrences by term with a counting sort; documents stay ascending.
	starts := make([]int, len(b.names)+1)
	for _, o := range b.occ {
		starts[o.term+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	type placed struct{ doc, pos uint32 }
	grouped := make([]placed, len(b.occ))
	next := slices.Clone(starts)
	for i, d := range b.docs {
		docs.Chunks = append(docs.Chunks, d.chunk)
		docs.Births = append(docs.Births, d.birth)
		for f, n := range d.lens {
			docs.Lens[f][i] = n
		}
		for _, o := range b.occ[d.from:d.to] {
			grouped[next[o.term]] = placed{uint32(i), o.pos}
			next[o.term]++
		}
	}
	// First pass: postings with their shapes.
	table := newShapeTable()
	postDocs := make([]uint32, 0, len(grouped))
	postShapes := make([]uint32, 0, len(grouped))
	postEnds := make([]int, len(b.names))
	for t := range b.names {
		g := grouped[starts[t]:starts[t+1]]
		for i := 0; i < len(g); {
			var s Shape
			doc := g[i].doc
			for ; i < len(g) && g[i].doc == doc; i++ {
				if f := g[i].pos >> fieldShift; s[f] < maxTF {
					s[f]++
				}
			}
			postDocs = append(postDocs, doc)
			postShapes = append(postShapes, table.add(s, 1))
		}
		postEnds[t] = len(postDocs)
	}
	w, err := newWriter(text.Version, docs, table.shapes, table.freqs)
	if err != nil {
		return nil, nil, err
	}
	w.attrs = b.attributes()
	// Second pass: the terms in their order.
	order := make([]uint32, len(b.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return cmp.Compare(b.names[x], b.names[y]) })
	var raw []byte
	var ends []int
	var shapes []uint16
	for _, t := range order {
		from := 0
		if t > 0 {
			from = postEnds[t-1]
		}
		raw, ends, shapes = raw[:0], ends[:0], shapes[:0]
		g := grouped[starts[t]:starts[t+1]]
		prev := placed{doc: ^uint32(0)}
		var n [NumFields]int
		for i, o := range g {
			f, pos := o.pos>>fieldShift, o.pos&maxPos
			if o.doc != prev.doc || f != prev.pos>>fieldShift {
				if i > 0 && o.doc != prev.doc {
					ends = append(ends, len(raw))
					n = [NumFields]int{}
				}
				prev.pos = f << fieldShift
			}
			if n[f]++; n[f] <= maxTF {
				raw = binary.AppendUvarint(raw, uint64(pos-prev.pos&maxPos))
				prev = o
			}
			prev.doc = o.doc
		}
		ends = append(ends, len(raw))
		for _, s := range postShapes[from:postEnds[t]] {
			shapes = append(shapes, uint16(s))
		}
		w.term(b.names[t], postDocs[from:postEnds[t]], shapes, raw, ends)
	}
	out := w.finish()
	*b = Builder{}
	return out, &w.meta, nil
}
