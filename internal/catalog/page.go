package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Entry is a document in a list: what it is called, without its text.
type Entry struct {
	ID, Title, Source string
	Bytes             int64 // of its text
}

// Page returns documents of a collection in the order of their ids, after the id after, at
// most limit.
func Page(ctx context.Context, db DB, collection int64, after string, limit int) ([]Entry, error) {
	rows, err := db.Query(ctx, `select external_id, title, source, octet_length(body) from documents
		where collection_id = $1 and external_id > $2 order by external_id limit $3`, collection, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	page, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Entry])
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	return page, nil
}
