package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgvector/pgvector-go"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/lexical"
)

// errStale says that another run changed a document between prepare and write, or
// took its id, so that chunks or vectors are missing.
var errStale = errors.New("documents changed meanwhile")

// write commits a batch. A document that the database refuses is named, and the
// others are committed without it.
func (r *run) write(ctx context.Context, b *batch) error {
	for _, f := range b.failed {
		r.note(f)
	}
	var items []*item
	for _, it := range b.items {
		id := idHash(it.doc.ID)
		switch {
		case it.state == failed: // noted above
		case r.seen[id]:
			r.note(failf(it.doc.ID, "the id occurs twice in this source; the first document was kept"))
		default:
			r.seen[id] = true
			r.sources[it.doc.Source] = true
			if it.state == unchanged {
				r.report.Unchanged++
			} else {
				items = append(items, it)
			}
		}
	}
	return r.writeItems(ctx, b, items)
}

func (r *run) writeItems(ctx context.Context, b *batch, items []*item) error {
	if len(items) == 0 {
		return nil
	}
	const attempts = 5
	var err error
	for range attempts {
		var done Report
		done, err = r.commit(ctx, b, items)
		if err == nil {
			r.report.Added += done.Added
			r.report.Changed += done.Changed
			r.report.Unchanged += done.Unchanged
			r.report.Chunks += done.Chunks
			r.report.Kept += done.Kept
			for _, it := range items {
				r.report.Replaced += it.replaced
			}
			return nil
		}
		if !errors.Is(err, errStale) {
			break
		}
		if items, err = r.prepareAgain(ctx, b, items); err != nil {
			return err
		}
	}
	if !refused(err) {
		return err
	}
	if len(items) == 1 {
		r.note(failf(items[0].doc.ID, "the database refused it: %v", err))
		return nil
	}
	half := len(items) / 2
	if err := r.writeItems(ctx, b, items[:half]); err != nil {
		return err
	}
	return r.writeItems(ctx, b, items[half:])
}

// prepareAgain cuts documents anew, whose ids may have changed, and embeds what is
// missing.
func (r *run) prepareAgain(ctx context.Context, b *batch, items []*item) ([]*item, error) {
	var good []*item
	for _, it := range items {
		r.seen[idHash(it.doc.ID)] = true
		replaced := it.replaced // counted once
		fail := it.split(r.countTokens(ctx))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fail != nil {
			r.note(fail)
			continue
		}
		it.replaced = replaced
		good = append(good, it)
	}
	found, err := lookup(ctx, r.pool, r.col.ID, ids(good))
	if err != nil {
		return nil, err
	}
	return good, r.embed(ctx, b, good, found)
}

// refused reports an error that is about the data, not about the database: classes 22
// (data), 23 (constraints) and 54 (program limits) of SQLSTATE.
func refused(err error) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || len(pgErr.Code) != 5 {
		return false
	}
	switch pgErr.Code[:2] {
	case "22", "54":
		return true
	case "23":
		return pgErr.ConstraintName != "documents_collection_id_fkey" // the collection was deleted
	}
	return false
}

func ids(items []*item) []string {
	list := make([]string, len(items))
	for i, it := range items {
		list[i] = it.doc.ID
	}
	return list
}

