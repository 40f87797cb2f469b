package lexical

import (
	"context"
	"fmt"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/segment"
)

// attributesState are a segment's attributes, columnState one of their columns, and
// filterState the documents of the segment that a filter keeps.
type (
	attributesState struct {
		*segment.Attributes
		cached
	}
	columnState struct {
		filter.Column
		cached
	}
	filterState struct {
		bits []uint64
		cached
	}
)

// filter computes what a filter keeps in each segment of the view. What is not in memory
// takes at most two statements, one for directories and one for columns; segments
// without the columns take one that evaluates the filter in the database.
func (x *execution) filter(ctx context.Context, e filter.Expr) error {
	if e == nil {
		return nil
	}
	if err := filter.Check(e); err != nil {
		return err
	}
	key := e.String()
	if filter.NeedsCollection(e) {
		key += "\x00" + x.view.name
	}
	x.kept = make([][]uint64, len(x.view.segs))
	var todo, bySQL []int
	for i, s := range x.view.segs {
		if f, ok := s.filters.Load(key); ok {
			f.(*filterState).touch()
			x.kept[i] = f.(*filterState).bits
		} else if s.meta.AttributesRange().Len == 0 {
			bySQL = append(bySQL, i)
		} else {
			todo = append(todo, i)
		}
	}
	if len(todo) > 0 {
		read, lacking, err := x.columns(ctx, todo, filter.Columns(e))
		if err != nil {
			return err
		}
		bySQL = append(bySQL, lacking...)
		for _, c := range read {
			s := x.view.segs[c.seg].segState
			if x.read.bad[s] != nil {
				continue
			}
			bits, err := c.keep(e)
			if err != nil {
				return err
			}
			x.kept[c.seg] = bits
			x.ix.keepFilter(s, key, bits)
		}
	}
	if len(bySQL) > 0 {
		return x.filterBySQL(ctx, e, key, bySQL)
	}
	return nil
}

// segColumns are what a filter reads of one segment. A column that its directory does not
// name is missing in all documents, and not here.
type segColumns struct {
	seg     int // in the view
	attrs   *segment.Attributes
	columns map[string]filter.Column
}

// columns reads columns of segments. Those where one was too long to be kept are lacking;
// they, and damaged ones, are not in the result.
func (x *execution) columns(ctx context.Context, segs []int, names []string) (out []segColumns, lacking []int, err error) {
	attrs, err := x.read.loadAttributes(ctx, x.view, segs)
	if err != nil {
		return nil, nil, err
	}
	type want struct {
		out  int
		name string
	}
	var wants []want
	var from []*segState
	var ranges []segment.Range
next:
	for k, i := range segs {
		s, a := x.view.segs[i].segState, attrs[k]
		if a == nil {
			continue // damaged
		}
		for _, name := range names {
			if g, ok := a.Columns[name]; ok && g.Len == 0 {
				lacking = append(lacking, i)
				continue next
			}
		}
		read := map[string]filter.Column{}
		for _, name := range names {
			if name == "collection" {
				read[name] = filter.Column{Values: []any{x.view.name}, Of: make([]uint32, a.Records)}
			} else if c, ok := s.columns.Load(name); ok {
				c.(*columnState).touch()
				read[name] = c.(*columnState).Column
			} else if g, ok := a.Columns[name]; ok {
				wants, from, ranges = append(wants, want{len(out), name}), append(from, s), append(ranges, g)
			}
		}
		out = append(out, segColumns{i, a, read})
	}
	got, err := x.read.fetch(ctx, from, ranges)
	if err != nil {
		return nil, nil, err
	}
	for k, w := range wants {
		if got[k] == nil {
			continue // noted by fetch
		}
		c, err := x.ix.decodeColumn(from[k], out[w.out].attrs, w.name, got[k])
		if err != nil {
			x.read.fail(from[k], err)
		}
		out[w.out].columns[w.name] = c
	}
	return out, lacking, nil
}

