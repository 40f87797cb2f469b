package segment

import (
	"encoding/binary"
	"sort"
)

// restartEvery is how many terms of a page share prefixes before one is written whole
// again, so that a lookup is a binary search and a short walk.
const restartEvery = 16

const restartLen = 16 // four 32-bit numbers

// pageWriter collects terms of one page.
//
// A page is entries, then a table of restarts (entry offset; where the positions of
// short lists, the long lists and their positions stand at that entry), then their
// number. An entry is: shared prefix length, suffix length, suffix, df, and for a
// short list its bytes' length, its positions' length and its bytes; for a long one
// the two lengths.
type pageWriter struct {
	first                  string
	prev                   string
	n                      int
	b                      []byte
	restarts               []byte
	small, lists, posBytes int64 // so far in this page
}

func (p *pageWriter) add(term string, df int, list []byte, listLen, posLen int64) {
	shared := 0
	if p.n%restartEvery == 0 {
		for _, v := range []int64{int64(len(p.b)), p.small, p.lists, p.posBytes} {
			p.restarts = binary.LittleEndian.AppendUint32(p.restarts, uint32(v))
		}
	} else {
		for shared < len(term) && shared < len(p.prev) && term[shared] == p.prev[shared] {
			shared++
		}
	}
	if p.n == 0 {
		p.first = term
	}
	p.n++
	p.prev = term
	p.b = binary.AppendUvarint(p.b, uint64(shared))
	p.b = binary.AppendUvarint(p.b, uint64(len(term)-shared))
	p.b = append(p.b, term[shared:]...)
	p.b = binary.AppendUvarint(p.b, uint64(df))
	p.b = binary.AppendUvarint(p.b, uint64(listLen))
	p.b = binary.AppendUvarint(p.b, uint64(posLen))
	if df < BlockSize {
		p.b = append(p.b, list...)
		p.small += posLen
	} else {
		p.lists += listLen
		p.posBytes += posLen
	}
}

func (p *pageWriter) finish() []byte {
	b := append(p.b, p.restarts...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.restarts)/restartLen))
	return seal(b, 0)
}

func (p *pageWriter) reset() { *p = pageWriter{b: p.b[:0], restarts: p.restarts[:0]} }

// Page is a checked page of the dictionary.
type Page struct {
	ref      PageRef
	entries  []byte
	restarts []byte
}

// ParsePage checks a page, Meta.Pages[i].Page.
func (m *Meta) ParsePage(i int, b []byte) (*Page, error) {
	body, err := unseal("dictionary page", b)
	if err != nil {
		return nil, err
	}
	if len(body) < 4 {
		return nil, corrupt("dictionary page of %d bytes", len(b))
	}
	n := int64(binary.LittleEndian.Uint32(body[len(body)-4:]))
	body = body[:len(body)-4]
	if n == 0 || n*restartLen > int64(len(body)) {
		return nil, corrupt("dictionary page: %d restarts in %d bytes", n, len(body))
	}
	at := len(body) - int(n)*restartLen
	p := &Page{ref: m.Pages[i], entries: body[:at], restarts: body[at:]}
	for k := range p.Restarts() {
		if int(binary.LittleEndian.Uint32(p.restarts[k*restartLen:])) > at {
			return nil, corrupt("dictionary page: restart %d", k)
		}
	}
	return p, nil
}

// Restarts is the number of restart points.
func (p *Page) Restarts() int { return len(p.restarts) / restartLen }

// Bytes is the memory that the page takes.
func (p *Page) Bytes() int64 { return int64(len(p.entries)+len(p.restarts)) + 128 }

// Entry is a term of the dictionary.
type Entry struct {
	Term string
	DF   int
	// List is where a long list is; the bytes of a short one are in the page.
	List Range
	// Positions is where the positions are; for a short list within PageRef.Small.
	Positions Range
	inline    []byte
	small     Range
}

// Inline reports whether the postings came with the page, so that DecodeList needs no
// bytes.
func (e *Entry) Inline() bool { return e.DF < BlockSize }

