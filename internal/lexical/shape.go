package lexical

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Shape is how a collection's index lies in the database.
type Shape struct {
	// Segments are sealed, Tail is what was written with its documents and waits to be
	// sealed: how many, with how many chunks and bytes. Chunks that were deleted since
	// count until a merge drops them.
	Segments Extent `json:"segments"`
	Tail     Extent `json:"tail"`
	// Tombstones are deletions that a merge has not carried out yet.
	Tombstones int64 `json:"tombstones"`
}

// Extent is a number of segments and what is in them.
type Extent struct {
	Count  int64 `json:"count"`
	Chunks int64 `json:"chunks"`
	Bytes  int64 `json:"bytes"`
}

// Shapes returns the shape of each collection's index by the collection's number, as of
// one moment. A collection without a segment is not in it. It reads the lists of segments
// and tombstones and no segment.
func (ix *Index) Shapes(ctx context.Context) (map[int64]Shape, error) {
	rows, err := ix.pool.Query(ctx, `select c.id, s.sealed, s.sealed_docs, s.sealed_bytes, s.tail, s.tail_docs, s.tail_bytes,
			(select count(*) from lex_tombs t where t.collection_id = c.id)
		from collections c join (select collection_id,
			count(*) filter (where level > 0) sealed, coalesce(sum(docs) filter (where level > 0), 0) sealed_docs,
			coalesce(sum(size) filter (where level > 0), 0)::bigint sealed_bytes,
			count(*) filter (where level = 0) tail, coalesce(sum(docs) filter (where level = 0), 0) tail_docs,
			coalesce(sum(size) filter (where level = 0), 0)::bigint tail_bytes
			from lex_segments group by 1) s on s.collection_id = c.id`)
	if err != nil {
		return nil, fmt.Errorf("read the shapes of the lexical indexes: %w", err)
	}
	shapes := map[int64]Shape{}
	var id int64
	var s Shape
	_, err = pgx.ForEachRow(rows, []any{&id, &s.Segments.Count, &s.Segments.Chunks, &s.Segments.Bytes,
		&s.Tail.Count, &s.Tail.Chunks, &s.Tail.Bytes, &s.Tombstones}, func() error {
		shapes[id] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the shapes of the lexical indexes: %w", err)
	}
	return shapes, nil
}
