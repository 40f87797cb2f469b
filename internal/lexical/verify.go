package lexical

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
)

// VerifyReport says what Verify found, or Repair found and mended.
type VerifyReport struct {
	// Segments and Bytes are those that were read: from before the repair, if there was one.
	Segments int   `json:"segments"`
	Bytes    int64 `json:"bytes"`
	// Damaged names the segments whose bytes are not what was written.
	Damaged []string `json:"damaged,omitempty"`
	// Missing counts chunks that no segment has, Extra documents of segments without a
	// chunk, Double chunks that several segments have, Stale those whose attributes are
	// not what the tables say of their document.
	Missing int `json:"missing"`
	Extra   int `json:"extra"`
	Double  int `json:"double"`
	Stale   int `json:"stale"`
	// Repaired says that all of this was mended.
	Repaired bool `json:"repaired"`
}

// OK reports that nothing is wrong.
func (r *VerifyReport) OK() bool {
	return len(r.Damaged) == 0 && r.Missing == 0 && r.Extra == 0 && r.Double == 0 && r.Stale == 0
}

// Verify reads every byte of a collection's segments and compares them with its chunks
// and documents, in one snapshot. It changes nothing.
func (ix *Index) Verify(ctx context.Context, c Collection) (VerifyReport, error) {
	var r *inspection
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, ix.pool, opts, func(tx pgx.Tx) (err error) {
		r, err = inspect(ctx, tx, c)
		return err
	})
	if err != nil {
		return VerifyReport{}, fmt.Errorf("verify the lexical index of collection %d: %w", c.ID, err)
	}
	return r.report, nil
}

// Repair is Verify that mends what it finds: damaged segments are dropped, and chunks
// that no segment has are indexed again from their texts, in one transaction. Writers of
// the collection wait for it.
func (ix *Index) Repair(ctx context.Context, c Collection) (VerifyReport, error) {
	var report VerifyReport
	err := pgx.BeginFunc(ctx, ix.pool, func(tx pgx.Tx) error {
		// Writers count the generation up first, so this row lock stops them; the lock on
		// the segments stops Maintain.
		if _, err := tx.Exec(ctx, "update collections set generation = generation + 1, updated_at = now() where id = $1", c.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "select id from lex_segments where collection_id = $1 order by id for update", c.ID); err != nil {
			return err
		}
		r, err := inspect(ctx, tx, c)
		if err != nil {
			return err
		}
		report = r.report
		if report.OK() {
			return nil
		}
		if _, err := tx.Exec(ctx, "delete from lex_segments where id = any($1)", r.damaged); err != nil {
			return err
		}
		// What is in several segments is deleted from all and indexed again.
		if err := ix.Delete(ctx, tx, c, slices.Concat(r.extra, r.double, r.stale)); err != nil {
			return err
		}
		report.Repaired = true
		for batch := range slices.Chunk(slices.Concat(r.missing, r.double, r.stale), sealDocs) {
			docs, err := readDocuments(ctx, tx, batch)
			if err != nil {
				return err
			}
			if err := ix.Append(ctx, tx, c, docs); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return report, fmt.Errorf("repair the lexical index of collection %d: %w", c.ID, err)
	}
	return report, nil
}

// inspection is what a look at everything gave.
type inspection struct {
	report                        VerifyReport
	damaged                       []int64
	missing, extra, double, stale []int64
}

func inspect(ctx context.Context, tx pgx.Tx, c Collection) (*inspection, error) {
	rows, err := tx.Query(ctx, "select id, size from lex_segments where collection_id = $1 order by id", c.ID)
	if err != nil {
		return nil, err
	}
	type row struct{ ID, Size int64 }
	segs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return nil, err
	}
	tombs, err := readTombs(ctx, tx, c.ID)
	if err != nil {
		return nil, err
	}
	in := &inspection{report: VerifyReport{Segments: len(segs)}}
	have := map[int64]int{}
	for _, s := range segs {
		in.report.Bytes += s.Size
		data, err := read(ctx, tx, []want{{s.ID, segment.Range{Len: s.Size}}})
		if err != nil {
			return nil, err
		}
		f, err := segment.OpenFile(data[0])
		if err == nil {
			err = f.Verify()
		}
		if err == nil && f.Analysis != text.Version {
			err = &otherAnalysis{f.Analysis}
		}
		if err != nil {
			in.damaged = append(in.damaged, s.ID)
			in.report.Damaged = append(in.report.Damaged, fmt.Sprintf("segment %d: %v", s.ID, err))
			continue
		}
		dead := map[uint32]bool{}
		for _, t := range tombs {
			if d, ok := f.Documents.Find(t.Chunk); ok && f.Documents.Births[d] < t.Seq {
				dead[d] = true
			}
		}
		for d, chunk := range f.Documents.Chunks {
			if !dead[uint32(d)] {
				have[chunk]++
			}
		}
		records, err := readRecords(ctx, tx, f.Documents.Chunks)
		if err != nil {
			return nil, err
		}
		old, err := stale(f, records, dead)
		if err != nil {
			return nil, err
		}
		in.stale = append(in.stale, old...)
	}
	ids, err := tx.Query(ctx, "select id from chunks where collection_id = $1 order by id", c.ID)
	if err != nil {
		return nil, err
	}
	chunks, err := pgx.CollectRows(ids, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	for _, id := range chunks {
		switch have[id] {
		case 0:
			in.missing = append(in.missing, id)
		case 1:
		default:
			in.double = append(in.double, id)
		}
		delete(have, id)
	}
	for id := range have {
		in.extra = append(in.extra, id)
	}
	slices.Sort(in.extra)
	twice := make(map[int64]bool, len(in.double))
	for _, id := range in.double {
		twice[id] = true
	}
	in.stale = slices.DeleteFunc(in.stale, func(id int64) bool { return twice[id] })
	in.report.Missing, in.report.Extra, in.report.Double, in.report.Stale = len(in.missing), len(in.extra), len(in.double), len(in.stale)
	return in, nil
}

// PathOf is what is indexed as the path of a document: where it comes from, without the
// machine it lay on.
func PathOf(uri, externalID string) string {
	if strings.HasPrefix(uri, "file:") {
		return externalID
	}
	return uri
}

// readDocuments gives chunks as they were indexed.
func readDocuments(ctx context.Context, tx pgx.Tx, chunks []int64) ([]Document, error) {
	rows, err := tx.Query(ctx, `
		select k.id, d.title, k.body, d.uri, d.external_id, k.headings
		from chunks k join documents d on d.id = k.document_id where k.id = any($1) order by k.id`, chunks)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (Document, error) {
		var d Document
		var uri, id string
		err := r.Scan(&d.Chunk, &d.Title, &d.Body, &uri, &id, &d.Headings)
		d.Path = PathOf(uri, id)
		return d, err
	})
}
