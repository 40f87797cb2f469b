package search

import (
	"context"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/lexical"
)

// CollectionHealth is a collection with the state of its index.
type CollectionHealth struct {
	CollectionInfo
	// WithoutVector counts chunks that vector search cannot find at all; the rest of
	// StaleEmbeddings have a vector of another model.
	WithoutVector int64 `json:"without_vector"`
	// Index is how the keyword index lies in the database.
	Index IndexShape `json:"index"`
}

// IndexShape is how a keyword index lies in the database; IndexExtent belongs to it.
type (
	IndexShape  = lexical.Shape
	IndexExtent = lexical.Extent
)

// Health lists all collections by name with the state of their indexes. It counts rows,
// and reads no text, vector or segment.
func (e *Engine) Health(ctx context.Context) ([]CollectionHealth, error) {
	list, err := catalog.List(ctx, e.pool)
	if err != nil {
		return nil, err
	}
	shapes, err := e.lex.Shapes(ctx)
	if err != nil {
		return nil, err
	}
	health := make([]CollectionHealth, len(list))
	for i, c := range list {
		info, err := e.info(ctx, c)
		if err != nil {
			return nil, err
		}
		health[i] = CollectionHealth{CollectionInfo: info, WithoutVector: c.Chunks - c.Embedded, Index: shapes[c.ID]}
	}
	return health, nil
}
