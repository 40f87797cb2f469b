package segment

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Record is what filters see of one document: values by column. This package does not
// look into either.
type Record map[string]string

// Attributes say which record each of a segment's documents has, and where the columns
// are. Records are numbered from 0.
type Attributes struct {
	Records int
	// Of is the record of each document, plus one; 0: none.
	Of []uint32
	// Columns by name. A Range of length 0 is a column that was too long to be kept.
	Columns map[string]Range
}

// Bytes is the memory that the attributes take without their columns.
func (a *Attributes) Bytes() int64 {
	n := int64(4*len(a.Of)) + 128
	for name := range a.Columns {
		n += int64(len(name)) + 64
	}
	return n
}

// Column holds the values of one field. Entry i says that record Records[i] has the
// value Values[Codes[i]]. Without Records, entry i is of record i; without Codes, its
// value is Values[i].
type Column struct {
	Values         []string
	Records, Codes []uint32
}

// Entries is the number of entries of a column of that many records.
func (c *Column) Entries(records int) int {
	if c.Records != nil {
		return len(c.Records)
	}
	return records
}

// Entry is the record of entry i and its value.
func (c *Column) Entry(i int) (record uint32, value string) {
	return c.record(i), c.Values[c.code(i)]
}

func (c *Column) record(i int) uint32 {
	if c.Records == nil {
		return uint32(i)
	}
	return c.Records[i]
}

func (c *Column) code(i int) uint32 {
	if c.Codes == nil {
		return uint32(i)
	}
	return c.Codes[i]
}

// maxColumn bounds the bytes of a column's values; longer ones are not kept.
const maxColumn = 64 << 20

// AttributesRange is where the directory of the attributes is; its Len is 0 in a segment
// that has none.
func (m *Meta) AttributesRange() Range { return m.attributes }

// DecodeAttributes reads the directory, Meta.AttributesRange.
func (m *Meta) DecodeAttributes(b []byte) (*Attributes, error) {
	body, err := unseal("attributes", b)
	if err != nil {
		return nil, err
	}
	r := &reader{b: body}
	a := &Attributes{Records: int(r.u32()), Columns: map[string]Range{}}
	if a.Records > m.Docs {
		return nil, corrupt("attributes: %d records of %d documents", a.Records, m.Docs)
	}
	runs := r.blob()
	a.Of = make([]uint32, 0, m.Docs)
	at := int64(0)
	for runs.off < len(runs.b) {
		if w := runs.b[runs.off:]; len(w) > 1 && w[0] == 2 && w[1] == 1 && at < int64(a.Records) && len(a.Of) < m.Docs {
			at++ // the next record, which has one document: most often
			runs.off += 2
			a.Of = append(a.Of, uint32(at))
			continue
		}
		at += runs.varint()
		n := runs.uvarint()
		if at < 0 || at > int64(a.Records) || n > uint64(m.Docs-len(a.Of)) {
			runs.fail()
			break
		}
		for ; n > 0; n-- {
			a.Of = append(a.Of, uint32(at))
		}
	}
	off := m.attributes.Off + m.attributes.Len
	for range r.count(2) {
		name := string(r.bytes(r.count(1)))
		n := int64(r.uvarint())
		if n < 0 || n > m.Size-off {
			r.fail()
			break
		}
		a.Columns[name] = Range{off, n}
		off += n
	}
	if r.bad || runs.bad || r.off != len(body) || len(a.Of) != m.Docs {
		return nil, corrupt("attributes: the directory does not parse")
	}
	return a, nil
}

