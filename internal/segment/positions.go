package segment

import "encoding/binary"

// Positions are where a term stands in the documents of its list: for each posting,
// field by field, the positions as deltas. They are read only for phrases.
type Positions struct {
	list   *List
	shapes []Shape
	b      []byte
	blocks []uint32 // where each block begins
}

// Bytes is the memory that the positions take.
func (p *Positions) Bytes() int64 { return int64(len(p.b)+4*len(p.blocks)) + 96 }

// DecodePositions reads the positions of an entry from the bytes of
// Entry.PositionsRange.
func (m *Meta) DecodePositions(e *Entry, l *List, b []byte) (*Positions, error) {
	body, err := unseal("positions of "+e.Term, b)
	if err != nil {
		return nil, err
	}
	p := &Positions{list: l, shapes: m.Shapes}
	if e.Inline() {
		at := e.Positions.Off - e.small.Off
		if at < 0 || e.Positions.Len < 0 || at+e.Positions.Len > int64(len(body)) {
			return nil, corrupt("positions of %s: outside of their page", e.Term)
		}
		p.b, p.blocks = body[at:at+e.Positions.Len], []uint32{0}
		return p, nil
	}
	r := &reader{b: body}
	var at uint64
	for range l.Blocks() {
		p.blocks = append(p.blocks, uint32(at))
		at += uint64(r.u32())
	}
	p.b = r.b[min(r.off, len(r.b)):]
	if r.bad || at != uint64(len(p.b)) {
		return nil, corrupt("positions of %s: %d bytes, headers say %d", e.Term, len(p.b), at)
	}
	return p, nil
}

// Of appends the positions of the i-th posting in one field, ascending.
func (p *Positions) Of(dst []uint32, i, field int) ([]uint32, error) {
	block := i / BlockSize
	if block >= len(p.blocks) {
		return dst, corrupt("positions: no block %d", block)
	}
	r := reader{b: p.b, off: int(p.blocks[block])}
	for j := block * BlockSize; j < i; j++ {
		r.skip(p.shapes[p.list.Codes[j]].Sum())
	}
	shape := p.shapes[p.list.Codes[i]]
	for f := 0; f < field; f++ {
		r.skip(shape[f])
	}
	at := uint64(0)
	for range shape[field] {
		at += r.uvarint()
		if at > 1<<32-1 {
			r.fail()
		}
		if r.bad {
			return dst, corrupt("positions: posting %d", i)
		}
		dst = append(dst, uint32(at))
	}
	return dst, nil
}

// skip passes over n numbers.
func (r *reader) skip(n uint32) {
	for ; n > 0; n-- {
		for {
			if r.off >= len(r.b) {
				r.fail()
				return
			}
			r.off++
			if r.b[r.off-1] < 0x80 {
				break
			}
		}
	}
}

// appendPositions encodes positions of a list: ends[i] is where posting i's numbers
// end in raw.
func appendPositions(dst, raw []byte, ends []int) []byte {
	if len(ends) >= BlockSize {
		from := 0
		for i := BlockSize; ; i += BlockSize {
			to := ends[min(i, len(ends))-1]
			dst = binary.AppendUvarint(dst, uint64(to-from))
			from = to
			if i >= len(ends) {
				break
			}
		}
	}
	return append(dst, raw...)
}
