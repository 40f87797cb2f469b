package segment

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Pair is a (frequency, length) that no posting of its block beats in both: the
// highest score of the block is that of one of its pairs, whatever k1, b, the average
// length and the idf are. Both count all fields once.
type Pair struct{ TF, Len uint32 }

// maxPairs bounds the pairs of a block; more are merged into looser ones.
const maxPairs = 4

// List is the postings of one term: ascending document numbers with the shape of
// each. Block i covers the postings [i·BlockSize, (i+1)·BlockSize).
type List struct {
	Docs  []uint32
	Codes []uint16 // indexes Meta.Shapes
	// Pairs[PairEnds[i-1]:PairEnds[i]] bound block i.
	PairEnds []uint32
	Pairs    []Pair
}

// Blocks is the number of blocks.
func (l *List) Blocks() int { return len(l.PairEnds) }

// BlockPairs bounds block i.
func (l *List) BlockPairs(i int) []Pair {
	from := uint32(0)
	if i > 0 {
		from = l.PairEnds[i-1]
	}
	return l.Pairs[from:l.PairEnds[i]]
}

// Last is the last document of block i.
func (l *List) Last(i int) uint32 { return l.Docs[min((i+1)*BlockSize, len(l.Docs))-1] }

// Bytes is the memory that the list takes.
func (l *List) Bytes() int64 {
	return int64(4*len(l.Docs)+2*len(l.Codes)+4*len(l.PairEnds)+8*len(l.Pairs)) + 96
}

// appendPairs appends the bounds of one block. It may reorder all.
func appendPairs(dst []Pair, all []Pair) []Pair {
	from := len(dst)
	// The shortest length of each frequency; the rare high frequencies are sorted.
	const low = 32
	var shortest [low]uint32
	most, high := uint32(0), 0
	for i := range shortest {
		shortest[i] = ^uint32(0)
	}
	for _, p := range all {
		if p.TF < low {
			shortest[p.TF] = min(shortest[p.TF], p.Len)
			most = max(most, p.TF)
		} else {
			all[high] = p
			high++
		}
	}
	add := func(p Pair) {
		if n := len(dst); n == from || p.Len < dst[n-1].Len {
			dst = append(dst, p)
		}
	}
	slices.SortFunc(all[:high], func(a, b Pair) int { return cmp.Or(cmp.Compare(b.TF, a.TF), cmp.Compare(a.Len, b.Len)) })
	for _, p := range all[:high] {
		add(p)
	}
	for tf := int(most); tf >= 0; tf-- {
		if n := shortest[tf]; n != ^uint32(0) {
			add(Pair{uint32(tf), n})
		}
	}
	// Merge the neighbours that cost least: the pair (higher tf, shorter len) of both.
	for len(dst)-from > maxPairs {
		best, bestCost := from, float64(1<<62)
		for i := from; i+1 < len(dst); i++ {
			a, b := dst[i], dst[i+1]
			cost := float64(a.TF-b.TF) / float64(b.TF+1) * float64(a.Len+1) / float64(b.Len+1)
			if cost < bestCost {
				best, bestCost = i, cost
			}
		}
		dst[best].Len = dst[best+1].Len
		dst = append(dst[:best+1], dst[best+2:]...)
	}
	return dst
}

// listEncoder holds what encoding a list needs, to be used again for the next.
type listEncoder struct {
	shapes []Shape
	lens   []uint32 // per document, all fields
	pairs  []Pair
	block  []Pair
}

// append appends the postings (docs, codes) to dst. Short lists are deltas only; long
// ones begin with a header per block.
func (e *listEncoder) append(dst []byte, docs []uint32, codes []uint16) []byte {
	if len(docs) < BlockSize {
		return appendDeltas(dst, docs, codes, -1)
	}
	var head, body []byte
	var deltas, packedCodes [BlockSize]uint32
	prev := int64(-1)
	for from := 0; from < len(docs); from += BlockSize {
		to := min(from+BlockSize, len(docs))
		at := len(body)
		if to-from == BlockSize {
			p := prev
			for i := range deltas {
				d := int64(docs[from+i])
				deltas[i] = uint32(d - p - 1)
				packedCodes[i] = uint32(codes[from+i])
				p = d
			}
			body = appendPacked(body, &deltas)
			body = appendPacked(body, &packedCodes)
		} else {
			body = appendDeltas(body, docs[from:to], codes[from:to], prev)
		}
		last := int64(docs[to-1])
		head = binary.AppendUvarint(head, uint64(last-prev))
		head = binary.AppendUvarint(head, uint64(len(body)-at))
		e.block = e.block[:0]
		for i := from; i < to; i++ {
			e.block = append(e.block, Pair{e.shapes[codes[i]].Sum(), e.lens[docs[i]]})
		}
		e.pairs = appendPairs(e.pairs[:0], e.block)
		head = append(head, byte(len(e.pairs)))
		for _, p := range e.pairs {
			head = binary.AppendUvarint(head, uint64(p.TF))
			head = binary.AppendUvarint(head, uint64(p.Len))
		}
		prev = last
	}
	dst = binary.AppendUvarint(dst, uint64(len(head)))
	return append(append(dst, head...), body...)
}

