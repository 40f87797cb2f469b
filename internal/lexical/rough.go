package lexical

import (
	"math"
	"math/bits"
)

// Rough scoring adds up rounded parts (windows.parts), in any order, to find the few
// documents that can be among the best; those are then scored exactly. Error bounds make
// this safe: a rough sum differs from the score by less than margin of it, so a document
// whose rough sum is below (1-2·margin) times the k-th best is not among the best k.

// roughHit is a document and its rough sum.
type roughHit struct {
	doc uint32
	sum float32
}

// maxRough is how many candidates one segment may give. Beyond it, many documents are
// all but equal, and exact scoring of everything is cheaper than of each.
const maxRough = 4096

// walkFactor is how many postings are walked in the time of one look-up.
const walkFactor = 8

// roughly reports whether all lists have rounded parts.
func (x *execution) roughly(seg int, s *scorer) bool {
	for i := range s.lists {
		l := &s.lists[i]
		if l.parts = x.partsOf(seg, &l.postings); l.parts == nil {
			return false
		}
	}
	return true
}

// roughRun scores a segment roughly.
type roughRun struct {
	*segmentRun
	k      int
	margin float64
	floor  float64 // the worst score in the top so far, 0 while it is not full
	prune  float32
	// sparse says that few documents are allowed. Then the sums of the others begin far
	// below zero, and never come up.
	sparse bool
}

// sunk are the sums of a window in which no document is allowed.
var sunk = func() (s [windowDocs]float32) {
	for i := range s {
		s[i] = -math.MaxFloat32 / 2
	}
	return s
}()

// rough offers to the top all documents of the segment that can be in it.
func (r *segmentRun) rough(x *execution, seg, n int) {
	q := roughRun{segmentRun: r, k: r.top.k}
	r.exact = false
	r.hits, r.heap = r.hits[:0], r.heap[:0]
	for i := range r.lists {
		q.margin = max(q.margin, r.lists[i].drift)
	}
	// Each part, its gain and their product are rounded once, and each sum once.
	q.margin += float64(len(r.lists)+4) * 0x1p-23
	if r.top.full() {
		q.floor = r.top.heap[0].Score
	}
	q.raise()
	if r.allowed != nil {
		few := 0
		for _, b := range r.allowed {
			few += bits.OnesCount64(b)
		}
		q.sparse = few < len(r.chunks)/32
	}
	done := q.all(n)
	clear(r.racc[:])
	if !done {
		r.all(n)
		return
	}
	lists := x.postingsOf(make([]postings, 0, len(x.terms)), seg)
	for _, h := range r.hits {
		if h.sum >= q.prune {
			r.top.add(r.chunks[h.doc], x.scoreDoc(seg, h.doc, lists, nil))
		}
	}
}

// raise computes the sum below which documents are let go.
func (q *roughRun) raise() {
	least := q.floor
	if len(q.heap) == q.k {
		least = max(least, float64(q.heap[0]))
	}
	q.prune = float32(least * (1 - 2*q.margin) * (1 - 0x1p-22))
}

// all goes through the windows, the best first; false when there are too many
// candidates.
func (q *roughRun) all(n int) bool {
	r := q.segmentRun
	r.boundWindows(n)
	for range best {
		if w, ok := r.takeBest(); ok {
			q.window(w, false)
		}
	}
	for w, bound := range r.total {
		switch {
		case bound <= 0:
		case bound < float64(q.prune):
			r.skipped++
		case len(r.hits) > maxRough && q.crowded():
			return false
		default:
			q.window(w, true)
		}
	}
	return true
}

// crowded forgets candidates that have been outdone, and reports whether too many are
// left.
func (q *roughRun) crowded() bool {
	kept := q.hits[:0]
	for _, h := range q.hits {
		if h.sum >= q.prune {
			kept = append(kept, h)
		}
	}
	q.hits = kept
	return len(kept) > maxRough/2+2*q.k
}

