// Package ingest brings documents into a collection.
package ingest

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/embed"
)

// Embedder makes vectors; *embed.Embedder is one.
type Embedder interface {
	Passages(ctx context.Context, texts []string) ([][]float32, error)
	Space() embed.Space
	CountTokens(s string) int
}

// Options say how to index.
type Options struct {
	// Collection is made when missing. Defaults to "default".
	Collection string
	// Language of a new collection. Defaults to "english".
	Language string
	// Prune deletes the documents of this source that it no longer hands over.
	Prune bool
	// LexicalOnly leaves new chunks without vectors; the next run without it adds them.
	LexicalOnly bool
	// Progress, if not nil, is called from one goroutine, at most ten times a second
	// and at the end.
	Progress func(Progress)
}

// Progress says how far a run is.
type Progress struct {
	Stage  string // "indexing" or "embedding" (vectors of another model, made anew)
	Done   int    // documents, or chunks while embedding
	Total  int    // 0: not known
	Chunks int    // chunks written so far
}

// Report says what a run did.
type Report struct {
	Added     int           `json:"added"`
	Changed   int           `json:"changed"`
	Unchanged int           `json:"unchanged"`
	Deleted   int           `json:"deleted"`
	Failed    []Failure     `json:"failed"`
	Chunks    int           `json:"chunks"` // written
	Took      time.Duration `json:"took_ns"`
}

// Indexer writes documents into collections.
type Indexer struct{ pool *pgxpool.Pool }

// Index brings what the source hands over into a collection.
func (ix *Indexer) Index(ctx context.Context, opts Options, src Source) (Report, error) {
	return Report{}, nil
}

// Watch indexes paths, then again whatever changes under them, until ctx ends.
func (ix *Indexer) Watch(ctx context.Context, opts Options, paths []string, report func(Report)) error {
	return nil
}