func appendDeltas(dst []byte, docs []uint32, codes []uint16, prev int64) []byte {
	for i, d := range docs {
		v := uint64(int64(d)-prev-1) << 1
		if codes[i] == 0 {
			dst = binary.AppendUvarint(dst, v|1)
		} else {
			dst = binary.AppendUvarint(dst, v)
			dst = binary.AppendUvarint(dst, uint64(codes[i]))
		}
		prev = int64(d)
	}
	return dst
}

// deltas reads n postings into l, all after document prev.
func (r *reader) deltas(l *List, n int, prev int64, m *Meta) {
	for ; n > 0 && !r.bad; n-- {
		v := r.uvarint()
		code := uint64(0)
		if v&1 == 0 {
			code = r.uvarint()
		}
		// Compared before adding: a damaged delta must not wrap around.
		if v>>1 >= uint64(m.Docs) || code >= uint64(len(m.Shapes)) {
			r.fail()
			return
		}
		prev += int64(v>>1) + 1
		if prev >= int64(m.Docs) {
			r.fail()
			return
		}
		l.Docs = append(l.Docs, uint32(prev))
		l.Codes = append(l.Codes, uint16(code))
	}
}

// decodeList reads a list of df postings. lens are the documents' lengths.
func decodeList(b []byte, df int, m *Meta, lens []uint32) (*List, error) {
	if df <= 0 || df > m.Docs {
		return nil, corrupt("list of %d postings in %d documents", df, m.Docs)
	}
	r := &reader{b: b}
	l := &List{Docs: make([]uint32, 0, df), Codes: make([]uint16, 0, df)}
	if df < BlockSize {
		r.deltas(l, df, -1, m)
		if r.bad {
			return nil, corrupt("list of %d postings: bad delta", df)
		}
		all := make([]Pair, df)
		for i, d := range l.Docs {
			all[i] = Pair{m.Shapes[l.Codes[i]].Sum(), lens[d]}
		}
		l.Pairs = appendPairs(make([]Pair, 0, min(df, maxPairs+1)), all)
		l.PairEnds = []uint32{uint32(len(l.Pairs))}
		return l, nil
	}
	head := &reader{b: r.bytes(r.count(1))}
	prev := int64(-1)
	var v [BlockSize]uint32
	blocks := (df + BlockSize - 1) / BlockSize
	l.PairEnds = make([]uint32, 0, blocks)
	l.Pairs = make([]Pair, 0, 2*blocks)
	for left := df; left > 0; left -= BlockSize {
		last := prev + int64(head.u32())
		body := &reader{b: r.bytes(head.count0())}
		np := int(head.byte())
		for ; np > 0 && !head.bad; np-- {
			l.Pairs = append(l.Pairs, Pair{head.u32(), head.u32()})
		}
		l.PairEnds = append(l.PairEnds, uint32(len(l.Pairs)))
		if left >= BlockSize {
			body.unpack(&v)
			p := prev
			for _, d := range v {
				p += int64(d) + 1
				l.Docs = append(l.Docs, uint32(p))
			}
			body.unpack(&v)
			for _, c := range v {
				if c >= uint32(len(m.Shapes)) {
					body.fail()
				}
				l.Codes = append(l.Codes, uint16(c))
			}
			prev = p
		} else {
			body.deltas(l, left, prev, m)
			if n := len(l.Docs); n > 0 {
				prev = int64(l.Docs[n-1])
			}
		}
		if head.bad || body.bad || r.bad || prev != last || last >= int64(m.Docs) {
			return nil, corrupt("list of %d postings: bad block %d", df, (df-left)/BlockSize)
		}
	}
	return l, nil
}

// count0 is a length that another reader's bytes bound.
func (r *reader) count0() int {
	v := r.uvarint()
	if v > 1<<31 {
		r.fail()
		return 0
	}
	return int(v)
}

// Bound computes the bounds of a list that was not read but made.
func (l *List) Bound(shapes []Shape, lens []uint32) {
	l.PairEnds, l.Pairs = nil, nil
	var block []Pair
	for from := 0; from < len(l.Docs); from += BlockSize {
		block = block[:0]
		for i := from; i < min(from+BlockSize, len(l.Docs)); i++ {
			block = append(block, Pair{shapes[l.Codes[i]].Sum(), lens[l.Docs[i]]})
		}
		l.Pairs = appendPairs(l.Pairs, block)
		l.PairEnds = append(l.PairEnds, uint32(len(l.Pairs)))
	}
}
