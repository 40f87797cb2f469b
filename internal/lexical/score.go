package lexical

import (
	"math/bits"
	"slices"
	"sync"
)

// slack covers what sums of bounds lose by being added up in another order than scores.
const slack = 1e-12

// scorer finds the best documents of one segment: MaxScore (Turtle and Flood, IPM 1995)
// by windows of documents, with bounds per window (block-max, Ding and Suel, SIGIR
// 2011) and term-at-a-time accumulation within a window.
//
// The terms stand in the order of x.terms, largest gain first. In a window, the first
// few are essential: a document with none of them cannot reach the threshold, since the
// bounds of the others together do not. Essential lists are added up in an array, as
// exhaustive scoring would do it; for each document found there that can still reach
// the threshold, the others are looked up, in order, until it cannot. So every score is
// added up in the same order as in exhaustive scoring, and is the same number. With
// long queries or a low threshold all lists are essential, and this is exhaustive
// accumulation; with a high threshold most windows are never touched.
type scorer struct {
	acc   [windowDocs]float64
	found [windowDocs / 64]uint64
	lists []list
	total []float64 // bound of each window
	suf   []float64
	live  []int32

	racc  [windowDocs]float32
	cands []uint32
	rsuf  []float32
	hits  []roughHit
	heap  []float32
}

// list is a term in the segment at hand.
type list struct {
	postings
	at       int    // in its windows, while these are walked in order
	from, to uint32 // its postings in the window at hand
	bound    float64
	parts    []float32
}

var scorers = sync.Pool{New: func() any { return &scorer{} }}

// scoreSegment offers to top all documents of a segment that can be in it. matches
// counts the scored ones; exact says that those are all that match.
func (x *execution) scoreSegment(seg int, allowed []uint64, top *top) (matches int64, exact bool) {
	s := scorers.Get().(*scorer)
	defer scorers.Put(s)
	run := segmentRun{
		scorer: s, top: top, allowed: allowed,
		chunks: x.view.segs[seg].docs.Chunks, lens: x.scoring.lens[seg].code, inv: x.scoring.inv[seg],
		exact: true,
	}
	s.lists = s.lists[:0]
	var sum float64
	for i := range x.terms {
		t := &x.terms[i]
		p := x.postingOf(seg, t)
		if p.List == nil {
			continue
		}
		x.windowsOf(seg, t, &p)
		s.lists = append(s.lists, list{postings: p})
		sum += gainOf(p.gain, p.win.max*p.grown)
		x.stats.Blocks += int64(p.Blocks())
	}
	if len(s.lists) == 0 || sum < top.prune() {
		return 0, len(s.lists) == 0
	}
	n := (len(run.chunks) + windowDocs - 1) >> windowBits
	if n > 2*best && len(s.lists) > 1 && x.roughly(seg, s) {
		run.rough(x, seg, n)
	} else {
		run.all(n)
	}
	x.stats.Postings += run.postings
	x.stats.Windows += int64(run.windows)
	x.stats.WindowsSkipped += int64(run.skipped)
	clear(s.lists[:cap(s.lists)]) // do not hold what the cache may want to free
	return run.matches, run.exact
}

// segmentRun is one run of a scorer.
type segmentRun struct {
	*scorer
	top      *top
	allowed  []uint64
	chunks   []int64
	lens     []uint32
	inv      []float64
	matches  int64
	postings int64
	windows  int
	skipped  int
	exact    bool
}

// best is how many windows are scored first, those with the highest bounds, so that the
// threshold is high when the others come.
const best = 3

// boundWindows computes the bounds of the segment's n windows.
func (s *scorer) boundWindows(n int) {
	s.total = slices.Grow(s.total[:0], n)[:n]
	clear(s.total)
	for i := range s.lists {
		l := &s.lists[i]
		for k, num := range l.win.num {
			s.total[num] += gainOf(l.gain, l.win.most[k]*l.grown)
		}
	}
}

// takeBest gives the window with the highest bound and takes it out; false when none is
// left.
func (s *scorer) takeBest() (w int, ok bool) {
	for i, bound := range s.total {
		if bound > s.total[w] {
			w = i
		}
	}
	if ok = s.total[w] > 0; ok {
		s.total[w] = -1
	}
	return w, ok
}

// enter finds the postings of the lists in a window: live are those that have some. In
// order says that windows come in ascending order.
func (s *scorer) enter(w int, inOrder bool) {
	s.live = s.live[:0]
	for i := range s.lists {
		l := &s.lists[i]
		num := l.win.num
		at := l.at
		if inOrder {
			for at < len(num) && int(num[at]) < w {
				at++
			}
			l.at = at
		} else {
			at = seek(num, 0, uint32(w))
		}
		if at == len(num) || int(num[at]) != w {
			continue
		}
		l.from, l.to, l.bound = l.win.start[at], l.win.start[at+1], gainOf(l.gain, l.win.most[at]*l.grown)
		s.live = append(s.live, int32(i))
	}
}

