package segment

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
)

// Source is a segment to merge and the documents to leave out.
type Source struct {
	*File
	// Dropped holds one bit a document; nil drops none.
	Dropped []uint64
	// Records are those of the documents, by number, for a file without attributes of
	// its own; equal pointers are one record, nil says that there is none.
	Records []*Record
}

const gone = ^uint32(0)

// Merge makes one segment of several. A chunk that several hold is kept in its newest
// version. Without any document left the result is nil.
func Merge(ctx context.Context, sources []Source) ([]byte, *Meta, error) {
	m, err := newMerger(sources)
	if err != nil || m == nil {
		return nil, nil, err
	}
	for n := 0; m.cursors.Len() > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err := m.term(); err != nil {
			return nil, nil, err
		}
	}
	out := m.w.finish()
	return out, &m.w.meta, nil
}

type merger struct {
	sources []Source
	numbers [][]uint32 // per source: old document number → new, or gone
	shapes  [][]uint32 // per source: old shape number → new
	cursors cursors
	w       *writer
	posts   []mergedPosting
	src     []mergedList
	docs    []uint32
	codes   []uint16
	raw     []byte
	ends    []int
}

// mergedPosting is a posting on its way, with where its positions are.
type mergedPosting struct {
	doc   uint32
	shape uint16
	src   uint32 // in merger.src
	i     uint32
}

type mergedList struct {
	list      *List
	positions *Positions
	shapes    []Shape
}

func newMerger(sources []Source) (*merger, error) {
	m := &merger{sources: sources}
	type place struct {
		chunk, birth int64
		src          int
		doc          uint32
	}
	var all []place
	for s, src := range sources {
		m.numbers = append(m.numbers, make([]uint32, src.Docs))
		for d, chunk := range src.Documents.Chunks {
			m.numbers[s][d] = gone
			if src.Dropped == nil || src.Dropped[d>>6]>>(d&63)&1 == 0 {
				all = append(all, place{chunk, src.Documents.Births[d], s, uint32(d)})
			}
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.birth, b.birth), cmp.Compare(a.src, b.src))
	})
	docs := &Docs{}
	var from []docRef
	for i, p := range all {
		if i+1 < len(all) && all[i+1].chunk == p.chunk {
			continue
		}
		from = append(from, docRef{p.src, p.doc})
		m.numbers[p.src][p.doc] = uint32(len(docs.Chunks))
		docs.Chunks = append(docs.Chunks, p.chunk)
		docs.Births = append(docs.Births, p.birth)
		for f := range docs.Lens {
			docs.Lens[f] = append(docs.Lens[f], sources[p.src].Documents.Len(f, p.doc))
		}
	}
	if len(docs.Chunks) == 0 {
		return nil, nil
	}
	table := newShapeTable()
	for _, src := range sources {
		numbers := make([]uint32, len(src.Shapes))
		for i, s := range src.Shapes {
			numbers[i] = table.add(s, src.Freqs[i])
		}
		m.shapes = append(m.shapes, numbers)
	}
	var err error
	if m.w, err = newWriter(sources[0].Analysis, docs, table.shapes, table.freqs); err != nil {
		return nil, err
	}
	if m.w.attrs, err = mergeAttributes(sources, from); err != nil {
		return nil, err
	}
	for s := range sources {
		c := &cursor{src: s, f: sources[s].File}
		ok, err := c.next()
		if err != nil {
			return nil, err
		}
		if ok {
			m.cursors = append(m.cursors, c)
		}
	}
	heap.Init(&m.cursors)
	return m, nil
}

// term merges the smallest term of all sources.
func (m *merger) term() error {
	term := string(m.cursors[0].w.term)
	m.posts, m.src = m.posts[:0], m.src[:0]
	sorted := true
	for m.cursors.Len() > 0 && string(m.cursors[0].w.term) == term {
		c := m.cursors[0]
		e := c.w.entry()
		l, err := c.f.List(&e)
		if err != nil {
			return err
		}
		p, err := c.f.Positions(&e, l)
		if err != nil {
			return err
		}
		numbers, shapes := m.numbers[c.src], m.shapes[c.src]
		for i, d := range l.Docs {
			to := numbers[d]
			if to == gone {
				continue
			}
			if n := len(m.posts); n > 0 && m.posts[n-1].doc > to {
				sorted = false
			}
			m.posts = append(m.posts, mergedPosting{to, uint16(shapes[l.Codes[i]]), uint32(len(m.src)), uint32(i)})
		}
		m.src = append(m.src, mergedList{l, p, c.f.Shapes})
		ok, err := c.next()
		if err != nil {
			return err
		}
		if ok {
			heap.Fix(&m.cursors, 0)
		} else {
			heap.Pop(&m.cursors)
		}
	}
	if len(m.posts) == 0 {
		return nil
	}
	if !sorted {
		slices.SortFunc(m.posts, func(a, b mergedPosting) int { return cmp.Compare(a.doc, b.doc) })
	}
	return m.emit(term)
}

// emit writes the postings of a term, copying the positions as they are.
func (m *merger) emit(term string) error {
	m.docs, m.codes, m.raw, m.ends = m.docs[:0], m.codes[:0], m.raw[:0], m.ends[:0]
	readers := make([]posCopier, len(m.src))
	for i, s := range m.src {
		readers[i] = posCopier{list: s.list, shapes: s.shapes, r: reader{b: s.positions.b}}
	}
	var err error
	for _, p := range m.posts {
		m.docs = append(m.docs, p.doc)
		m.codes = append(m.codes, p.shape)
		if m.raw, err = readers[p.src].copy(m.raw, int(p.i)); err != nil {
			return err
		}
		m.ends = append(m.ends, len(m.raw))
	}
	m.w.term(term, m.docs, m.codes, m.raw, m.ends)
	return nil
}

// posCopier copies the positions of postings that are asked for in ascending order.
type posCopier struct {
	list   *List
	shapes []Shape
	r      reader
	at     int
}

func (c *posCopier) copy(dst []byte, i int) ([]byte, error) {
	for ; c.at < i; c.at++ {
		c.r.skip(c.shapes[c.list.Codes[c.at]].Sum())
	}
	from := c.r.off
	c.r.skip(c.shapes[c.list.Codes[i]].Sum())
	c.at++
	if c.r.bad {
		return dst, corrupt("positions: posting %d", i)
	}
	return append(dst, c.r.b[from:c.r.off]...), nil
}

// cursor walks the terms of a source.
type cursor struct {
	src  int
	f    *File
	page int
	w    *walker
}

func (c *cursor) next() (bool, error) {
	for {
		if c.w != nil {
			if c.w.next() {
				return true, nil
			}
			if c.w.r.bad {
				return false, corrupt("dictionary page %d", c.page-1)
			}
		}
		if c.page == len(c.f.Pages) {
			return false, nil
		}
		p, err := c.f.Page(c.page)
		if err != nil {
			return false, err
		}
		c.page++
		c.w = p.walk(0)
	}
}

type cursors []*cursor

func (h cursors) Len() int { return len(h) }
func (h cursors) Less(i, j int) bool {
	if c := slices.Compare(h[i].w.term, h[j].w.term); c != 0 {
		return c < 0
	}
	return h[i].src < h[j].src
}
func (h cursors) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *cursors) Push(x any)   { *h = append(*h, x.(*cursor)) }
func (h *cursors) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}
