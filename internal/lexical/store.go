package lexical

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/segment"
)

// partSize is the length of all parts of a segment but the last.
const partSize = 256 << 10

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// want is a range of a segment to read.
type want struct {
	segment int64
	segment.Range
}

// read fetches ranges in one statement. It fails with errGone when a segment is not
// there any more.
func read(ctx context.Context, db querier, wants []want) ([][]byte, error) {
	var (
		which, parts, offs, lens []int32
		segments                 []int64
	)
	for i, w := range wants {
		for off, left := w.Off, w.Len; left > 0; {
			at := off % partSize
			n := min(left, partSize-at)
			which = append(which, int32(i))
			segments = append(segments, w.segment)
			parts = append(parts, int32(off/partSize))
			offs = append(offs, int32(at+1))
			lens = append(lens, int32(n))
			off += n
			left -= n
		}
	}
	// The order of the pieces is kept by their number.
	rows, err := db.Query(ctx, `
		select r.n, coalesce(substring(p.data from r.off for r.len), '')
		from unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) with ordinality as r(segment, part, off, len, n)
		join lex_segments s on s.id = r.segment
		left join lex_parts p on p.segment_id = r.segment and p.part = r.part`,
		segments, parts, offs, lens)
	if err != nil {
		return nil, fmt.Errorf("read segments: %w", err)
	}
	defer rows.Close()
	pieces := make([][]byte, len(which))
	for rows.Next() {
		var n int64
		var b []byte
		if err := rows.Scan(&n, &b); err != nil {
			return nil, fmt.Errorf("read segments: %w", err)
		}
		pieces[n-1] = b
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read segments: %w", err)
	}
	out := make([][]byte, len(wants))
	for i, b := range pieces {
		if b == nil {
			return nil, fmt.Errorf("%w: segment %d, part %d", errGone, segments[i], parts[i])
		}
		// A damaged row may be short or missing: the checksum will tell.
		w := which[i]
		if out[w] == nil {
			out[w] = b
		} else {
			out[w] = append(out[w][:len(out[w]):len(out[w])], b...)
		}
	}
	return out, nil
}

// insert writes a segment inside tx and returns its id.
func insert(ctx context.Context, tx pgx.Tx, collection int64, level int, b []byte, m *segment.Meta) (int64, error) {
	docs := m.DocsRange()
	var parts [][]byte
	for at := 0; at < len(b); at += partSize {
		parts = append(parts, b[at:min(at+partSize, len(b))])
	}
	var id int64
	err := tx.QueryRow(ctx, `
		with s as (
			insert into lex_segments (collection_id, level, docs, head, size) values ($1, $2, $3, $4, $5) returning id
		), p as (
			insert into lex_parts (segment_id, part, data)
			select s.id, t.n - 1, t.data from s, unnest($6::bytea[]) with ordinality as t(data, n)
		)
		select id from s`,
		collection, level, m.Docs, docs.Off+docs.Len, len(b), parts).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("write segment: %w", err)
	}
	return id, nil
}
