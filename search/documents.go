package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
	"github.com/bmcis/bmcis/internal/vector"
)

// Document is one document as it was indexed.
type Document struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Source   string         `json:"source"`
	URI      string         `json:"uri,omitempty"`
	Text     string         `json:"text"` // the whole extracted text
	Metadata map[string]any `json:"metadata,omitempty"`
	Chunks   int            `json:"chunks"`
	Created  time.Time      `json:"created"`
	Updated  time.Time      `json:"updated"`
}

// Document returns one document by the caller's id. The error wraps ErrNotFound when
// there is none.
func (e *Engine) Document(ctx context.Context, collection, id string) (*Document, error) {
	c, err := catalog.Get(ctx, e.pool, catalog.OrDefault(collection))
	if err != nil {
		return nil, err
	}
	d, err := catalog.DocumentByID(ctx, e.pool, c.ID, id)
	if err != nil {
		return nil, err
	}
	return &Document{
		ID: d.ID, Title: d.Title, Source: d.Source, URI: d.URI, Text: d.Text, Metadata: d.Metadata,
		Chunks: d.Chunks, Created: d.Created, Updated: d.Updated,
	}, nil
}

// Chunks returns chunks by their public ids, in the order asked for; ids that do not
// exist are left out. The hits carry no scores.
func (e *Engine) Chunks(ctx context.Context, collection string, ids []string) ([]Hit, error) {
	c, err := catalog.Get(ctx, e.pool, catalog.OrDefault(collection))
	if err != nil {
		return nil, err
	}
	internal, err := catalog.ChunkIDs(ctx, e.pool, c.ID, ids)
	if err != nil {
		return nil, err
	}
	chunks, err := catalog.Hydrate(ctx, e.pool, internal)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(chunks))
	for i, k := range chunks {
		hits[i] = hitOf(k)
	}
	return hits, nil
}

// Rerank scores texts against a query with the cross-encoder: one relevance a text,
// 0 to 1 (the logistic function of the model's logit), in their order. When ctx ends
// on the way it returns what is done, NaN for the rest, and a *rerank.PartialError.
func (e *Engine) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	model, err := e.reranker.get()
	if err != nil {
		return nil, err
	}
	logits, err := model.Rerank(ctx, query, texts)
	relevance := make([]float64, len(logits))
	for i, l := range logits {
		relevance[i] = logistic(float64(l))
	}
	return relevance, err
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Similar returns the chunks nearest in meaning to a chunk or to the first chunk of a
// document, best first, without those of its own document. id is a chunk's or a
// document's; of the request it heeds Collection, Filter and Limit. The error wraps
// ErrNotFound when there is no such chunk or document.
func (e *Engine) Similar(ctx context.Context, id string, req Request) (*Results, error) {
	req.Query = "similar to " + id
	q, err := e.begin(ctx, req)
	if err != nil {
		return nil, err
	}
	origin, err := catalog.ChunkByStableID(ctx, e.pool, q.coll.ID, id)
	if errors.Is(err, ErrNotFound) {
		origin, err = e.firstChunk(ctx, q.coll.ID, id)
	}
	if err != nil {
		return nil, err
	}
	if q.legs.embedding, err = catalog.Embedding(ctx, e.pool, origin.ID); err != nil {
		return nil, err
	}
	q.route.Mode, q.results.Plan.Mode = route.Vector, ModeVector
	// The document's own chunks are likely to be the nearest: ask for as many more and
	// leave them out before anything is read.
	own, err := catalog.ChunksOf(ctx, e.pool, q.coll.ID, origin.DocumentID)
	if err != nil {
		return nil, err
	}
	q.legs.vector, err = vector.Search(ctx, e.pool, vector.Query{
		CollectionID: q.coll.ID, Embedding: q.legs.embedding, Filter: q.req.Filter,
		Limit: q.req.Limit + min(len(own), maxOwnChunks) + spare,
	})
	if err != nil {
		return nil, fmt.Errorf("search chunks similar to %s: %w", id, err)
	}
	if err := q.note(ctx); err != nil {
		return nil, err
	}
	if err := q.fuse(ctx); err != nil {
		return nil, err
	}
	q.order = slices.DeleteFunc(q.order, func(i rank.Item) bool {
		return slices.ContainsFunc(own, func(c catalog.Chunk) bool { return c.ID == i.ID })
	})
	if err := q.hydrate(ctx); err != nil {
		return nil, err
	}
	q.cut()
	q.results.Cursor = "" // pages are for searches
	return &q.results, nil
}

// maxOwnChunks bounds how many chunks of a document Similar looks past.
const maxOwnChunks = 1000

func (e *Engine) firstChunk(ctx context.Context, collection int64, document string) (catalog.Chunk, error) {
	chunks, err := catalog.ChunksOf(ctx, e.pool, collection, document)
	if err != nil {
		return catalog.Chunk{}, err
	}
	if len(chunks) == 0 {
		return catalog.Chunk{}, fmt.Errorf("chunk or document %q %w", document, ErrNotFound)
	}
	return chunks[0], nil
}

// hitOf is a hit without scores.
func hitOf(k catalog.Chunk) Hit {
	return Hit{
		ChunkID: k.StableID, DocumentID: k.DocumentID, Title: k.Title, Source: k.Source, URI: k.URI,
		Text: k.Text, Headings: k.Headings, Start: k.Start, End: k.End, Metadata: k.Metadata,
		Created: k.Created, Updated: k.Updated,
	}
}
