package lexical

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
)

// segState is a segment as far as it is in memory. Readers take no lock.
type segState struct {
	id    int64
	level int16
	meta  *segment.Meta
	docs  *segment.Docs
	// whole are all bytes of a segment that fits one part.
	whole []byte
	pages []atomic.Pointer[pageState]
	terms sync.Map // string → *termState
	lens  atomic.Pointer[lengths]
	seen  cached // the head's entry in the cache

	// For filters.
	attributes atomic.Pointer[attributesState]
	columns    sync.Map // name → *columnState
	filters    sync.Map // the filter's text → *filterState
}

type pageState struct {
	*segment.Page
	cached
}

// termState is a term in a segment: where it is, and its postings once read. A term
// that the segment lacks has one, too, with entry.DF = 0.
type termState struct {
	entry segment.Entry
	list  *segment.List // nil: the segment does not have the term
	pos   atomic.Pointer[segment.Positions]
	// windows are those of the last scoring.
	windows atomic.Pointer[windows]
	cached
}

// damage is an error about one segment: the others can still answer.
type damage struct {
	segment int64
	err     error
}

func (d *damage) Error() string {
	return fmt.Sprintf("segment %d: %v; `bmcis db verify --repair` rebuilds it from the texts", d.segment, d.err)
}
func (d *damage) Unwrap() error { return d.err }

// otherAnalysis is the error about a segment whose terms were made by another version of
// the analysis.
type otherAnalysis struct{ version int }

func (e *otherAnalysis) Error() string {
	return fmt.Sprintf("its terms are of analysis %d, this program's of %d", e.version, text.Version)
}

// open gives the segments of a manifest, reading the heads of those that are new.
// Damaged ones are named in v.broken and left out.
func (ix *Index) open(ctx context.Context, db querier, v *view) ([]*segState, error) {
	m := &v.rows
	segs := make([]*segState, len(m.ids))
	var wants []want
	var missing []int
	for i, id := range m.ids {
		if s, ok := ix.segments.Load(id); ok {
			segs[i] = s.(*segState)
			segs[i].seen.touch()
			continue
		}
		n := m.heads[i]
		if m.sizes[i] <= partSize {
			n = m.sizes[i]
		}
		missing = append(missing, i)
		wants = append(wants, want{id, segment.Range{Len: n}})
	}
	if len(wants) > 0 {
		heads, err := read(ctx, db, wants)
		if err != nil {
			return nil, err
		}
		for k, i := range missing {
			s, err := openSegment(m, i, heads[k])
			if err != nil {
				v.broken = append(v.broken, (&damage{m.ids[i], err}).Error())
				var other *otherAnalysis
				v.outdated = v.outdated || errors.As(err, &other) && other.version < text.Version
				continue
			}
			segs[i] = ix.keep(s)
		}
	}
	out := segs[:0]
	for _, s := range segs {
		if s != nil {
			out = append(out, s)
		}
	}
	return out, nil
}

func openSegment(m *manifest, i int, b []byte) (*segState, error) {
	n, err := segment.MetaLen(b)
	if err != nil {
		return nil, err
	}
	s := &segState{id: m.ids[i], level: m.levels[i]}
	if n > int64(len(b)) {
		return nil, fmt.Errorf("%w: metadata of %d bytes, %d are there", segment.ErrCorrupt, n, len(b))
	}
	if s.meta, err = segment.ParseMeta(b[:n]); err != nil {
		return nil, err
	}
	if s.meta.Analysis != text.Version {
		return nil, &otherAnalysis{s.meta.Analysis}
	}
	r := s.meta.DocsRange()
	if r.Off+r.Len > int64(len(b)) || s.meta.Size != m.sizes[i] {
		return nil, fmt.Errorf("%w: %d bytes of documents, %d are there", segment.ErrCorrupt, r.Len, int64(len(b))-r.Off)
	}
	if s.docs, err = segment.DecodeDocs(s.meta, b[r.Off:r.Off+r.Len]); err != nil {
		return nil, err
	}
	if m.sizes[i] <= partSize {
		if int64(len(b)) != m.sizes[i] {
			return nil, fmt.Errorf("%w: %d bytes, %d are there", segment.ErrCorrupt, m.sizes[i], len(b))
		}
		s.whole = b
	}
	s.pages = make([]atomic.Pointer[pageState], len(s.meta.Pages))
	return s, nil
}

