package lexical

import (
	"context"
	"fmt"
	"slices"

	"github.com/bmcis/bmcis/internal/segment"
)

// allowed gives the documents of a segment that may be hits: not deleted, kept by the
// filter, with everything required and nothing excluded. nil means all; any is false
// when none is left.
func (x *execution) allowed(seg int) (bits []uint64, any bool) {
	s := x.view.segs[seg]
	bits = s.alive
	if x.kept != nil {
		bits = and(bits, x.kept[seg])
	}
	for _, c := range x.parsed.required {
		docs, err := x.matches(seg, c)
		if err != nil {
			x.read.fail(s.segState, err)
			return nil, false
		}
		bits = and(bits, bitmap(docs, s.meta.Docs))
	}
	for _, c := range x.parsed.excluded {
		docs, err := x.matches(seg, c)
		if err != nil {
			x.read.fail(s.segState, err)
			return nil, false
		}
		bits = without(bits, docs, s.meta.Docs)
	}
	for i, p := range x.parsed.prefixes {
		if !p.required && !p.excluded {
			continue
		}
		docs := x.merged[seg][i].docsIn(p.field)
		if p.excluded {
			bits = without(bits, docs, s.meta.Docs)
		} else {
			bits = and(bits, bitmap(docs, s.meta.Docs))
		}
	}
	if bits == nil {
		return nil, true
	}
	for _, b := range bits {
		if b != 0 {
			return bits, true
		}
	}
	return nil, false
}

// and intersects; nil is everything. Neither argument is changed.
func and(a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	out := make([]uint64, len(a))
	for i := range out {
		out[i] = a[i] & b[i]
	}
	return out
}

// without takes docs out of a set of n; nil is everything.
func without(a []uint64, docs []uint32, n int) []uint64 {
	if a == nil {
		a = ones(n)
	} else {
		a = slices.Clone(a)
	}
	for _, d := range docs {
		a[d>>6] &^= 1 << (d & 63)
	}
	return a
}

func bitmap(docs []uint32, n int) []uint64 {
	b := make([]uint64, (n+63)/64)
	for _, d := range docs {
		b[d>>6] |= 1 << (d & 63)
	}
	return b
}

// matches gives the documents of a segment that contain a clause.
func (x *execution) matches(seg int, c clause) ([]uint32, error) {
	states := make([]*termState, len(c.terms))
	for i, t := range c.terms {
		states[i] = x.states[seg][x.place[t]]
		if states[i].list == nil {
			return nil, nil
		}
	}
	shapes := x.view.segs[seg].meta.Shapes
	if len(states) == 1 {
		l := states[0].list
		if c.field == anyField {
			return l.Docs, nil
		}
		var docs []uint32
		for i, d := range l.Docs {
			if shapes[l.Codes[i]][c.field] > 0 {
				docs = append(docs, d)
			}
		}
		return docs, nil
	}
	// Walk the rarest list and look into the others; then compare positions.
	rare := 0
	for i, s := range states {
		if len(s.list.Docs) < len(states[rare].list.Docs) {
			rare = i
		}
	}
	ph := phrase{clause: c, states: states, at: make([]int, len(states)), shapes: shapes}
	var docs []uint32
	for i, d := range states[rare].list.Docs {
		ph.at[rare] = i
		all := true
		for k, s := range states {
			if k == rare {
				continue
			}
			j := seek(s.list.Docs, ph.at[k], d)
			ph.at[k] = j
			if j == len(s.list.Docs) {
				return docs, nil
			}
			if s.list.Docs[j] != d {
				all = false
				break
			}
		}
		if !all {
			continue
		}
		ok, err := ph.match()
		if err != nil {
			return nil, err
		}
		if ok {
			docs = append(docs, d)
		}
	}
	return docs, nil
}

// seek gives the first place from at on whose document is not before d.
func seek(docs []uint32, at int, d uint32) int {
	step := 1
	lo := at
	for at < len(docs) && docs[at] < d {
		lo = at + 1
		at += step
		step *= 2
	}
	hi := min(at, len(docs))
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if docs[mid] < d {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// phrase compares the positions of a clause's terms in one document.
type phrase struct {
	clause
	states []*termState
	at     []int // posting of each term
	shapes []segment.Shape
	a, b   []uint32
}

func (p *phrase) match() (bool, error) {
	for field := range segment.NumFields {
		if p.field != anyField && p.field != field {
			continue
		}
		ok, err := p.matchField(field)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// matchField keeps, term by term, the places where the phrase may begin.
func (p *phrase) matchField(field int) (bool, error) {
	for i, s := range p.states {
		if p.shapes[s.list.Codes[p.at[i]]][field] == 0 {
			return false, nil
		}
	}
	for i, s := range p.states {
		positions := s.pos.Load()
		if positions == nil {
			return false, fmt.Errorf("%w: positions of %q were not read", segment.ErrCorrupt, p.terms[i])
		}
		var err error
		if p.b, err = positions.Of(p.b[:0], p.at[i], field); err != nil {
			return false, err
		}
		offset := uint32(p.clause.at[i] - p.clause.at[0])
		if i == 0 {
			p.a = append(p.a[:0], p.b...)
			continue
		}
		kept := p.a[:0]
		for k, j := 0, 0; k < len(p.a) && j < len(p.b); {
			switch want := p.a[k] + offset; {
			case p.b[j] < want:
				j++
			case p.b[j] > want:
				k++
			default:
				kept = append(kept, p.a[k])
				k++
			}
		}
		if p.a = kept; len(p.a) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// phrasePositions reads the positions of the terms of phrases.
func (x *execution) phrasePositions(ctx context.Context) error {
	var segs []*segState
	var terms []*termState
	for _, cs := range [][]clause{x.parsed.required, x.parsed.excluded} {
		for _, c := range cs {
			if len(c.terms) < 2 {
				continue
			}
			for i, s := range x.view.segs {
				complete := true
				for _, t := range c.terms {
					complete = complete && x.states[i][x.place[t]].list != nil
				}
				for _, t := range c.terms {
					if st := x.states[i][x.place[t]]; complete && !slices.Contains(terms, st) {
						segs, terms = append(segs, s.segState), append(terms, st)
					}
				}
			}
		}
	}
	return x.read.loadPositions(ctx, segs, terms)
}
