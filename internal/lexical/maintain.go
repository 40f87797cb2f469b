package lexical

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/segment"
)

// MaintainReport says what Maintain did.
type MaintainReport struct {
	// Sealed counts the tail's segments that became part of sealed ones, Merged the
	// sealed ones that were merged, Dropped the deleted documents that are gone now.
	Sealed, Merged, Dropped int
	// Busy says that another node was at it, and nothing more was done.
	Busy bool
	// Rebuilt says that segments of an older analysis were made anew from the texts.
	Rebuilt bool
	// Degraded names segments that could not be read and were left as they are.
	Degraded []string
}

const (
	// sealDocs is how many documents the tail may hold before it is sealed.
	sealDocs = 1000
	// sealSegments is how many segments it may hold: each costs a query a little.
	sealSegments = 16
	// mergeFactor is how many segments of one size become one of the next.
	mergeFactor = 8
	// maxMergedBytes is the size above which segments are left alone.
	maxMergedBytes = 256 << 20
	// maxIdleTombs is how many deletions without a document may stand around: a second
	// deletion of the same chunk leaves one.
	maxIdleTombs = 64
	// loadShare: a load of at least one chunk in so many is followed by a merge of all.
	loadShare = 4
	// maxDeleted is the share of deleted documents at which a segment is rewritten.
	maxDeleted = 0.2
	// maxTombs is how many deletions from sealed segments may stand around: every query's
	// statement reads them.
	maxTombs = 4096
)

// row is a segment as the manifest knows it.
type row struct {
	id    int64
	level int16
	docs  int
	size  int64
	dead  int
}

// Maintain seals a tail that has grown, merges segments of like size and drops deleted
// documents, until nothing is left to do. Any node may call it at any time: segments
// are claimed by row locks inside one transaction, so the work is done once, and a
// crash leaves everything as it was. Writers are not blocked, unless there are segments of
// an older analysis: after an upgrade of the program these are made anew (see Repair).
func (ix *Index) Maintain(ctx context.Context, c Collection) (MaintainReport, error) {
	return ix.maintain(ctx, c, false)
}

// Optimize is Maintain that seals and merges everything into as few segments as their
// size allows: after a bulk load, for the fastest queries.
func (ix *Index) Optimize(ctx context.Context, c Collection) (MaintainReport, error) {
	return ix.maintain(ctx, c, true)
}

func (ix *Index) maintain(ctx context.Context, c Collection, all bool) (MaintainReport, error) {
	var report MaintainReport
	if v, err := ix.view(ctx, ix.pool, c.ID); err == nil && v.outdated {
		if _, err := ix.Repair(ctx, c); err != nil {
			return report, err
		}
		report.Rebuilt = true
	}
	bad := map[int64]bool{}
	for range 64 {
		more, err := ix.maintainOnce(ctx, c, all, bad, &report)
		var d *damage
		if errors.As(err, &d) && !bad[d.segment] {
			bad[d.segment], more = true, true
			report.Degraded = append(report.Degraded, d.Error())
		} else if err != nil {
			return report, fmt.Errorf("maintain the lexical index of collection %d: %w", c.ID, err)
		}
		if !more {
			break
		}
	}
	return report, nil
}

// AfterLoad is what to call at the end of a load that wrote chunks: Optimize where it pays,
// else Maintain. It pays when the load was a good part of the collection: then rewriting
// everything costs about what the load did, and each query has fewer segments to look at.
func (ix *Index) AfterLoad(ctx context.Context, c Collection, written int) (MaintainReport, error) {
	if written < sealDocs {
		return ix.Maintain(ctx, c)
	}
	v, err := ix.view(ctx, ix.pool, c.ID)
	if err != nil && !errors.Is(err, errGone) {
		return MaintainReport{}, fmt.Errorf("maintain the lexical index of collection %d: %w", c.ID, err)
	}
	return ix.maintain(ctx, c, err == nil && int64(written)*loadShare >= v.docs)
}