// keep registers an opened segment, or gives the one that another query registered.
func (ix *Index) keep(s *segState) *segState {
	if old, ok := ix.segments.LoadOrStore(s.id, s); ok {
		return old.(*segState)
	}
	s.seen.owner = s
	s.seen.bytes = s.docs.Bytes() + int64(len(s.whole)) + int64(4*s.meta.Docs) + int64(96*len(s.meta.Pages)) + 512
	s.seen.drop = func() { ix.segments.CompareAndDelete(s.id, s) }
	ix.cache.add(&s.seen)
	return s
}

// reading is one query's reading: what it counts and which segments failed it.
type reading struct {
	ix    *Index
	db    querier
	stats *Stats
	bad   map[*segState]*damage
}

// fail notes a damaged segment.
func (r *reading) fail(s *segState, err error) {
	if r.bad == nil {
		r.bad = map[*segState]*damage{}
	}
	if r.bad[s] == nil {
		r.bad[s] = &damage{s.id, err}
	}
}

// fetch gives ranges of segments: out of memory for small ones, else from the database.
func (r *reading) fetch(ctx context.Context, segs []*segState, ranges []segment.Range) ([][]byte, error) {
	out := make([][]byte, len(segs))
	var wants []want
	var at []int
	for i, s := range segs {
		g := ranges[i]
		if g.Off < 0 || g.Len < 0 || g.Off+g.Len > s.meta.Size {
			r.fail(s, fmt.Errorf("%w: range %d+%d of %d", segment.ErrCorrupt, g.Off, g.Len, s.meta.Size))
			continue
		}
		if s.whole != nil {
			out[i] = s.whole[g.Off : g.Off+g.Len]
			continue
		}
		wants = append(wants, want{s.id, g})
		at = append(at, i)
		r.stats.BytesRead += g.Len
	}
	if len(wants) == 0 {
		return out, nil
	}
	got, err := read(ctx, r.db, wants)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		out[i] = got[k]
	}
	return out, nil
}