// window scores one window. The bounds of the lists decide which are walked; the others
// are looked up for documents that can still make it.
func (q *roughRun) window(w int, inOrder bool) {
	r := q.segmentRun
	r.windows++
	r.enter(w, inOrder)
	r.rsuf = append(r.rsuf[:0], make([]float32, len(r.live)+1)...)
	var suf float64
	for i := len(r.live) - 1; i >= 0; i-- {
		suf += r.lists[r.live[i]].bound
		r.rsuf[i] = float32(suf * (1 + q.margin) * (1 + 0x1p-22))
	}
	essential := len(r.live)
	for essential > 0 && r.rsuf[essential-1] < q.prune {
		essential--
	}
	if essential == 0 {
		return
	}
	// Looking a document up costs more than walking past a posting: a list that is not
	// much longer than what is walked anyway is walked, too.
	touched := uint32(0)
	for i, at := range r.live {
		n := r.lists[at].to - r.lists[at].from
		if i >= essential {
			if n > walkFactor*touched {
				break
			}
			essential++
		}
		touched += n
	}
	base := uint32(w) << windowBits
	if q.sparse && !r.raiseAllowed(base) {
		return
	}
	least := max(q.prune-r.rsuf[essential], math.SmallestNonzeroFloat32)
	r.cands = r.cands[:0]
	for _, i := range r.live[:essential] {
		r.cands = r.walk(&r.lists[i], least, r.cands)
	}
	r.postings += int64(touched)
	q.settle(base, essential)
	if !q.sparse {
		clear(r.racc[:])
	}
}

// raiseAllowed begins a window's sums at zero for the allowed documents alone; false
// when there are none.
func (r *segmentRun) raiseAllowed(base uint32) bool {
	words := r.allowed[base>>6 : min(int(base)>>6+windowDocs/64, len(r.allowed))]
	any := uint64(0)
	for _, set := range words {
		any |= set
	}
	if any == 0 {
		return false
	}
	r.racc = sunk
	for i, set := range words {
		for ; set != 0; set &= set - 1 {
			r.racc[i<<6+bits.TrailingZeros64(set)] = 0
		}
	}
	return true
}

// walk adds a list's parts to the sums of its documents in the window, and collects
// those that reach least; a document may be collected more than once.
func (s *scorer) walk(l *list, least float32, cands []uint32) []uint32 {
	docs, parts := l.Docs[l.from:l.to], l.parts[l.from:l.to]
	parts = parts[:len(docs)]
	gain := float32(l.gain)
	for k, d := range docs {
		d &= windowDocs - 1
		v := s.racc[d] + gain*parts[k]
		s.racc[d] = v
		if v >= least {
			cands = append(cands, d)
		}
	}
	return cands
}

// settle finishes the collected documents of a window.
func (q *roughRun) settle(base uint32, essential int) {
	r := q.segmentRun
	rest, suf := r.live[essential:], r.rsuf[essential:]
	for _, d := range r.cands {
		sum := r.racc[d]
		if sum == 0 {
			continue // collected twice
		}
		r.racc[d] = 0
		doc := base + d
		if sum+suf[0] < q.prune || r.allowed != nil && r.allowed[doc>>6]>>(doc&63)&1 == 0 {
			continue
		}
		if len(rest) > 0 {
			sum = r.roughLookUp(sum, doc, rest, suf, q.prune)
		}
		if sum >= q.prune {
			q.hit(doc, sum)
		}
	}
}

// roughLookUp adds the parts of lists that were not walked. Documents do not come in
// order, so each look-up begins at the start of the window.
func (r *segmentRun) roughLookUp(sum float32, doc uint32, rest []int32, suf []float32, prune float32) float32 {
	for k, i := range rest {
		if sum+suf[k] < prune {
			return sum
		}
		l := &r.lists[i]
		at := find(l.Docs[l.from:l.to], doc)
		r.postings++
		if at < l.to-l.from && l.Docs[l.from+at] == doc {
			sum += float32(l.gain) * l.parts[l.from+at]
		}
	}
	return sum
}

// find gives the first place whose document is not before d.
func find(docs []uint32, d uint32) uint32 {
	lo, n := uint32(0), uint32(len(docs))
	for n > 1 {
		half := n / 2
		if docs[lo+half-1] < d {
			lo += half
		}
		n -= half
	}
	if n == 1 && docs[lo] < d {
		lo++
	}
	return lo
}

// hit notes a candidate and raises the threshold.
func (q *roughRun) hit(doc uint32, sum float32) {
	q.hits = append(q.hits, roughHit{doc, sum})
	q.matches++
	h := q.heap
	switch {
	case len(h) < q.k:
		h = append(h, sum)
		for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		q.heap = h
		if len(h) < q.k {
			return
		}
	case sum <= h[0]:
		return
	default:
		h[0] = sum
		for i := 0; ; {
			down := 2*i + 1
			if down >= len(h) {
				break
			}
			if down+1 < len(h) && h[down+1] < h[down] {
				down++
			}
			if h[down] >= h[i] {
				break
			}
			h[i], h[down] = h[down], h[i]
			i = down
		}
	}
	q.raise()
}
