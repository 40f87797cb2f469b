package lexical

import (
	"context"
	"fmt"

	"github.com/bmcis/bmcis/filter"
)

// filterKey names what a filter keeps: it holds until the next commit.
type filterKey struct {
	collection, generation int64
	expr                   string
}

// filterSet is what a filter keeps, by segment.
type filterSet struct {
	cached
	segs map[*segState][]uint64
	view *view
}

// filtered gives the documents of a segment that a filter keeps. The condition is
// evaluated once by the database; its answer serves until something is committed.
func (ix *Index) filtered(ctx context.Context, v *view, q Query, s *viewSeg) ([]uint64, error) {
	key := filterKey{q.Collection.ID, v.generation, q.Filter.String()}
	if f, ok := ix.filters.Load(key); ok && f.(*filterSet).view == v {
		f.(*filterSet).touch()
		return f.(*filterSet).segs[s.segState], nil
	}
	where, args, err := filter.SQL(q.Filter, 2)
	if err != nil {
		return nil, err
	}
	var ids []int64
	err = ix.pool.QueryRow(ctx, `
		select array_agg(ch.id) from chunks ch join documents d on d.id = ch.document_id join collections c on c.id = d.collection_id
		where ch.collection_id = $1 and (`+where+`)`, append([]any{q.Collection.ID}, args...)...).Scan(&ids)
	if err != nil {
		return nil, fmt.Errorf("evaluate the filter %s: %w", key.expr, err)
	}
	f := &filterSet{view: v, segs: make(map[*segState][]uint64, len(v.segs))}
	for _, s := range v.segs {
		f.segs[s.segState] = make([]uint64, (s.meta.Docs+63)/64)
		f.bytes += int64(8*len(f.segs[s.segState])) + 64
	}
	for _, id := range ids {
		for _, s := range v.segs {
			if d, ok := s.docs.Find(id); ok {
				f.segs[s.segState][d>>6] |= 1 << (d & 63)
			}
		}
	}
	f.drop = func() { ix.filters.CompareAndDelete(key, f) }
	ix.filters.Store(key, f)
	ix.cache.add(&f.cached)
	return f.segs[s.segState], nil
}
