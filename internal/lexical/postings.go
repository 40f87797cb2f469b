package lexical

import (
	"math"
	"sync/atomic"

	"github.com/bmcis/bmcis/internal/segment"
)

// windowDocs is how many documents are scored together: their sums stay in the
// processor's first cache.
const (
	windowBits = 11
	windowDocs = 1 << windowBits
)

// postings are a term's list in a segment, ready to be scored.
type postings struct {
	*segment.List
	wtf  []float64 // weighted frequency by shape number
	gain float64

	win *windows
	// drift and grown are those of win, see windows.drift.
	drift, grown float64
}

// windows cut a list at the windows of documents: entry i is window num[i], whose
// postings begin at start[i], and none of which has an x above most[i] (see gainOf).
//
// They are computed for one average length. While the average drifts with every commit,
// they serve on: drift says how far it has gone, and bounds are widened by it.
type windows struct {
	p       params
	average float64
	num     []uint32
	start   []uint32 // one more than num
	most    []float64
	max     float64
	// parts are x/(1+x) of each posting, rounded: what rough scoring adds up. They are
	// computed when a list is used again.
	parts atomic.Pointer[[]float32]
	used  atomic.Bool
}

// maxDrift is how far the average length may move before windows are computed anew.
const maxDrift = 2e-3

// drift is the relative change of the average since w was computed, and the factor by
// which no x has grown more. ok is false when w is of other parameters or too old.
func (w *windows) drift(s *scoring) (drift, grown float64, ok bool) {
	if w.p != s.p {
		return 0, 0, false
	}
	if w.average == s.average {
		return 0, 1, true
	}
	ratio := s.average / w.average
	drift = math.Abs(ratio-1) + slack
	return drift, math.Max(1, ratio) * (1 + slack), drift <= maxDrift
}

// postingsOf gives the lists of all scored terms in a segment, in the order of x.terms;
// those that the segment lacks have a nil List.
func (x *execution) postingsOf(dst []postings, seg int) []postings {
	for i := range x.terms {
		dst = append(dst, x.postingOf(seg, &x.terms[i]))
	}
	return dst
}

func (x *execution) postingOf(seg int, t *scoredTerm) postings {
	p := postings{gain: t.gain}
	if t.name >= 0 {
		if s := x.states[seg][t.name]; s.list != nil {
			p.List = s.list
			p.wtf = x.scoring.frequencies(seg, x.view.segs[seg].meta.Shapes, t.field)
		}
	} else if m := x.merged[seg][t.pre]; m != nil {
		p.List = m.list
		p.wtf = weigh(nil, m.shapes, x.params.weights, t.field)
	}
	return p
}

// weigh gives the weighted frequency of each shape, in one field or all.
func weigh(dst []float64, shapes []segment.Shape, weights [segment.NumFields]float64, field int) []float64 {
	for _, s := range shapes {
		var n float64
		for f, tf := range s {
			if field == anyField || field == f {
				n += weights[f] * float64(tf)
			}
		}
		dst = append(dst, n)
	}
	return dst
}

// windowsOf gives the windows of a scored term's list: those of an earlier query if
// they still serve.
func (x *execution) windowsOf(seg int, t *scoredTerm, p *postings) {
	if t.name >= 0 && t.field == anyField {
		s := x.states[seg][t.name]
		if w := s.windows.Load(); w != nil {
			var ok bool
			if p.drift, p.grown, ok = w.drift(x.scoring); ok {
				p.win = w
				return
			}
		}
		p.win = x.cut(seg, p)
		s.windows.Store(p.win)
	} else {
		p.win = x.cut(seg, p)
	}
	p.drift, p.grown = 0, 1
}

// eagerParts is the length up to which the parts of a list are computed at once; those
// of longer lists are when the list is used a second time.
const eagerParts = 4096

// partsOf gives the rounded parts of a list, or nil when they are not worth it yet.
func (x *execution) partsOf(seg int, p *postings) []float32 {
	if parts := p.win.parts.Load(); parts != nil {
		return *parts
	}
	if len(p.Docs) > eagerParts && !p.win.used.Swap(true) {
		return nil
	}
	lens, inv := x.scoring.lens[seg], x.scoring.inv[seg]
	if p.drift != 0 { // as of the average that the windows are of
		inv = make([]float64, len(lens.value))
		for i, n := range lens.value {
			inv[i] = norm(p.win.p, n, p.win.average)
		}
	}
	parts := make([]float32, len(p.Docs))
	for i, d := range p.Docs {
		n := p.wtf[p.Codes[i]] * inv[lens.code[d]]
		parts[i] = float32(n / (1 + n))
	}
	p.win.parts.Store(&parts)
	return parts
}

// exactBounds is the length up to which the bounds of windows are computed from the
// postings themselves instead of the bounds of their blocks.
const exactBounds = 16 * segment.BlockSize

// cut computes the windows of a list.
func (x *execution) cut(seg int, p *postings) *windows {
	w := &windows{p: x.params, average: x.scoring.average}
	last := ^uint32(0)
	for i, d := range p.Docs {
		if n := d >> windowBits; n != last {
			w.num = append(w.num, n)
			w.start = append(w.start, uint32(i))
			last = n
		}
	}
	w.start = append(w.start, uint32(len(p.Docs)))
	w.most = make([]float64, len(w.num))
	if len(p.Docs) <= exactBounds {
		lens, inv := x.scoring.lens[seg].code, x.scoring.inv[seg]
		for i := range w.num {
			for k := w.start[i]; k < w.start[i+1]; k++ {
				w.most[i] = max(w.most[i], p.wtf[p.Codes[k]]*inv[lens[p.Docs[k]]])
			}
		}
	} else {
		i := 0
		for b := range p.Blocks() {
			bound := x.scoring.bound(p.BlockPairs(b))
			from, to := p.Docs[b*segment.BlockSize]>>windowBits, p.Last(b)>>windowBits
			for w.num[i] < from {
				i++
			}
			for k := i; k < len(w.num) && w.num[k] <= to; k++ {
				w.most[k] = max(w.most[k], bound)
			}
		}
	}
	for _, m := range w.most {
		w.max = max(w.max, m)
	}
	return w
}

// bound is the largest x of the postings that pairs bound, with any weights of the
// fields: exact when all weights are 1.
func (s *scoring) bound(pairs []segment.Pair) float64 {
	high, low := s.p.weights[0], s.p.weights[0]
	for _, w := range s.p.weights {
		high, low = math.Max(high, w), math.Min(low, w)
	}
	var most float64
	for _, p := range pairs {
		most = math.Max(most, high*float64(p.TF)*norm(s.p, low*float64(p.Len), s.average))
	}
	if high != 1 || low != 1 {
		most *= 1 + slack // the weighted sums round in another order
	}
	return most
}