// maintainOnce does one seal or merge; more says that there may be another.
func (ix *Index) maintainOnce(ctx context.Context, c Collection, all bool, bad map[int64]bool, report *MaintainReport) (more bool, err error) {
	v, err := ix.view(ctx, ix.pool, c.ID)
	if errors.Is(err, errGone) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	var rows []row
	for _, s := range v.segs {
		if !bad[s.id] {
			rows = append(rows, row{s.id, s.level, s.meta.Docs, s.meta.Size, len(s.deleted)})
		}
	}
	if len(v.idle) >= maxIdleTombs || all && len(v.idle) > 0 {
		err := pgx.BeginFunc(ctx, ix.pool, func(tx pgx.Tx) error { return dropTombs(ctx, tx, c.ID, v.idle) })
		if err != nil {
			return false, err
		}
	}
	ids, level := plan(rows, all)
	if len(ids) == 0 {
		return false, nil
	}
	tx, err := ix.pool.Begin(ctx)
	if err != nil {
		return false, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // no effect after Commit
	n, err := ix.rewrite(ctx, tx, c, ids, level)
	if err != nil {
		return false, err
	}
	if n.Busy {
		report.Busy = true
		return false, nil
	}
	if err := tx.Commit(ctx); err != nil {
		return false, err
	}
	report.Sealed += n.Sealed
	report.Merged += n.Merged
	report.Dropped += n.Dropped
	return true, nil
}

// plan chooses the segments of one merge and the level of the result: first the tail,
// then like sizes, then what is mostly deleted.
func plan(rows []row, all bool) (ids []int64, level int) {
	slices.SortFunc(rows, func(a, b row) int { return int(a.size - b.size) })
	if all {
		var size int64
		for _, r := range rows {
			if size+r.size <= maxMergedBytes {
				size += r.size
				ids = append(ids, r.id)
				level = max(level, int(r.level))
			}
		}
		if len(ids) == 1 && rows[0].level > 0 && rows[0].dead == 0 {
			return nil, 0
		}
		return ids, max(1, level)
	}
	tailDocs := 0
	for _, r := range rows {
		if r.level == 0 {
			ids = append(ids, r.id)
			tailDocs += r.docs
		}
	}
	if tailDocs >= sealDocs || len(ids) >= sealSegments {
		return ids, 1
	}
	for level = 1; level < 16; level++ {
		ids = ids[:0]
		var size int64
		for _, r := range rows {
			if int(r.level) == level && size+r.size <= maxMergedBytes {
				ids = append(ids, r.id)
				size += r.size
			}
		}
		if len(ids) >= mergeFactor {
			return ids, level + 1
		}
	}
	tombs := 0
	var most row
	for _, r := range rows {
		if r.level == 0 {
			continue
		}
		if float64(r.dead) > maxDeleted*float64(r.docs) {
			return []int64{r.id}, int(r.level)
		}
		if tombs += r.dead; r.dead > most.dead {
			most = r
		}
	}
	if tombs > maxTombs {
		return []int64{most.id}, int(most.level)
	}
	return nil, 0
}

// rewrite merges segments inside tx, unless another node holds one of them.
func (ix *Index) rewrite(ctx context.Context, tx pgx.Tx, c Collection, ids []int64, level int) (n MaintainReport, err error) {
	rows, err := tx.Query(ctx, "select id, size, level from lex_segments where id = any($1) order by id for update skip locked", ids)
	if err != nil {
		return n, err
	}
	type claim struct {
		ID, Size int64
		Level    int16
	}
	claimed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[claim])
	if err != nil {
		return n, err
	}
	if len(claimed) != len(ids) {
		n.Busy = true
		return n, nil
	}
	wants := make([]want, len(claimed))
	for i, cl := range claimed {
		wants[i] = want{cl.ID, segment.Range{Len: cl.Size}}
	}
	data, err := read(ctx, tx, wants)
	if err != nil {
		return n, err
	}
	// Deletions that commit after this statement are not seen here: their tombs stay,
	// and find their documents in the merged segment, since births are kept.
	tombs, err := readTombs(ctx, tx, c.ID)
	if err != nil {
		return n, err
	}
	var sources []segment.Source
	var spent []tomb
	for i, b := range data {
		f, err := segment.OpenFile(b)
		if err != nil {
			return n, &damage{claimed[i].ID, err}
		}
		dropped := make([]uint64, (f.Docs+63)/64)
		for _, t := range tombs {
			d, ok := f.Documents.Find(t.Chunk)
			if !ok || f.Documents.Births[d] >= t.Seq || dropped[d>>6]>>(d&63)&1 == 1 {
				continue
			}
			// Only the first tomb after its birth is spent by a document. A later one
			// belongs to a later version, which another segment may hold.
			dropped[d>>6] |= 1 << (d & 63)
			spent = append(spent, t)
			n.Dropped++
		}
		source := segment.Source{File: f, Dropped: dropped}
		if f.AttributesRange().Len == 0 { // of format version 1
			// Attributes that change from here on come with a new version of the chunk.
			records, err := readRecords(ctx, tx, f.Documents.Chunks)
			if err != nil {
				return n, err
			}
			source.Records = make([]*segment.Record, f.Docs)
			for d, chunk := range f.Documents.Chunks {
				source.Records[d] = records[chunk]
			}
		}
		sources = append(sources, source)
		if claimed[i].Level == 0 {
			n.Sealed++
		} else {
			n.Merged++
		}
	}
	out, meta, err := segment.Merge(ctx, sources)
	if errors.Is(err, segment.ErrCorrupt) {
		for i, s := range sources { // find out whose fault it is
			if err := s.Verify(); err != nil {
				return n, &damage{claimed[i].ID, err}
			}
		}
	}
	if err != nil {
		return n, err
	}
	if _, err := tx.Exec(ctx, "delete from lex_segments where id = any($1)", ids); err != nil {
		return n, err
	}
	if out != nil {
		if _, err := insert(ctx, tx, c.ID, level, out, meta); err != nil {
			return n, err
		}
	}
	return n, dropTombs(ctx, tx, c.ID, spent)
}

type tomb struct{ Chunk, Seq int64 }

func readTombs(ctx context.Context, tx pgx.Tx, collection int64) ([]tomb, error) {
	rows, err := tx.Query(ctx, "select chunk_id, seq from lex_tombs where collection_id = $1 order by chunk_id, seq", collection)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[tomb])
}

func dropTombs(ctx context.Context, tx pgx.Tx, collection int64, spent []tomb) error {
	if len(spent) == 0 {
		return nil
	}
	var chunks, seqs []int64
	for _, t := range spent {
		chunks, seqs = append(chunks, t.Chunk), append(seqs, t.Seq)
	}
	_, err := tx.Exec(ctx, `
		delete from lex_tombs t using unnest($2::bigint[], $3::bigint[]) as s(chunk, seq)
		where t.collection_id = $1 and t.chunk_id = s.chunk and t.seq = s.seq`, collection, chunks, seqs)
	return err
}
