package ingest

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/bmcis/bmcis/internal/chunk"
)

// reembed makes the vectors that are missing or live in another space than the open
// model's. Each batch is committed by itself, so that an interrupted run goes on
// where it ended. Until the last batch catalog.CheckSpace tells searches that the
// collection is mixed.
func (r *run) reembed(ctx context.Context) error {
	rows, err := r.pool.Query(ctx, `select id from chunks where collection_id = $1
		and (space_id is null or space_id < $2 or space_id > $2) order by id`, r.col.ID, *r.spaceID)
	if err != nil {
		return fmt.Errorf("look for chunks to embed: %w", err)
	}
	stale, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("look for chunks to embed: %w", err)
	}
	if len(stale) == 0 {
		return nil
	}
	made := 0
	tell := func(n int) { made += n; r.progress("embedding", made, len(stale)) }
	tell(0)
	for part := range slices.Chunk(stale, embedTexts) {
		if err := r.reembedChunks(ctx, part, tell); err != nil {
			return err
		}
		r.report.Reembedded += len(part)
	}
	r.progress("embedding", len(stale), len(stale))
	return nil
}

// reembedChunks gives chunks new vectors in one transaction. A chunk that was deleted
// meanwhile is passed over.
func (r *run) reembedChunks(ctx context.Context, chunks []int64, tell func(made int)) error {
	rows, err := r.pool.Query(ctx, `select k.id, d.title, k.headings, k.body from chunks k join documents d on d.id = k.document_id
		where k.id = any($1)`, chunks)
	if err != nil {
		return fmt.Errorf("read chunks to embed: %w", err)
	}
	var ids []int64
	var passages []string
	var id int64
	var title, body string
	var headings []string
	_, err = pgx.ForEachRow(rows, []any{&id, &title, &headings, &body}, func() error {
		ids = append(ids, id)
		passages = append(passages, chunk.Passage(title, headings, body))
		return nil
	})
	if err != nil {
		return fmt.Errorf("read chunks to embed: %w", err)
	}
	vectors, err := r.vectors(ctx, passages, tell)
	if err != nil {
		return err
	}
	conn, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := lockCollection(ctx, tx, r.col.ID, r.col.Name); err != nil {
			return err
		}
		queue := &pgx.Batch{}
		for i, id := range ids {
			queue.Queue(`update chunks set embedding = $2, space_id = $3 where id = $1`, id, pgvector.NewHalfVector(vectors[i]), *r.spaceID)
		}
		return tx.SendBatch(ctx, queue).Close()
	})
	if err != nil {
		return fmt.Errorf("write %d vectors: %w", len(ids), err)
	}
	return nil
}