// commit writes documents in one transaction and counts what it did.
func (r *run) commit(ctx context.Context, b *batch, items []*item) (done Report, err error) {
	conn, err := r.connect(ctx)
	if err != nil {
		return done, err
	}
	defer conn.Release()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return done, fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			// The context may have ended; the connection must still come back clean.
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
	}()
	if r.col.ID == 0 {
		if r.col, err = catalog.Create(ctx, tx, r.opts.Collection, r.opts.settings()); err != nil {
			return done, err
		}
		defer func() {
			if err != nil {
				r.col = catalog.Collection{} // rolled back
				return
			}
			r.colID.Store(r.col.ID)
		}()
	}
	if err := lockCollection(ctx, tx, r.col.ID, r.col.Name); err != nil {
		return done, err
	}
	found, renamed, err := nameFiles(ctx, tx, r.col.ID, items)
	if err != nil {
		return done, err
	}
	if len(renamed) > 0 { // the ids of their chunks are made from the old ones
		return done, errStale
	}
	var todo []*item
	for _, it := range items {
		s, ok := found[it.doc.ID]
		switch {
		case ok && s.hash == it.hash: // another run was faster
			done.Unchanged++
			continue
		case ok:
			done.Changed++
		default:
			done.Added++
		}
		todo = append(todo, it)
	}
	if len(todo) == 0 {
		return done, tx.Commit(ctx)
	}
	documents, err := r.upsertDocuments(ctx, tx, todo)
	if err != nil {
		return done, err
	}
	if done.Chunks, done.Kept, err = r.replaceChunks(ctx, tx, b, todo, documents); err != nil {
		return done, err
	}
	if err := tx.Commit(ctx); err != nil {
		return done, fmt.Errorf("commit %d documents: %w", len(todo), err)
	}
	return done, nil
}

