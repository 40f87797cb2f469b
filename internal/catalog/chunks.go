package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/chunk"
)

// Chunk is one stored chunk with the fields of its document.
type Chunk struct {
	ID       int64  // internal, for the stages of a search
	StableID string // public: equal document id and content give the equal id on every run
	Ordinal  int    // counts from 0 within the document
	Headings []string
	Text     string
	// Start and End are byte offsets in the document's text.
	Start, End int

	DocumentID string // the caller's id
	Title      string
	Source     string
	URI        string
	Metadata   map[string]any
	// Created and Updated are when the document was first and last indexed.
	Created, Updated time.Time
}

// Passage is the text that was embedded and that a reranker should read: the title
// and the path of headings, then the chunk.
func (c Chunk) Passage() string { return chunk.Passage(c.Title, c.Headings, c.Text) }

const (
	ownColumns      = `k.id, k.stable_id, k.ordinal, k.headings, k.body, k.start_offset, k.end_offset`
	documentColumns = `d.external_id, d.title, d.source, d.uri, d.metadata, d.created_at, d.updated_at`
	chunkColumns    = ownColumns + `, ` + documentColumns
)

func (c *Chunk) own() []any {
	return []any{&c.ID, &c.StableID, &c.Ordinal, &c.Headings, &c.Text, &c.Start, &c.End}
}

func (c *Chunk) document() []any {
	return []any{&c.DocumentID, &c.Title, &c.Source, &c.URI, (*metadata)(&c.Metadata), &c.Created, &c.Updated}
}

func scanChunk(row pgx.CollectableRow) (c Chunk, err error) {
	err = row.Scan(append(c.own(), c.document()...)...)
	return c, err
}

// Hydrate returns the chunks with these internal ids in the given order. Ids that no
// longer exist are left out, so the answer may be shorter than ids.
//
// Every search comes here. Two statements in one round trip are planned in half the time
// of a join, which counts where a pooler keeps them from being prepared.
func Hydrate(ctx context.Context, db DB, ids []int64) ([]Chunk, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	type half struct {
		Chunk
		document int64
	}
	chunks := make(map[int64]half, len(ids))
	documents := map[int64]Chunk{}
	batch := &pgx.Batch{}
	batch.Queue(`select k.document_id, `+ownColumns+` from chunks k where k.id = any($1)`, ids).Query(func(rows pgx.Rows) error {
		var h half
		for rows.Next() {
			h = half{}
			if err := rows.Scan(append([]any{&h.document}, h.own()...)...); err != nil {
				return err
			}
			chunks[h.ID] = h
		}
		return rows.Err()
	})
	batch.Queue(`select d.id, `+documentColumns+` from documents d
		where d.id = any(array(select document_id from chunks where id = any($1)))`, ids).Query(func(rows pgx.Rows) error {
		var id int64
		for rows.Next() {
			var c Chunk
			if err := rows.Scan(append([]any{&id}, c.document()...)...); err != nil {
				return err
			}
			documents[id] = c
		}
		return rows.Err()
	})
	if err := db.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("read %d chunks: %w", len(ids), err)
	}
	out := make([]Chunk, 0, len(ids))
	for _, id := range ids {
		h, found := chunks[id]
		d, whole := documents[h.document] // may be deleted between the two statements
		if !found || !whole {
			continue
		}
		c := h.Chunk
		c.DocumentID, c.Title, c.Source, c.URI, c.Created, c.Updated = d.DocumentID, d.Title, d.Source, d.URI, d.Created, d.Updated
		c.Metadata = maps.Clone(d.Metadata) // chunks of one document share nothing
		out = append(out, c)
	}
	return out, nil
}

// ChunkByStableID returns one chunk by its public id, or an error that wraps
// [ErrNotFound].
func ChunkByStableID(ctx context.Context, db DB, collectionID int64, stableID string) (Chunk, error) {
	rows, err := db.Query(ctx, `select `+chunkColumns+`
		from chunks k join documents d on d.id = k.document_id
		where k.collection_id = $1 and k.stable_id = $2`, collectionID, stableID)
	if err != nil {
		return Chunk{}, fmt.Errorf("read chunk %q: %w", stableID, err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, scanChunk)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, fmt.Errorf("chunk %q %w", stableID, ErrNotFound)
	}
	if err != nil {
		return c, fmt.Errorf("read chunk %q: %w", stableID, err)
	}
	return c, nil
}

// Document is one stored document.
type Document struct {
	ID               string // the caller's id
	Title            string
	Source           string
	URI              string
	Text             string // the whole extracted text
	Metadata         map[string]any
	Chunks           int
	Created, Updated time.Time
}

// DocumentByID returns one document by the caller's id, or an error that wraps
// [ErrNotFound].
func DocumentByID(ctx context.Context, db DB, collectionID int64, id string) (Document, error) {
	var d Document
	err := db.QueryRow(ctx, `select external_id, title, source, uri, body, metadata, created_at, updated_at,
			(select count(*) from chunks k where k.document_id = d.id)
		from documents d where collection_id = $1 and external_id = $2`, collectionID, id).
		Scan(&d.ID, &d.Title, &d.Source, &d.URI, &d.Text, (*metadata)(&d.Metadata), &d.Created, &d.Updated, &d.Chunks)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, fmt.Errorf("document %q %w", id, ErrNotFound)
	}
	if err != nil {
		return d, fmt.Errorf("read document %q: %w", id, err)
	}
	return d, nil
}

// ChunksOf returns all chunks of a document, in its order.
func ChunksOf(ctx context.Context, db DB, collectionID int64, documentID string) ([]Chunk, error) {
	rows, err := db.Query(ctx, `select `+chunkColumns+`
		from documents d join chunks k on k.document_id = d.id
		where d.collection_id = $1 and d.external_id = $2 order by k.ordinal`, collectionID, documentID)
	if err != nil {
		return nil, fmt.Errorf("read chunks of document %q: %w", documentID, err)
	}
	chunks, err := pgx.CollectRows(rows, scanChunk)
	if err != nil {
		return nil, fmt.Errorf("read chunks of document %q: %w", documentID, err)
	}
	return chunks, nil
}
