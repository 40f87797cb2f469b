package search

import (
	"context"

	"github.com/bmcis/bmcis/internal/catalog"
)

// DocumentInfo is a document in a list.
type DocumentInfo struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Source string `json:"source"`
	Bytes  int64  `json:"bytes"` // of its text
}

// Documents lists the documents of a collection in the order of their ids, after the id
// after ("" for the first page), at most limit of them. The error wraps [ErrNotFound] when
// there is no such collection.
func (e *Engine) Documents(ctx context.Context, collection, after string, limit int) ([]DocumentInfo, error) {
	c, err := catalog.Get(ctx, e.pool, catalog.OrDefault(collection))
	if err != nil {
		return nil, err
	}
	page, err := catalog.Page(ctx, e.pool, c.ID, after, limit)
	if err != nil {
		return nil, err
	}
	infos := make([]DocumentInfo, len(page))
	for i, d := range page {
		infos[i] = DocumentInfo(d)
	}
	return infos, nil
}
