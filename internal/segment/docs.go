package segment

import "encoding/binary"

// Docs are the documents of a segment by their numbers, ascending by chunk.
type Docs struct {
	Chunks []int64
	// Births tell the versions of a chunk apart: a deletion kills what was born before it.
	Births []int64
	// Lens are the lengths of the fields in terms; nil where a field is empty throughout.
	Lens [NumFields][]uint32
	// Total are the lengths over all fields.
	Total []uint32
}

// Bytes is the memory that the documents take.
func (d *Docs) Bytes() int64 {
	n := int64(16*len(d.Chunks) + 4*len(d.Total))
	for _, l := range d.Lens {
		n += int64(4 * len(l))
	}
	return n
}

// Len is document d's length in field f.
func (d *Docs) Len(f int, doc uint32) uint32 {
	if d.Lens[f] == nil {
		return 0
	}
	return d.Lens[f][doc]
}

// Find gives the number of a chunk's document.
func (d *Docs) Find(chunk int64) (doc uint32, ok bool) {
	lo, hi := 0, len(d.Chunks)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if d.Chunks[mid] < chunk {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint32(lo), lo < len(d.Chunks) && d.Chunks[lo] == chunk
}

func (d *Docs) total() {
	var used [][]uint32
	for _, l := range d.Lens {
		if l != nil {
			used = append(used, l)
		}
	}
	if len(used) == 1 { // most often the body; the memory is counted twice
		d.Total = used[0]
		return
	}
	d.Total = make([]uint32, len(d.Chunks))
	for _, l := range used {
		for i, n := range l {
			d.Total[i] += n
		}
	}
}

// append writes the documents: chunk deltas, runs of births, one column per field.
func (d *Docs) append(dst []byte) []byte {
	prev := int64(-1)
	for _, c := range d.Chunks {
		dst = appendVarint(dst, c-prev-1)
		prev = c
	}
	prev = 0
	for i := 0; i < len(d.Births); {
		run := i + 1
		for run < len(d.Births) && d.Births[run] == d.Births[i] {
			run++
		}
		dst = binary.AppendUvarint(dst, uint64(run-i))
		dst = appendVarint(dst, d.Births[i]-prev)
		prev, i = d.Births[i], run
	}
	for _, l := range d.Lens {
		used := false
		for _, n := range l {
			used = used || n > 0
		}
		if !used {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		for _, n := range l {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	return dst
}

// DecodeDocs reads the documents' section, Meta.DocsRange.
func DecodeDocs(m *Meta, section []byte) (*Docs, error) {
	b, err := unseal("documents", section)
	if err != nil {
		return nil, err
	}
	if m.Docs > len(b) {
		return nil, corrupt("%d documents in %d bytes", m.Docs, len(b))
	}
	r := &reader{b: b}
	d := &Docs{Chunks: make([]int64, m.Docs), Births: make([]int64, m.Docs)}
	prev := int64(-1)
	for i := range d.Chunks {
		if r.off < len(b) && b[r.off] < 0x80 && b[r.off]&1 == 0 { // short, and not negative
			prev += 1 + int64(b[r.off]>>1)
			r.off++
			d.Chunks[i] = prev
			continue
		}
		delta := r.varint()
		next := prev + 1 + delta
		if i > 0 && (delta < 0 || next <= prev) {
			r.fail()
		}
		d.Chunks[i] = next
		prev = next
	}
	prev = 0
	for i := 0; i < m.Docs && !r.bad; {
		n := r.uvarint()
		prev += r.varint()
		if n == 0 || n > uint64(m.Docs-i) {
			r.fail()
			break
		}
		for ; n > 0; n-- {
			d.Births[i] = prev
			i++
		}
	}
	for f := range d.Lens {
		if r.byte() == 0 {
			continue
		}
		d.Lens[f] = make([]uint32, m.Docs)
		r.u32s(d.Lens[f])
	}
	if r.bad || r.off != len(b) {
		return nil, corrupt("documents: %d documents do not fill %d bytes", m.Docs, len(b))
	}
	d.total()
	return d, nil
}
