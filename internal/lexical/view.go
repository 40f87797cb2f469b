package lexical

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/segment"
)

// view is what one snapshot of the database says about a collection: its segments and
// which of their documents are deleted. Views are immutable and shared by queries until
// something is committed.
type view struct {
	rows       manifest
	name       string // of the collection
	generation int64
	segs       []*viewSeg // largest first
	// docs and sums are of the documents that are not deleted.
	docs   int64
	sums   [segment.NumFields]int64
	broken []string // what is missing or could not be opened
	// outdated says that one of them is of an older analysis.
	outdated bool
	idle     []tomb   // deletions of what no segment has
	dfs      sync.Map // term key → int64
	scoring  sync.Map // params → *scoring
	filters  sync.Map // the filter's text → *sqlFilter
}

// viewSeg is a segment in a view.
type viewSeg struct {
	*segState
	// alive has a bit for each document that is not deleted; nil: all are alive.
	alive   []uint64
	deleted []uint32
}

// manifest is the answer of the one statement.
type manifest struct {
	ids, heads, sizes []int64
	levels            []int16
	docs              []int32
	tombs, seqs       []int64
}

func (m *manifest) equal(o *manifest) bool {
	return slices.Equal(m.ids, o.ids) && slices.Equal(m.tombs, o.tombs) && slices.Equal(m.seqs, o.seqs)
}

const manifestSQL = `
select c.name, c.generation, s.ids, s.heads, s.sizes, s.levels, s.docs, t.chunks, t.seqs
from collections c,
  lateral (select array_agg(id order by id) ids, array_agg(head order by id) heads, array_agg(size order by id) sizes,
                  array_agg(level order by id) levels, array_agg(docs order by id) docs
           from lex_segments where collection_id = c.id) s,
  lateral (select array_agg(chunk_id order by chunk_id, seq) chunks, array_agg(seq order by chunk_id, seq) seqs
           from lex_tombs where collection_id = c.id) t
where c.id = $1`

// view reads the manifest in one statement, so that segments, tail and deletions are of
// one snapshot, and opens what is new in it.
func (ix *Index) view(ctx context.Context, db querier, collection int64) (*view, error) {
	var m manifest
	var name string
	var generation int64
	rows, err := db.Query(ctx, manifestSQL, collection)
	if err == nil {
		_, err = pgx.CollectExactlyOneRow(rows, func(r pgx.CollectableRow) (struct{}, error) {
			return struct{}{}, r.Scan(&name, &generation, &m.ids, &m.heads, &m.sizes, &m.levels, &m.docs, &m.tombs, &m.seqs)
		})
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("collection %d does not exist", collection)
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifest of collection %d: %w", collection, err)
	}
	slot := ix.viewSlot(collection)
	old := slot.Load()
	if old != nil && old.generation == generation && old.rows.equal(&m) && len(old.broken) == 0 {
		return old, nil
	}
	v := &view{rows: m, name: name, generation: generation}
	segs, err := ix.open(ctx, db, v)
	if err != nil {
		return nil, err
	}
	if len(m.ids) == 0 {
		if err := v.missing(ctx, db, collection); err != nil {
			return nil, err
		}
	}
	v.place(segs)
	if slot.CompareAndSwap(old, v) && old != nil {
		ix.leave(old, v)
	}
	return v, nil
}

// missing looks whether a collection without segments should have some: rows that are
// gone leave no damaged bytes behind.
func (v *view) missing(ctx context.Context, db querier, collection int64) error {
	rows, err := db.Query(ctx, `select exists (select from chunks where collection_id = $1)
		and not exists (select from lex_segments where collection_id = $1)`, collection)
	if err != nil {
		return fmt.Errorf("look for chunks of collection %d: %w", collection, err)
	}
	lost, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
	if err != nil {
		return fmt.Errorf("look for chunks of collection %d: %w", collection, err)
	}
	if lost {
		v.broken = append(v.broken, "the keyword index has no segment although there are chunks; `bmcis db verify --repair` rebuilds it from the texts")
	}
	return nil
}

// place computes what is alive, and the statistics.
func (v *view) place(segs []*segState) {
	victims := make([]bool, len(v.rows.tombs))
	for _, s := range segs {
		vs := &viewSeg{segState: s}
		for i, chunk := range v.rows.tombs {
			d, ok := s.docs.Find(chunk)
			if !ok || s.docs.Births[d] >= v.rows.seqs[i] {
				continue
			}
			victims[i] = true
			if vs.alive == nil {
				vs.alive = ones(s.meta.Docs)
			}
			if vs.alive[d>>6]>>(d&63)&1 == 0 {
				continue // two tombs
			}
			vs.alive[d>>6] &^= 1 << (d & 63)
			vs.deleted = append(vs.deleted, d)
		}
		v.docs += int64(s.meta.Docs - len(vs.deleted))
		for f := range v.sums {
			v.sums[f] += s.meta.Sums[f]
			for _, d := range vs.deleted {
				v.sums[f] -= int64(s.docs.Len(f, d))
			}
		}
		v.segs = append(v.segs, vs)
	}
	for i, found := range victims {
		if !found && len(v.broken) == 0 {
			v.idle = append(v.idle, tomb{v.rows.tombs[i], v.rows.seqs[i]})
		}
	}
	slices.SortStableFunc(v.segs, func(a, b *viewSeg) int { return b.meta.Docs - a.meta.Docs })
}