// lockCollection makes concurrent writers of a collection wait for each other, until
// the transaction ends, and counts the change.
func lockCollection(ctx context.Context, tx pgx.Tx, id int64, name string) error {
	tag, err := tx.Exec(ctx, `update collections set generation = generation + 1, updated_at = now() where id = $1`, id)
	if err != nil {
		return fmt.Errorf("lock collection: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("collection %q was deleted meanwhile", name)
	}
	return nil
}

// upsertDocuments returns the internal id of each document.
func (r *run) upsertDocuments(ctx context.Context, tx pgx.Tx, items []*item) ([]int64, error) {
	queue := &pgx.Batch{}
	documents := make([]int64, len(items))
	for i, it := range items {
		queue.Queue(`insert into documents (collection_id, external_id, title, source, uri, metadata, body, content_hash)
			values ($1, $2, $3, $4, $5, $6, $7, $8)
			on conflict (collection_id, external_id) do update set title = excluded.title, source = excluded.source,
				uri = excluded.uri, metadata = excluded.metadata, body = excluded.body,
				content_hash = excluded.content_hash, updated_at = now()
			returning id`,
			r.col.ID, it.doc.ID, it.doc.Title, it.doc.Source, it.doc.URI, it.metadata, it.text, it.hash[:]).
			QueryRow(func(row pgx.Row) error { return row.Scan(&documents[i]) })
	}
	if err := tx.SendBatch(ctx, queue).Close(); err != nil {
		return nil, fmt.Errorf("write %d documents: %w", len(items), err)
	}
	return documents, nil
}

// replaceChunks brings the chunks of documents up to date. A chunk with the same
// stable id stays as it is, with its vector; only its place in the document may change.
// It is indexed again, because the lexical index keeps what filters see of a document
// beside its chunks.
func (r *run) replaceChunks(ctx context.Context, tx pgx.Tx, b *batch, items []*item, documents []int64) (written, kept int, err error) {
	type place struct {
		id                  int64
		ordinal, start, end int
	}
	old := map[string]place{}
	rows, err := tx.Query(ctx, `select stable_id, id, ordinal, start_offset, end_offset from chunks where document_id = any($1)`, documents)
	if err != nil {
		return 0, 0, fmt.Errorf("read chunks: %w", err)
	}
	var stable string
	var p place
	if _, err := pgx.ForEachRow(rows, []any{&stable, &p.id, &p.ordinal, &p.start, &p.end}, func() error {
		old[stable] = p
		return nil
	}); err != nil {
		return 0, 0, fmt.Errorf("read chunks: %w", err)
	}

	type added struct {
		it       *item
		document int64
		piece    piece
	}
	var insert []added
	var moved [4][]int64
	var again []int64
	var lexDocs []lexical.Document
	lexDoc := func(id int64, it *item, c piece) {
		lexDocs = append(lexDocs, lexical.Document{Chunk: id, Title: it.doc.Title, Body: c.Text, Path: it.path(), Headings: c.Headings})
	}
	for i, it := range items {
		for _, c := range it.chunks {
			was, ok := old[c.stableID]
			if !ok {
				if r.embeds && !it.late && b.vectors[c.stableID] == nil {
					return 0, 0, errStale
				}
				insert = append(insert, added{it, documents[i], c})
				continue
			}
			delete(old, c.stableID)
			kept++
			again = append(again, was.id)
			lexDoc(was.id, it, c)
			if was.ordinal != c.ordinal || was.start != c.Start || was.end != c.End {
				for k, v := range []int64{was.id, int64(c.ordinal), int64(c.Start), int64(c.End)} {
					moved[k] = append(moved[k], v)
				}
			}
		}
	}
	var gone []int64
	for _, p := range old {
		gone = append(gone, p.id)
	}
	if err := deleteChunks(ctx, tx, r.lex, LexicalCollection(r.col), gone); err != nil {
		return 0, 0, err
	}
	if err := r.lex.Delete(ctx, tx, LexicalCollection(r.col), again); err != nil {
		return 0, 0, fmt.Errorf("delete from the lexical index: %w", err)
	}
	if len(moved[0]) > 0 {
		_, err := tx.Exec(ctx, `update chunks k set ordinal = m.ordinal, start_offset = m.s, end_offset = m.e
			from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as m (id, ordinal, s, e) where k.id = m.id`,
			moved[0], moved[1], moved[2], moved[3])
		if err != nil {
			return 0, 0, fmt.Errorf("move chunks: %w", err)
		}
	}
	rows, err = tx.Query(ctx, `select nextval(pg_get_serial_sequence('chunks', 'id')) from generate_series(1, $1)`, len(insert))
	if err != nil {
		return 0, 0, fmt.Errorf("number chunks: %w", err)
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return 0, 0, fmt.Errorf("number chunks: %w", err)
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"chunks"},
		[]string{"id", "document_id", "collection_id", "stable_id", "ordinal", "headings", "body", "start_offset", "end_offset", "embedding", "space_id"},
		pgx.CopyFromSlice(len(insert), func(i int) ([]any, error) {
			a := insert[i]
			headings := a.piece.Headings
			if headings == nil {
				headings = []string{}
			}
			lexDoc(numbers[i], a.it, a.piece)
			var vector any
			var space *int64
			if r.embeds && !a.it.late {
				vector, space = pgvector.NewHalfVector(b.vectors[a.piece.stableID]), r.spaceID
			}
			return []any{numbers[i], a.document, r.col.ID, a.piece.stableID, a.piece.ordinal, headings, a.piece.Text,
				a.piece.Start, a.piece.End, vector, space}, nil
		}))
	if err != nil {
		return 0, 0, fmt.Errorf("write %d chunks: %w", len(insert), err)
	}
	if err := r.lex.Append(ctx, tx, LexicalCollection(r.col), lexDocs); err != nil {
		return 0, 0, fmt.Errorf("write the lexical index: %w", err)
	}
	return len(insert), kept, nil
}

// deleteChunks deletes chunks from the table and from the lexical index.
func deleteChunks(ctx context.Context, tx pgx.Tx, lex *lexical.Index, c lexical.Collection, chunks []int64) error {
	if len(chunks) == 0 {
		return nil
	}
	if err := lex.Delete(ctx, tx, c, chunks); err != nil {
		return fmt.Errorf("delete from the lexical index: %w", err)
	}
	if _, err := tx.Exec(ctx, `delete from chunks where id = any($1)`, chunks); err != nil {
		return fmt.Errorf("delete %d chunks: %w", len(chunks), err)
	}
	return nil
}
