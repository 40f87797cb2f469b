package segment

import (
	"encoding/binary"
	"sort"
)

const magic = "BMCISEG"

// headerLen is magic, one byte of version, four of the metadata's length.
const headerLen = len(magic) + 1 + 4

// Meta is the head of a segment: what is in it and where.
type Meta struct {
	Version  int // of the format
	Analysis int // text.Version of the terms
	Docs     int
	Terms    int64
	Postings int64
	// Sums are the fields' lengths over all documents.
	Sums   [NumFields]int64
	Shapes []Shape
	// Freqs count each shape's postings.
	Freqs []uint64
	Pages []PageRef
	Size  int64

	docsLen    int64
	metaLen    int64
	attributes Range // of their directory
}

// PageRef is a page of the dictionary: its first term, and where it, its short lists'
// positions, its long lists and their positions are.
type PageRef struct {
	First string
	Page  Range
	// Small are the positions of the page's short lists, all together.
	Small Range
	// Lists and Positions are where the long lists and their positions begin.
	Lists, Positions int64
}

// MetaLen is the length of the metadata, header included, as the first bytes of a
// segment say.
func MetaLen(b []byte) (int64, error) {
	if len(b) < headerLen || string(b[:len(magic)]) != magic {
		return 0, corrupt("no segment header")
	}
	if v := int(b[len(magic)]); v < 1 || v > FormatVersion {
		return 0, corrupt("format version %d; this program reads up to %d", v, FormatVersion)
	}
	return int64(binary.LittleEndian.Uint32(b[len(magic)+1:])), nil
}

// DocsRange is where the documents are.
func (m *Meta) DocsRange() Range { return Range{m.metaLen, m.docsLen} }

// PageOf is the number of the page that holds term if any does; -1 when the term is
// before all.
func (m *Meta) PageOf(term string) int {
	return sort.Search(len(m.Pages), func(i int) bool { return m.Pages[i].First > term }) - 1
}

// append writes header and metadata. Offsets count from the end of the metadata, so
// that its own length does not matter to it.
func (m *Meta) append(dst []byte) []byte {
	b := append([]byte(nil), magic...)
	b = append(b, FormatVersion, 0, 0, 0, 0)
	for _, v := range []int64{int64(m.Analysis), int64(m.Docs), m.Terms, m.Postings, m.docsLen, m.Size} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	for _, v := range m.Sums {
		b = binary.AppendUvarint(b, uint64(v))
	}
	b = binary.AppendUvarint(b, uint64(len(m.Shapes)))
	for i, s := range m.Shapes {
		for _, tf := range s {
			b = binary.AppendUvarint(b, uint64(tf))
		}
		b = binary.AppendUvarint(b, m.Freqs[i])
	}
	b = binary.AppendUvarint(b, uint64(len(m.Pages)))
	for _, p := range m.Pages {
		b = binary.AppendUvarint(b, uint64(len(p.First)))
		b = append(b, p.First...)
		for _, v := range []int64{p.Page.Off, p.Page.Len, p.Small.Off, p.Small.Len, p.Lists, p.Positions} {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	b = binary.AppendUvarint(b, uint64(m.attributes.Off))
	b = binary.AppendUvarint(b, uint64(m.attributes.Len))
	m.metaLen = int64(len(b) + 4)
	binary.LittleEndian.PutUint32(b[len(magic)+1:], uint32(m.metaLen))
	return append(dst, seal(b, 0)...)
}

// ParseMeta reads the first MetaLen bytes of a segment.
func ParseMeta(b []byte) (*Meta, error) {
	n, err := MetaLen(b)
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != n {
		return nil, corrupt("metadata of %d bytes, expected %d", len(b), n)
	}
	body, err := unseal("metadata", b)
	if err != nil {
		return nil, err
	}
	m := &Meta{Version: int(b[len(magic)]), metaLen: n}
	r := &reader{b: body, off: headerLen}
	num := func() int64 {
		v := r.uvarint()
		if v > 1<<60 {
			r.fail()
			return 0
		}
		return int64(v)
	}
	m.Analysis = int(num())
	m.Docs = int(num())
	m.Terms, m.Postings, m.docsLen, m.Size = num(), num(), num(), num()
	m.Size += n
	if int64(m.Docs) > m.docsLen || m.docsLen > m.Size {
		r.fail()
	}
	for f := range m.Sums {
		m.Sums[f] = num()
	}
	shapes := r.count(NumFields + 1)
	if shapes > maxShapes {
		r.fail()
		shapes = 0
	}
	m.Shapes, m.Freqs = make([]Shape, shapes), make([]uint64, shapes)
	for i := range m.Shapes {
		for f := range m.Shapes[i] {
			m.Shapes[i][f] = r.u32()
			if m.Shapes[i][f] > maxTF {
				r.fail()
			}
		}
		m.Freqs[i] = r.uvarint()
	}
	m.Pages = make([]PageRef, r.count(7))
	at := func() int64 {
		v := num() + n
		if v > m.Size {
			r.fail()
		}
		return v
	}
	for i := range m.Pages {
		p := &m.Pages[i]
		p.First = string(r.bytes(r.count(1)))
		p.Page = Range{at(), num()}
		p.Small = Range{at(), num()}
		p.Lists, p.Positions = at(), at()
		if p.Page.Off+p.Page.Len > m.Size || p.Small.Off+p.Small.Len > m.Size || i > 0 && p.First <= m.Pages[i-1].First {
			r.fail()
		}
	}
	if m.Version >= 2 {
		m.attributes = Range{at(), num()}
		if m.attributes.Off+m.attributes.Len > m.Size {
			r.fail()
		}
	}
	if r.bad || r.off != len(body) {
		return nil, corrupt("metadata does not parse at byte %d of %d", r.off, len(body))
	}
	return m, nil
}