// DecodeColumn reads a column from the bytes of its Range.
func (a *Attributes) DecodeColumn(name string, b []byte) (*Column, error) {
	body, err := unseal("column "+name, b)
	if err != nil {
		return nil, err
	}
	outer := &reader{b: body}
	r := outer.blob()
	c := &Column{Values: make([]string, r.count(1))}
	text := string(r.b) // one string for all values
	for i := range c.Values {
		n := r.count(1)
		at := r.off
		r.bytes(n)
		if r.bad {
			return nil, corrupt("column %s: value %d", name, i)
		}
		c.Values[i] = text[at : at+n]
	}
	n := int(r.u32())
	if n > a.Records {
		return nil, corrupt("column %s: %d entries for %d records", name, n, a.Records)
	}
	if n < a.Records {
		c.Records = make([]uint32, 0, min(n, len(r.b)))
		next := uint64(0)
		for range n {
			if next += r.uvarint(); r.bad || next >= uint64(a.Records) {
				return nil, corrupt("column %s: record %d of %d", name, next, a.Records)
			}
			c.Records = append(c.Records, uint32(next))
			next++
		}
	}
	if r.byte() == 1 {
		if n > len(r.b) {
			return nil, corrupt("column %s: %d numbers in %d bytes", name, n, len(r.b))
		}
		c.Codes = make([]uint32, n)
		r.u32s(c.Codes)
		for _, code := range c.Codes {
			if int(code) >= len(c.Values) {
				return nil, corrupt("column %s: value %d of %d", name, code, len(c.Values))
			}
		}
	} else if n != len(c.Values) {
		r.fail()
	}
	if r.bad || outer.bad || r.off != len(r.b) || outer.off != len(body) {
		return nil, corrupt("column %s does not parse", name)
	}
	return c, nil
}

// attributesWriter collects records and lays them out.
type attributesWriter struct {
	of      []uint32
	records int
	columns map[string]*columnWriter
}

type columnWriter struct {
	numbers        map[string]uint32
	values         []string
	bytes          int
	records, codes []uint32
	tooLong        bool
}

// add begins a record and gives its number plus one.
func (w *attributesWriter) add(r Record) uint32 {
	at := uint32(w.records)
	w.records++
	for name, value := range r {
		c := w.column(name)
		c.records = append(c.records, at)
		c.codes = append(c.codes, c.number(value))
	}
	return at + 1
}

func (w *attributesWriter) column(name string) *columnWriter {
	c := w.columns[name]
	if c == nil {
		if w.columns == nil {
			w.columns = map[string]*columnWriter{}
		}
		c = &columnWriter{numbers: map[string]uint32{}}
		w.columns[name] = c
	}
	return c
}

func (c *columnWriter) number(value string) uint32 {
	n, ok := c.numbers[value]
	if !ok {
		n = uint32(len(c.values))
		c.numbers[value] = n
		c.values = append(c.values, value)
		c.bytes += len(value)
		c.tooLong = c.tooLong || c.bytes > maxColumn
	}
	return n
}

// finish gives the directory and the columns.
func (w *attributesWriter) finish() (directory, columns []byte) {
	var runs []byte
	prev := uint32(0)
	for i := 0; i < len(w.of); {
		n := 1
		for i+n < len(w.of) && w.of[i+n] == w.of[i] {
			n++
		}
		runs = appendVarint(runs, int64(w.of[i])-int64(prev))
		runs = binary.AppendUvarint(runs, uint64(n))
		prev = w.of[i]
		i += n
	}
	var z deflater
	directory = z.appendBlob(binary.AppendUvarint(nil, uint64(w.records)), runs)
	directory = binary.AppendUvarint(directory, uint64(len(w.columns)))
	var raw []byte
	for _, name := range slices.Sorted(maps.Keys(w.columns)) {
		at := len(columns)
		if c := w.columns[name]; !c.tooLong {
			raw = c.append(raw[:0], w.records)
			columns = seal(z.appendBlob(columns, raw), at)
		}
		directory = binary.AppendUvarint(directory, uint64(len(name)))
		directory = append(directory, name...)
		directory = binary.AppendUvarint(directory, uint64(len(columns)-at))
	}
	return seal(directory, 0), columns
}

// append writes values, records and codes.
func (c *columnWriter) append(dst []byte, records int) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(c.values)))
	for _, v := range c.values {
		dst = binary.AppendUvarint(dst, uint64(len(v)))
		dst = append(dst, v...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.records)))
	if len(c.records) < records {
		next := uint32(0)
		for _, r := range c.records {
			dst = binary.AppendUvarint(dst, uint64(r-next))
			next = r + 1
		}
	}
	if len(c.values) == len(c.codes) { // numbered as they came: each has its own
		return append(dst, 0)
	}
	dst = append(dst, 1)
	for _, code := range c.codes {
		dst = binary.AppendUvarint(dst, uint64(code))
	}
	return dst
}