func ones(n int) []uint64 {
	b := make([]uint64, (n+63)/64)
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n&63 != 0 {
		b[len(b)-1] = 1<<(n&63) - 1
	}
	return b
}

// leave frees the segments that only the old view had.
func (ix *Index) leave(old, now *view) {
	keep := make(map[*segState]bool, len(now.segs))
	for _, s := range now.segs {
		keep[s.segState] = true
	}
	dead := make(map[*segState]bool)
	for _, s := range old.segs {
		if !keep[s.segState] {
			dead[s.segState] = true
		}
	}
	if len(dead) > 0 {
		ix.cache.forget(func(s *segState) bool { return dead[s] })
	}
}

// scoring is what scores depend on beside the term: for each segment and each length
// that occurs in it, 1/(k1·(1-b+b·length/average)).
type scoring struct {
	p       params
	average float64     // weighted length
	inv     [][]float64 // by view.segs, by length code
	lens    []*lengths
	// tf are weighted frequencies by shape number, for all fields and for each.
	tf [][1 + segment.NumFields]atomic.Pointer[[]float64]
}

// frequencies gives the weighted frequency of each shape of a segment.
func (s *scoring) frequencies(seg int, shapes []segment.Shape, field int) []float64 {
	slot := &s.tf[seg][field-anyField]
	if tf := slot.Load(); tf != nil {
		return *tf
	}
	tf := weigh(make([]float64, 0, len(shapes)), shapes, s.p.weights, field)
	slot.Store(&tf)
	return tf
}

// lengths are the weighted lengths of a segment's documents: few distinct ones, so a
// change of the statistics recomputes only those.
type lengths struct {
	weights [segment.NumFields]float64
	code    []uint32
	value   []float64
}

func (v *view) scoringFor(p params) *scoring {
	if s, ok := v.scoring.Load(p); ok {
		return s.(*scoring)
	}
	var sum float64
	for f, w := range p.weights {
		sum += w * float64(v.sums[f])
	}
	average := sum / math.Max(1, float64(v.docs))
	s := &scoring{p: p, average: average, tf: make([][1 + segment.NumFields]atomic.Pointer[[]float64], len(v.segs))}
	for _, seg := range v.segs {
		l := seg.lengths(p.weights)
		inv := make([]float64, len(l.value))
		for i, n := range l.value {
			inv[i] = norm(p, n, average)
		}
		s.inv = append(s.inv, inv)
		s.lens = append(s.lens, l)
	}
	v.scoring.Store(p, s)
	return s
}

// norm is the inverse of BM25's length normalisation. It is finite even for k1 = 0.
func norm(p params, length, average float64) float64 {
	relative := 1.0
	if average > 0 {
		relative = length / average
	}
	return 1 / math.Max(1e-30, p.k1*(1-p.b+p.b*relative))
}

// lengths computes the weighted lengths, or takes those of the last query with the same
// weights.
func (s *segState) lengths(weights [segment.NumFields]float64) *lengths {
	if l := s.lens.Load(); l != nil && l.weights == weights {
		return l
	}
	l := &lengths{weights: weights, code: make([]uint32, s.meta.Docs)}
	plain := weights == [segment.NumFields]float64{1, 1, 1, 1}
	table := lengthTable{slots: make([]uint32, 1<<10), values: l.value}
	for d, total := range s.docs.Total {
		n := float64(total)
		if !plain {
			n = 0
			for f, w := range weights {
				n += w * float64(s.docs.Len(f, uint32(d)))
			}
		}
		l.code[d] = table.code(n)
	}
	l.value = table.values
	s.lens.Store(l)
	return l
}

// lengthTable numbers lengths. The first query after a start numbers those of all
// documents, which a map takes eight times as long for.
type lengthTable struct {
	slots  []uint32 // a power of two; 0: free, else a place in values, plus one
	values []float64
}

func (t *lengthTable) code(n float64) uint32 {
	mask := uint64(len(t.slots) - 1)
	// The upper bits of the product: the lower ones of floats that are small integers are 0.
	h := math.Float64bits(n) * 0x9e3779b97f4a7c15 >> bits.LeadingZeros64(mask)
	for at := h; ; at = (at + 1) & mask {
		switch c := t.slots[at]; {
		case c == 0:
			t.values = append(t.values, n)
			t.slots[at] = uint32(len(t.values))
			if 2*len(t.values) > len(t.slots) {
				t.grow()
			}
			return uint32(len(t.values) - 1)
		case t.values[c-1] == n:
			return c - 1
		}
	}
}

// grow makes room, and numbers the same lengths again in the same order.
func (t *lengthTable) grow() {
	values := t.values
	*t = lengthTable{slots: make([]uint32, 2*len(t.slots)), values: make([]float64, 0, 2*len(values))}
	for _, n := range values {
		t.code(n)
	}
}
