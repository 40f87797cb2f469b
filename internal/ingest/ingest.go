// Package ingest brings documents into a collection: a [Source] hands over documents,
// and what changed since the last run is extracted, cut into chunks, embedded and
// written to PostgreSQL together with the lexical index. Out comes a [Report] that
// names everything that was not indexed. Callers: search.Engine, the demo.
//
// A run is a pipeline of three stages that work at the same time: read and hash;
// compare with what is stored, chunk and embed; write. A batch of documents is one
// transaction (a long document's vectors follow in several), so that a crash at any moment loses nothing that was committed, leaves
// nothing half done, and the next run goes on from there. Memory is bounded by a few
// batches.
//
// Concurrent runs on one collection are safe, in one process or several: each write
// first takes the row lock of its collection (by counting its generation up), then
// compares again with what is stored, and does only what is still to be done.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/lexical"
)

// Embedder makes vectors; *embed.Embedder is one.
type Embedder interface {
	// Passages returns a unit-length vector for each text, in order.
	Passages(ctx context.Context, texts []string) ([][]float32, error)
	// Space names what makes two vectors comparable.
	Space() embed.Space
	// CountTokens counts the tokens of s without special ones.
	CountTokens(s string) int
}

// Options say how to index.
type Options struct {
	// Collection is made with its first document. Defaults to "default".
	Collection string
	// Language of a new collection's texts: a Snowball language or "none". Defaults to
	// "english".
	Language string
	// Prune deletes the documents of this source that it no longer hands over. What
	// could not be read is kept.
	Prune bool
	// LexicalOnly leaves new chunks without vectors; the next run without it adds them.
	LexicalOnly bool
	// Progress, if not nil, is called from one goroutine at a time: whenever some chunks
	// were cut or embedded, after each batch and at the end of each stage.
	Progress func(Progress)
}

func (o Options) settings() catalog.Settings { return catalog.Settings{Language: o.Language} }

// Progress says how far a run is.
type Progress struct {
	// Stage is "indexing", or "embedding" while missing vectors (those of long documents,
	// too), or those of another model, are made.
	Stage string
	// Done and Total count documents while indexing and chunks while embedding. A
	// Total of 0 is not known.
	Done, Total int
	// Chunks counts what was written so far.
	Chunks int
	// Cut counts the chunks of changed documents, Embedded those that have their vector:
	// of documents that are not written yet, too, so that one long document shows how
	// far it is. Both stay what they were while Stage is "embedding".
	Cut, Embedded int
}

// Report says what a run did.
type Report struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	// Failed names each document that could not be indexed, with the reason.
	Failed []Failure `json:"failed"`
	// Chunks were written, Kept were found unchanged in changed documents, and
	// Reembedded got a vector after they were written: those of long documents, and
	// where it was missing or of another model.
	Chunks     int `json:"chunks"`
	Kept       int `json:"chunks_kept"`
	Reembedded int `json:"chunks_reembedded"`
	// Replaced counts bytes that were not valid UTF-8, or NUL, in indexed texts.
	Replaced int `json:"bytes_replaced"`
	// PruneSkipped says why nothing was pruned although it was asked for.
	PruneSkipped string        `json:"prune_skipped,omitempty"`
	Took         time.Duration `json:"-"`
}

// MarshalJSON adds seconds.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report
	if r.Failed == nil {
		r.Failed = []Failure{}
	}
	return json.Marshal(struct {
		plain
		Seconds float64 `json:"seconds"`
	}{plain(r), float64(r.Took.Milliseconds()) / 1000})
}

// Indexer writes documents into collections. Its methods may be called concurrently.
type Indexer struct {
	pool *pgxpool.Pool
	lex  *lexical.Index
	emb  Embedder
}

// New returns an indexer. Without an embedder (nil) chunks are stored without
// vectors; a later run with one adds them.
func New(pool *pgxpool.Pool, lex *lexical.Index, emb Embedder) *Indexer {
	return &Indexer{pool: pool, lex: lex, emb: emb}
}

// LexicalCollection is a collection as the lexical index wants it.
func LexicalCollection(c catalog.Collection) lexical.Collection {
	return lexical.Collection{ID: c.ID, Language: c.Language, K1: c.K1, B: c.B, Weights: lexical.FieldWeights(c.Weights)}
}

// Index brings what the source hands over into a collection. The report is valid,
// and its documents are committed, also when an error is returned: the next run goes
// on from there.
func (ix *Indexer) Index(ctx context.Context, opts Options, src Source) (Report, error) {
	if src == nil {
		return Report{}, errors.New("index: no source given")
	}
	opts.Collection = catalog.OrDefault(opts.Collection)
	began := time.Now()
	col, err := catalog.Find(ctx, ix.pool, opts.Collection, opts.settings())
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return Report{}, err
	}
	r, err := ix.newRun(ctx, opts, col, src)
	if err != nil {
		return Report{}, err
	}
	err = r.do(ctx)
	r.report.Took = time.Since(began)
	if err != nil {
		return r.report, fmt.Errorf("index into collection %q: %w", opts.Collection, err)
	}
	return r.report, nil
}