// all scores the windows of the segment.
func (r *segmentRun) all(n int) {
	r.boundWindows(n)
	if n > 2*best {
		for range best {
			if w, ok := r.takeBest(); ok {
				r.window(w, false)
			}
		}
	}
	for w, bound := range r.total {
		if bound <= 0 {
			continue
		}
		if r.hopeless(bound, w) {
			r.skipped++
			r.exact = false
			continue
		}
		r.window(w, true)
	}
}

// hopeless reports that no document of a window with this bound can be in the top.
func (r *segmentRun) hopeless(bound float64, w int) bool {
	if len(r.lists) > 1 || !r.top.full() {
		return bound < r.top.prune()
	}
	// The bound of a single term may be reached: equal scores go to the smaller chunk.
	worst := r.top.heap[0]
	return bound < worst.Score || bound == worst.Score && r.chunks[w<<windowBits] > worst.Chunk
}

// window scores one window.
func (r *segmentRun) window(w int, inOrder bool) {
	r.windows++
	r.enter(w, inOrder)
	// suf[i] bounds the live lists from the i-th on.
	r.suf = append(r.suf[:0], make([]float64, len(r.live)+1)...)
	for i := len(r.live) - 1; i >= 0; i-- {
		r.suf[i] = r.suf[i+1] + r.lists[r.live[i]].bound
	}
	prune := r.top.prune()
	essential := len(r.live)
	for essential > 0 && r.suf[essential-1] < prune {
		essential--
	}
	if essential == 0 {
		r.exact = false
		return
	}
	if essential < len(r.live) {
		r.exact = false
	}
	if essential == 1 {
		r.single(w)
		return
	}
	base := uint32(w) << windowBits
	for _, i := range r.live[:essential] {
		r.accumulate(&r.lists[i], base)
	}
	r.drain(w, essential)
}

// accumulate adds a list's part to the sums of its documents in the window.
func (r *segmentRun) accumulate(l *list, base uint32) {
	docs, codes := l.Docs[l.from:l.to], l.Codes[l.from:l.to]
	codes = codes[:len(docs)]
	end := min(int(base)+windowDocs, len(r.lens))
	lens := r.lens[base:end]
	wtf, inv, gain := l.wtf, r.inv, l.gain
	for k, d := range docs {
		d -= base
		r.acc[d&(windowDocs-1)] += gainOf(gain, wtf[codes[k]]*inv[lens[d]])
		r.found[d>>6&(windowDocs/64-1)] |= 1 << (d & 63)
	}
	r.postings += int64(len(docs))
}

// drain offers the documents with a sum, having looked up the lists that are not
// essential, and leaves the sums at zero.
func (r *segmentRun) drain(w, essential int) {
	base := uint32(w) << windowBits
	rest := r.live[essential:]
	suf := r.suf[essential:]
	prune := r.top.prune()
	for word := range r.found {
		set := r.found[word]
		r.found[word] = 0
		if set == 0 {
			continue
		}
		mask := ^uint64(0)
		if r.allowed != nil {
			mask = r.allowed[int(base>>6)+word]
		}
		for ; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			d := word<<6 + bit
			sum := r.acc[d]
			r.acc[d] = 0
			if mask>>bit&1 == 0 || sum == 0 && len(rest) == 0 {
				continue
			}
			r.matches++
			if sum+suf[0] < prune {
				continue
			}
			doc := base + uint32(d)
			if len(rest) > 0 {
				var ok bool
				if sum, ok = r.lookUp(sum, doc, rest, suf, prune); !ok {
					continue
				}
			}
			if sum > 0 {
				r.top.add(r.chunks[doc], sum)
				prune = r.top.prune()
			}
		}
	}
}

// lookUp adds the parts of lists in order; ok is false when the document cannot reach
// the threshold. Documents come in ascending order within a window.
func (r *segmentRun) lookUp(sum float64, doc uint32, rest []int32, suf []float64, prune float64) (float64, bool) {
	inv := r.inv[r.lens[doc]]
	for k, i := range rest {
		if sum+suf[k] < prune {
			return sum, false
		}
		l := &r.lists[i]
		at := uint32(seek(l.Docs[:l.to], int(l.from), doc))
		l.from = at
		r.postings++
		if at < l.to && l.Docs[at] == doc {
			sum += gainOf(l.gain, l.wtf[l.Codes[at]]*inv)
		}
	}
	return sum, true
}

// single scores a window with one essential list: no sums are needed.
func (r *segmentRun) single(w int) {
	l := &r.lists[r.live[0]]
	rest, suf := r.live[1:], r.suf[1:]
	prune := r.top.prune()
	r.postings += int64(l.to - l.from)
	for k := l.from; k < l.to; k++ {
		doc := l.Docs[k]
		sum := gainOf(l.gain, l.wtf[l.Codes[k]]*r.inv[r.lens[doc]])
		if r.allowed != nil && r.allowed[doc>>6]>>(doc&63)&1 == 0 || sum == 0 && len(rest) == 0 {
			continue
		}
		r.matches++
		if sum+suf[0] < prune {
			continue
		}
		if len(rest) > 0 {
			var ok bool
			if sum, ok = r.lookUp(sum, doc, rest, suf, prune); !ok {
				continue
			}
		}
		if sum > 0 {
			r.top.add(r.chunks[doc], sum)
			prune = r.top.prune()
		}
	}
}
