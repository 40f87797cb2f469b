package ingest

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/lexical"
)

// deleteBatch documents are deleted in one transaction.
const deleteBatch = 200

// prune deletes the stored documents of this source that it did not hand over. Those
// that a concurrent run wrote after this one began are spared.
func (r *run) prune(ctx context.Context) error {
	if r.unnamed {
		r.report.PruneSkipped = "some lines could not be read, so it is not known which documents are gone"
		return nil
	}
	var sources, uris, prefixes []string
	if s, ok := r.src.(scoped); ok {
		for _, scope := range s.Scopes() {
			for _, f := range []struct {
				value string
				to    *[]string
			}{{scope.Source, &sources}, {scope.URI, &uris}, {scope.URIPrefix, &prefixes}} {
				if f.value != "" {
					*f.to = append(*f.to, f.value)
				}
			}
		}
	} else {
		for s := range r.sources {
			sources = append(sources, s)
		}
	}
	rows, err := r.pool.Query(ctx, `select id, external_id, uri from documents
		where collection_id = $1 and updated_at < $2
			and (source = any($3) or uri = any($4) or exists (select from unnest($5::text[]) p where starts_with(uri, p)))`,
		r.col.ID, r.began, sources, uris, prefixes)
	if err != nil {
		return fmt.Errorf("look for documents that are gone: %w", err)
	}
	var gone []int64
	var id int64
	var external, uri string
	_, err = pgx.ForEachRow(rows, []any{&id, &external, &uri}, func() error {
		if !r.seen[idHash(external)] && !r.isProtected(uri) {
			gone = append(gone, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for documents that are gone: %w", err)
	}
	for len(gone) > 0 {
		n := min(deleteBatch, len(gone))
		deleted, err := deleteDocuments(ctx, r.pool, r.lex, r.col, gone[:n])
		if err != nil {
			return err
		}
		r.report.Deleted += deleted
		gone = gone[n:]
	}
	return nil
}

// isProtected reports whether a document lies where the source could not read.
func (r *run) isProtected(uri string) bool {
	for _, p := range r.protected {
		if uri == p || strings.HasPrefix(uri, strings.TrimSuffix(p, "/")+"/") {
			return true
		}
	}
	return false
}

// deleteDocuments deletes documents by their internal ids in one transaction.
func deleteDocuments(ctx context.Context, pool *pgxpool.Pool, lex *lexical.Index, col catalog.Collection, documents []int64) (deleted int, err error) {
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := lockCollection(ctx, tx, col.ID, col.Name); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select id from chunks where document_id = any($1)`, documents)
		if err != nil {
			return err
		}
		chunks, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		if err := deleteChunks(ctx, tx, lex, LexicalCollection(col), chunks); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `delete from documents where collection_id = $1 and id = any($2)`, col.ID, documents)
		deleted = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("delete %d documents: %w", len(documents), err)
	}
	return deleted, nil
}

// DeleteDocuments deletes documents by the caller's ids and returns the ids that were
// not there. The error wraps catalog.ErrNotFound when there is no such collection.
func DeleteDocuments(ctx context.Context, pool *pgxpool.Pool, lex *lexical.Index, collection string, ids []string) (missing []string, err error) {
	col, err := catalog.Get(ctx, pool, collection)
	if err != nil {
		return nil, err
	}
	found, err := lookup(ctx, pool, col.ID, ids)
	if err != nil {
		return nil, err
	}
	var documents []int64
	seen := map[string]bool{}
	for _, id := range ids {
		if s, ok := found[id]; !ok {
			missing = append(missing, id)
		} else if !seen[id] {
			documents = append(documents, s.id)
		}
		seen[id] = true
	}
	for len(documents) > 0 {
		n := min(deleteBatch, len(documents))
		if _, err := deleteDocuments(ctx, pool, lex, col, documents[:n]); err != nil {
			return missing, err
		}
		documents = documents[n:]
	}
	if len(missing) < len(ids) {
		if _, err := lex.Maintain(ctx, LexicalCollection(col)); err != nil {
			return missing, fmt.Errorf("maintain the lexical index: %w", err)
		}
	}
	return missing, nil
}

// documentsUnder returns the documents with this URI or one below it.
func documentsUnder(ctx context.Context, db catalog.DB, collection int64, uri string) ([]int64, error) {
	rows, err := db.Query(ctx, `select id from documents where collection_id = $1 and (uri = $2 or starts_with(uri, $2 || '/'))`, collection, uri)
	if err != nil {
		return nil, fmt.Errorf("look up documents of %s: %w", uri, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("look up documents of %s: %w", uri, err)
	}
	return list, nil
}
