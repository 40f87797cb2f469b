package lexical

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/segment"
)

// readRecords gives what filters see of the documents of chunks, by chunk, as the
// transaction sees them. Chunks of one document share a record; those without a row have
// none.
func readRecords(ctx context.Context, tx pgx.Tx, chunks []int64) (map[int64]*segment.Record, error) {
	queue := &pgx.Batch{}
	documents := map[int64]*segment.Record{}
	queue.Queue(`
		select d.id, d.external_id, d.title, d.source, d.uri, d.created_at, d.updated_at, d.metadata::text from documents d
		where d.id in (select document_id from chunks where id = any($1))`, chunks).
		Query(func(rows pgx.Rows) error {
			var id int64
			var name, title, source, uri, metadata string
			var created, updated time.Time
			_, err := pgx.ForEachRow(rows, []any{&id, &name, &title, &source, &uri, &created, &updated, &metadata}, func() error {
				r := segment.Record{"id": name, "title": title, "source": source, "uri": uri, "created": micros(created), "updated": micros(updated)}
				documents[id] = &r
				if metadata == "{}" {
					return nil
				}
				var keys map[string]json.RawMessage
				if err := json.Unmarshal([]byte(metadata), &keys); err != nil {
					return fmt.Errorf("metadata of document %q: %w", name, err)
				}
				for k, v := range keys {
					r["."+k] = string(v)
				}
				return nil
			})
			return err
		})
	out := make(map[int64]*segment.Record, len(chunks))
	queue.Queue(`select id, document_id from chunks where id = any($1)`, chunks).
		Query(func(rows pgx.Rows) error {
			var chunk, document int64
			_, err := pgx.ForEachRow(rows, []any{&chunk, &document}, func() error {
				if r := documents[document]; r != nil {
					out[chunk] = r
				}
				return nil
			})
			return err
		})
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, fmt.Errorf("read the attributes of %d chunks: %w", len(chunks), err)
	}
	return out, nil
}

func micros(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }

// columnOf turns a stored column into one that filters read, for all records of a
// segment.
func columnOf(name string, c *segment.Column, records int) (filter.Column, error) {
	out := filter.Column{Values: make([]any, len(c.Values), len(c.Values)+1)}
	for i, v := range c.Values {
		var err error
		switch {
		case strings.HasPrefix(name, "."):
			out.Values[i], err = filter.DecodeValue(v)
		case name == "created" || name == "updated":
			var n int64
			n, err = strconv.ParseInt(v, 10, 64)
			out.Values[i] = time.UnixMicro(n)
		default:
			out.Values[i] = v
		}
		if err != nil {
			return out, fmt.Errorf("%w: column %s: %v", segment.ErrCorrupt, name, err)
		}
	}
	if c.Records == nil {
		out.Of = c.Codes
		return out, nil
	}
	missing := uint32(len(out.Values))
	out.Values = append(out.Values, nil)
	out.Of = make([]uint32, records)
	for i := range out.Of {
		out.Of[i] = missing
	}
	for i, r := range c.Records {
		out.Of[r] = uint32(i)
		if c.Codes != nil {
			out.Of[r] = c.Codes[i]
		}
	}
	return out, nil
}

// stale gives the chunks of a segment whose record is not what the tables say.
func stale(f *segment.File, now map[int64]*segment.Record, dead map[uint32]bool) ([]int64, error) {
	a, err := f.Attributes()
	if err != nil || a == nil {
		return nil, err // without attributes, filters ask the tables
	}
	records := make([]segment.Record, a.Records)
	for i := range records {
		records[i] = segment.Record{}
	}
	omitted := map[string]bool{}
	for name := range a.Columns {
		c, err := f.Column(a, name)
		if err != nil {
			return nil, err
		}
		if c == nil {
			omitted[name] = true
			continue
		}
		for i := range c.Entries(a.Records) {
			r, v := c.Entry(i)
			records[r][name] = v
		}
	}
	same := map[*segment.Record]map[uint32]bool{}
	var out []int64
	for d, chunk := range f.Documents.Chunks {
		want, of := now[chunk], a.Of[d]
		if dead[uint32(d)] || want == nil {
			continue // deleted, or extra
		}
		if of == 0 {
			out = append(out, chunk)
			continue
		}
		if same[want] == nil {
			same[want] = map[uint32]bool{}
		}
		ok, known := same[want][of]
		if !known {
			w := *want
			if len(omitted) > 0 {
				w = maps.Clone(w)
				maps.DeleteFunc(w, func(name, _ string) bool { return omitted[name] })
			}
			ok = maps.Equal(w, records[of-1])
			same[want][of] = ok
		}
		if !ok {
			out = append(out, chunk)
		}
	}
	return out, nil
}
