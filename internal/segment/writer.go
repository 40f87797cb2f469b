package segment

import (
	"errors"
	"sort"
)

const (
	// pageTarget is the size at which a page of the dictionary ends.
	pageTarget = 8 << 10
	// maxShapes is what the shape numbers of postings can tell apart, maxTF the largest
	// frequency in a field; larger ones are stored as maxTF.
	maxShapes = 1 << 16
	maxTF     = 1 << 24
)

// ErrShapes says that documents have too many different frequency shapes for one
// segment; fewer documents per segment mend that.
var ErrShapes = errors.New("more than 65536 frequency shapes in one segment")

// writer lays out one segment. Terms come in ascending order.
type writer struct {
	meta  Meta
	docs  *Docs
	attrs *attributesWriter // nil: nothing is known of the documents
	enc   listEncoder
	page  pageWriter
	order []uint16 // shape number given by the caller → stored

	pages, small, lists, pos []byte
	pageSmall                []byte
	list                     []byte
	codes                    []uint16
	posBuf                   []byte
}

// newWriter begins a segment. freqs count the postings of each shape: frequent ones
// get small numbers.
func newWriter(analysis int, docs *Docs, shapes []Shape, freqs []uint64) (*writer, error) {
	if len(shapes) > maxShapes {
		return nil, ErrShapes
	}
	docs.total()
	w := &writer{docs: docs, order: make([]uint16, len(shapes))}
	w.meta = Meta{Version: FormatVersion, Analysis: analysis, Docs: len(docs.Chunks)}
	for f, l := range docs.Lens {
		for _, n := range l {
			w.meta.Sums[f] += int64(n)
		}
	}
	byFreq := make([]int, len(shapes))
	for i := range byFreq {
		byFreq[i] = i
	}
	sort.SliceStable(byFreq, func(a, b int) bool { return freqs[byFreq[a]] > freqs[byFreq[b]] })
	for to, from := range byFreq {
		w.order[from] = uint16(to)
		w.meta.Shapes = append(w.meta.Shapes, shapes[from])
		w.meta.Freqs = append(w.meta.Freqs, freqs[from])
	}
	w.enc.shapes, w.enc.lens = w.meta.Shapes, docs.Total
	return w, nil
}

// term adds a term: its documents, ascending, the caller's shape numbers, and the
// positions, those of posting i ending at ends[i].
func (w *writer) term(term string, docs []uint32, shapes []uint16, raw []byte, ends []int) {
	w.codes = w.codes[:0]
	for _, s := range shapes {
		w.codes = append(w.codes, w.order[s])
	}
	w.meta.Terms++
	w.meta.Postings += int64(len(docs))
	w.list = w.enc.append(w.list[:0], docs, w.codes)
	if len(docs) < BlockSize {
		w.page.add(term, len(docs), w.list, int64(len(w.list)), int64(len(raw)))
		w.pageSmall = append(w.pageSmall, raw...)
	} else {
		w.posBuf = seal(appendPositions(w.posBuf[:0], raw, ends), 0)
		at := len(w.lists)
		w.lists = seal(append(w.lists, w.list...), at)
		w.page.add(term, len(docs), nil, int64(len(w.lists)-at), int64(len(w.posBuf)))
		w.pos = append(w.pos, w.posBuf...)
	}
	if len(w.page.b)+len(w.page.restarts) >= pageTarget {
		w.flush()
	}
}

// flush ends a page. Offsets are within their section until finish.
func (w *writer) flush() {
	if w.page.n == 0 {
		return
	}
	p := PageRef{
		First: w.page.first,
		Lists: int64(len(w.lists)) - w.page.lists, Positions: int64(len(w.pos)) - w.page.posBytes,
	}
	page := w.page.finish()
	p.Page = Range{int64(len(w.pages)), int64(len(page))}
	w.pages = append(w.pages, page...)
	at := len(w.small)
	w.small = seal(append(w.small, w.pageSmall...), at)
	p.Small = Range{int64(at), int64(len(w.small) - at)}
	w.meta.Pages = append(w.meta.Pages, p)
	w.pageSmall = w.pageSmall[:0]
	w.page.reset()
}

// finish puts the sections together: metadata, documents, dictionary pages, long
// lists, positions of short lists, positions of long ones, attributes.
func (w *writer) finish() []byte {
	w.flush()
	docs := seal(w.docs.append(nil), 0)
	w.meta.docsLen = int64(len(docs))
	pages := int64(len(docs))
	lists := pages + int64(len(w.pages))
	small := lists + int64(len(w.lists))
	pos := small + int64(len(w.small))
	w.meta.Size = pos + int64(len(w.pos))
	var directory, columns []byte
	if w.attrs != nil {
		directory, columns = w.attrs.finish()
		w.meta.attributes = Range{w.meta.Size, int64(len(directory))}
		w.meta.Size += int64(len(directory) + len(columns))
	}
	for i := range w.meta.Pages {
		p := &w.meta.Pages[i]
		p.Page.Off += pages
		p.Small.Off += small
		p.Lists += lists
		p.Positions += pos
	}
	out := w.meta.append(make([]byte, 0, w.meta.Size+1<<16))
	w.meta.Size += w.meta.metaLen
	for _, section := range [][]byte{docs, w.pages, w.lists, w.small, w.pos, directory, columns} {
		out = append(out, section...)
	}
	return out
}

// shapeTable numbers shapes as they come.
type shapeTable struct {
	body   [256]uint32 // number+1 of the shapes with a frequency in the body only
	number map[Shape]uint32
	shapes []Shape
	freqs  []uint64
}

func newShapeTable() *shapeTable { return &shapeTable{number: map[Shape]uint32{}} }

func (t *shapeTable) add(s Shape, n uint64) uint32 {
	plain := s[Title] == 0 && s[Headings] == 0 && s[Path] == 0 && s[Body] < 256
	if plain && t.body[s[Body]] > 0 {
		i := t.body[s[Body]] - 1
		t.freqs[i] += n
		return i
	}
	i, ok := t.number[s]
	if !ok {
		i = uint32(len(t.shapes))
		t.number[s] = i
		t.shapes = append(t.shapes, s)
		t.freqs = append(t.freqs, 0)
		if plain {
			t.body[s[Body]] = i + 1
		}
	}
	t.freqs[i] += n
	return i
}