// loadAttributes gives the directories of segments, reading those that are not in
// memory; nil where one is damaged.
func (r *reading) loadAttributes(ctx context.Context, v *view, segs []int) ([]*segment.Attributes, error) {
	out := make([]*segment.Attributes, len(segs))
	var from []*segState
	var ranges []segment.Range
	var at []int
	for k, i := range segs {
		s := v.segs[i].segState
		if a := s.attributes.Load(); a != nil {
			a.touch()
			out[k] = a.Attributes
			continue
		}
		from, ranges, at = append(from, s), append(ranges, s.meta.AttributesRange()), append(at, k)
	}
	got, err := r.fetch(ctx, from, ranges)
	if err != nil {
		return nil, err
	}
	for n, s := range from {
		if got[n] == nil {
			continue
		}
		a, err := s.meta.DecodeAttributes(got[n])
		if err != nil {
			r.fail(s, err)
			continue
		}
		out[at[n]] = a
		c := &attributesState{Attributes: a}
		c.owner, c.bytes = s, a.Bytes()
		c.drop = func() { s.attributes.CompareAndSwap(c, nil) }
		if s.attributes.CompareAndSwap(nil, c) {
			r.ix.cache.add(&c.cached)
		}
	}
	return out, nil
}

func (ix *Index) decodeColumn(s *segState, a *segment.Attributes, name string, b []byte) (filter.Column, error) {
	stored, err := a.DecodeColumn(name, b)
	if err != nil {
		return filter.Column{}, err
	}
	column, err := columnOf(name, stored, a.Records)
	if err != nil {
		return column, err
	}
	c := &columnState{Column: column}
	c.owner, c.bytes = s, int64(32*len(column.Values)+4*len(column.Of))+128
	for _, v := range stored.Values {
		c.bytes += 2 * int64(len(v))
	}
	c.drop = func() { s.columns.CompareAndDelete(name, c) }
	if _, ok := s.columns.LoadOrStore(name, c); !ok {
		ix.cache.add(&c.cached)
	}
	return column, nil
}

// keep evaluates a filter: for the records, and from these for the documents.
func (c *segColumns) keep(e filter.Expr) ([]uint64, error) {
	records, err := filter.Select(e, c.attrs.Records, c.columns)
	if err != nil {
		return nil, err
	}
	bits := make([]uint64, (len(c.attrs.Of)+63)/64)
	for d, r := range c.attrs.Of {
		if r > 0 {
			bits[d>>6] |= records[(r-1)>>6] >> ((r - 1) & 63) & 1 << (d & 63)
		}
	}
	return bits, nil
}

func (ix *Index) keepFilter(s *segState, key string, bits []uint64) {
	f := &filterState{bits: bits}
	f.owner, f.bytes = s, int64(8*len(bits)+len(key))+128
	f.drop = func() { s.filters.CompareAndDelete(key, f) }
	if _, ok := s.filters.LoadOrStore(key, f); !ok {
		ix.cache.add(&f.cached)
	}
}

// filterBySQL lets the database evaluate a filter for segments without the columns. The
// tables may change under such a segment, so the answer serves this view only.
func (x *execution) filterBySQL(ctx context.Context, e filter.Expr, key string, segs []int) error {
	v := x.view
	if f, ok := v.filters.Load(key); ok {
		f.(*sqlFilter).touch()
		complete := true
		for _, i := range segs {
			x.kept[i] = f.(*sqlFilter).kept[i]
			complete = complete && x.kept[i] != nil
		}
		if complete {
			return nil
		}
	}
	where, args, err := filter.SQL(e, 2)
	if err != nil {
		return err
	}
	var ids []int64
	err = x.ix.pool.QueryRow(ctx, `
		select array_agg(ch.id) from chunks ch join documents d on d.id = ch.document_id join collections c on c.id = d.collection_id
		where ch.collection_id = $1 and (`+where+`)`, append([]any{x.collection}, args...)...).Scan(&ids)
	if err != nil {
		return fmt.Errorf("evaluate the filter %s: %w", key, err)
	}
	f := &sqlFilter{kept: make([][]uint64, len(v.segs))}
	f.owner, f.bytes = v.segs[segs[0]].segState, int64(len(key))+256
	for _, i := range segs {
		s := v.segs[i]
		bits := make([]uint64, (s.meta.Docs+63)/64)
		for _, id := range ids {
			if d, ok := s.docs.Find(id); ok {
				bits[d>>6] |= 1 << (d & 63)
			}
		}
		f.kept[i], x.kept[i] = bits, bits
		f.bytes += int64(8 * len(bits))
	}
	f.drop = func() { v.filters.CompareAndDelete(key, f) }
	v.filters.Store(key, f)
	x.ix.cache.add(&f.cached)
	return nil
}

// sqlFilter is what a filter keeps in the segments of a view that have no columns.
type sqlFilter struct {
	kept [][]uint64
	cached
}