// PositionsRange is what to read for DecodePositions.
func (e *Entry) PositionsRange() Range {
	if e.Inline() {
		return e.small
	}
	return e.Positions
}

// walker goes through a page's entries.
type walker struct {
	p                 *Page
	r                 reader
	term              []byte
	df                int
	listLen, posLen   int64
	small, lists, pos int64
	inline            []byte
}

func (p *Page) walk(restart int) *walker {
	at := p.restarts[restart*restartLen:]
	w := &walker{p: p, r: reader{b: p.entries, off: int(binary.LittleEndian.Uint32(at))}}
	w.small = int64(binary.LittleEndian.Uint32(at[4:]))
	w.lists = int64(binary.LittleEndian.Uint32(at[8:]))
	w.pos = int64(binary.LittleEndian.Uint32(at[12:]))
	return w
}

// next reads an entry; false at the end of the page or of what can be read.
func (w *walker) next() bool {
	if w.df >= BlockSize {
		w.lists += w.listLen
		w.pos += w.posLen
	} else {
		w.small += w.posLen
	}
	if w.r.off >= len(w.r.b) {
		return false
	}
	shared := w.r.count0()
	if shared > len(w.term) {
		w.r.fail()
		return false
	}
	w.term = append(w.term[:shared], w.r.bytes(w.r.count(1))...)
	w.df = w.r.count0()
	w.listLen, w.posLen = int64(w.r.count0()), int64(w.r.count0())
	w.inline = nil
	if w.df < BlockSize {
		w.inline = w.r.bytes(int(w.listLen))
	}
	if w.df == 0 {
		w.r.fail()
	}
	return !w.r.bad
}

func (w *walker) entry() Entry {
	e := Entry{Term: string(w.term), DF: w.df, inline: w.inline, small: w.p.ref.Small}
	if e.Inline() {
		e.Positions = Range{w.p.ref.Small.Off + w.small, w.posLen}
	} else {
		e.List = Range{w.p.ref.Lists + w.lists, w.listLen}
		e.Positions = Range{w.p.ref.Positions + w.pos, w.posLen}
	}
	return e
}

// first is the term at a restart.
func (p *Page) first(restart int) []byte {
	w := p.walk(restart)
	w.r.uvarint()
	return w.r.bytes(w.r.count(1))
}

// Find looks a term up. An error means that the page is damaged in spite of its
// checksum.
func (p *Page) Find(term string) (Entry, bool, error) {
	k := sort.Search(p.Restarts(), func(i int) bool { return string(p.first(i)) > term }) - 1
	if k < 0 {
		return Entry{}, false, nil
	}
	w := p.walk(k)
	for range restartEvery {
		if !w.next() {
			break
		}
		if string(w.term) >= term {
			return w.entry(), string(w.term) == term, nil
		}
	}
	if w.r.bad {
		return Entry{}, false, corrupt("dictionary page %q: entry", p.ref.First)
	}
	return Entry{}, false, nil
}

// Scan calls f for the terms of the page from the first one that is not before from,
// in order, until f says false.
func (p *Page) Scan(from string, f func(Entry) bool) error {
	k := max(0, sort.Search(p.Restarts(), func(i int) bool { return string(p.first(i)) > from })-1)
	w := p.walk(k)
	for w.next() {
		if string(w.term) >= from && !f(w.entry()) {
			return nil
		}
	}
	if w.r.bad {
		return corrupt("dictionary page %q: entry", p.ref.First)
	}
	return nil
}

// DecodeList reads the postings of an entry from the bytes of Entry.List, which an
// inline entry does not need.
func (m *Meta) DecodeList(e *Entry, docs *Docs, b []byte) (*List, error) {
	if e.Inline() {
		return decodeList(e.inline, e.DF, m, docs.Total)
	}
	body, err := unseal("list of "+e.Term, b)
	if err != nil {
		return nil, err
	}
	return decodeList(body, e.DF, m, docs.Total)
}