// load gives the terms in each segment of the view: [segment][term]. What is not in
// memory takes at most two statements, one for dictionary pages and one for lists.
func (r *reading) load(ctx context.Context, segs []*viewSeg, terms []string) ([][]*termState, error) {
	out := make([][]*termState, len(segs))
	all := make([]*termState, len(segs)*len(terms))
	type miss struct{ seg, term, page int }
	var misses []miss
	for i, s := range segs {
		out[i] = all[i*len(terms) : (i+1)*len(terms)]
		for j, term := range terms {
			if t, ok := s.terms.Load(term); ok {
				out[i][j] = t.(*termState)
				out[i][j].touch()
				r.stats.CacheHits++
				continue
			}
			r.stats.CacheMisses++
			misses = append(misses, miss{i, j, s.meta.PageOf(term)})
		}
	}
	if len(misses) == 0 {
		return out, nil
	}
	// Pages of the dictionary.
	type pageKey struct{ seg, page int }
	pages := make(map[pageKey]*segment.Page)
	var asked []pageKey
	var from []*segState
	var ranges []segment.Range
	for _, m := range misses {
		key := pageKey{m.seg, m.page}
		if _, ok := pages[key]; ok || m.page < 0 {
			continue
		}
		s := segs[m.seg]
		if p := s.pages[m.page].Load(); p != nil {
			p.touch()
			pages[key] = p.Page
			continue
		}
		pages[key] = nil
		asked = append(asked, key)
		from = append(from, s.segState)
		ranges = append(ranges, s.meta.Pages[m.page].Page)
	}
	got, err := r.fetch(ctx, from, ranges)
	if err != nil {
		return nil, err
	}
	for k, key := range asked {
		if got[k] == nil {
			continue
		}
		p, err := from[k].meta.ParsePage(key.page, got[k])
		if err != nil {
			r.fail(from[k], err)
			continue
		}
		pages[key] = p
		r.ix.keepPage(from[k], key.page, p)
	}
	// Lists.
	states := make([]*termState, len(misses))
	from, ranges = from[:0], ranges[:0]
	var which []int
	for k, m := range misses {
		s := segs[m.seg]
		states[k] = &termState{}
		states[k].entry.Term = terms[m.term]
		p := pages[pageKey{m.seg, m.page}]
		if p == nil {
			continue // before the first page, or damaged
		}
		e, ok, err := p.Find(terms[m.term])
		if err != nil {
			r.fail(s.segState, err)
			continue
		}
		if !ok {
			continue
		}
		states[k].entry = e
		g := e.List
		if e.Inline() {
			g = segment.Range{}
		}
		from, ranges, which = append(from, s.segState), append(ranges, g), append(which, k)
	}
	lists, err := r.fetch(ctx, from, ranges)
	if err != nil {
		return nil, err
	}
	for n, k := range which {
		s, t := from[n], states[k]
		if !t.entry.Inline() && lists[n] == nil {
			continue
		}
		if t.list, err = s.meta.DecodeList(&t.entry, s.docs, lists[n]); err != nil {
			r.fail(s, err)
		}
	}
	for k, m := range misses {
		s := segs[m.seg].segState
		if r.bad[s] == nil {
			states[k] = r.ix.keepTerm(s, states[k])
		}
		out[m.seg][m.term] = states[k]
	}
	return out, nil
}

func (ix *Index) keepPage(s *segState, i int, p *segment.Page) {
	if s.whole != nil { // its bytes are in memory anyway
		return
	}
	c := &pageState{Page: p}
	if !s.pages[i].CompareAndSwap(nil, c) {
		return
	}
	c.owner, c.bytes = s, p.Bytes()
	c.drop = func() { s.pages[i].CompareAndSwap(c, nil) }
	ix.cache.add(&c.cached)
}

func (ix *Index) keepTerm(s *segState, t *termState) *termState {
	if old, ok := s.terms.LoadOrStore(t.entry.Term, t); ok {
		return old.(*termState)
	}
	term := t.entry.Term
	t.owner, t.bytes = s, 256+int64(len(term))
	if t.list != nil {
		t.bytes += t.list.Bytes() + 4*int64(len(t.list.Docs)) + 16*int64(min(len(t.list.Docs), s.meta.Docs>>windowBits+1)) // with its windows
	}
	t.drop = func() { s.terms.CompareAndDelete(term, t) }
	ix.cache.add(&t.cached)
	return t
}

// loadPositions reads the positions of terms that have none yet.
func (r *reading) loadPositions(ctx context.Context, segs []*segState, terms []*termState) error {
	var from []*segState
	var ranges []segment.Range
	var which []*termState
	for i, t := range terms {
		if t.list != nil && t.pos.Load() == nil {
			from, ranges, which = append(from, segs[i]), append(ranges, t.entry.PositionsRange()), append(which, t)
		}
	}
	got, err := r.fetch(ctx, from, ranges)
	if err != nil {
		return err
	}
	for i, t := range which {
		if got[i] == nil {
			continue
		}
		p, err := from[i].meta.DecodePositions(&t.entry, t.list, got[i])
		if err != nil {
			r.fail(from[i], err)
			continue
		}
		if t.pos.CompareAndSwap(nil, p) {
			c := &cached{owner: from[i], bytes: p.Bytes()}
			c.drop = func() { t.pos.CompareAndSwap(p, nil) }
			r.ix.cache.add(c)
		}
	}
	return nil
}
