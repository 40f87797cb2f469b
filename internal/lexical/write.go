package lexical

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bmcis/bmcis/internal/segment"
	"github.com/bmcis/bmcis/internal/text"
)

// headingGap keeps phrases from reaching from one heading into the next.
const headingGap = 8

// Append adds documents inside the caller's transaction: they are found from its commit
// on. A chunk that is already there must be deleted first; Delete and Append of the same
// chunk in one transaction replace it.
//
// What filters look at (title, source, metadata and so on) is read from the tables, so
// the rows of the chunks must be there already; and when a document's row changes, all
// its chunks must be replaced, also those whose text stays.
//
// The documents become one small segment of the tail; more at a time are cheaper.
func (ix *Index) Append(ctx context.Context, tx pgx.Tx, c Collection, docs []Document) error {
	if len(docs) == 0 {
		return nil
	}
	a, err := ix.analyzer(c.Language)
	if err != nil {
		return err
	}
	var birth int64
	if err := tx.QueryRow(ctx, "select nextval('lex_births')").Scan(&birth); err != nil {
		return fmt.Errorf("append %d documents to the lexical index: %w", len(docs), err)
	}
	return ix.append(ctx, tx, c, a, birth, docs)
}

func (ix *Index) append(ctx context.Context, tx pgx.Tx, c Collection, a *text.Analyzer, birth int64, docs []Document) error {
	chunks := make([]int64, len(docs))
	for i, d := range docs {
		chunks[i] = d.Chunk
	}
	records, err := readRecords(ctx, tx, chunks)
	if err != nil {
		return err
	}
	var b segment.Builder
	for _, d := range docs {
		b.Add(d.Chunk, birth, analyse(a, d))
		b.Describe(records[d.Chunk])
	}
	data, meta, err := b.Finish()
	if errors.Is(err, segment.ErrShapes) && len(docs) > 1 {
		half := len(docs) / 2
		if err := ix.append(ctx, tx, c, a, birth, docs[:half]); err != nil {
			return err
		}
		return ix.append(ctx, tx, c, a, birth, docs[half:])
	}
	if err != nil {
		return fmt.Errorf("index chunk %d: %w", docs[0].Chunk, err)
	}
	_, err = insert(ctx, tx, c.ID, 0, data, meta)
	return err
}

// Document is one chunk to index.
type Document struct {
	Chunk             int64
	Title, Body, Path string
	Headings          []string
}

// analyse gives the tokens of a document's fields.
func analyse(a *text.Analyzer, d Document) (fields [segment.NumFields][]text.Token) {
	fields[segment.Title] = a.Tokens(nil, d.Title)
	fields[segment.Body] = a.Tokens(nil, d.Body)
	fields[segment.Path] = a.Tokens(nil, d.Path)
	var all []text.Token
	next := 0
	for _, h := range d.Headings {
		from := len(all)
		all = a.Tokens(all, h)
		for i := from; i < len(all); i++ {
			all[i].Position += next
		}
		if len(all) > from {
			next = all[len(all)-1].Position + headingGap
		}
	}
	fields[segment.Headings] = all
	return fields
}

// Delete removes chunks inside the caller's transaction: they are not found from its
// commit on. Chunks that are not there are ignored.
func (ix *Index) Delete(ctx context.Context, tx pgx.Tx, c Collection, chunks []int64) error {
	if len(chunks) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		insert into lex_tombs (collection_id, chunk_id, seq)
		select $1, t.chunk, b.seq from (select nextval('lex_births') as seq) b, unnest($2::bigint[]) as t(chunk)
		on conflict do nothing`, c.ID, chunks)
	if err != nil {
		return fmt.Errorf("delete %d chunks from the lexical index: %w", len(chunks), err)
	}
	return nil
}
