package search

import (
	"context"
	"errors"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/ingest"
	"github.com/bmcis/bmcis/internal/tune"
)

// DefaultCollection is the collection that is meant where none is named.
const DefaultCollection = catalog.DefaultName

// What goes in: a source of documents and how to index them. These are the types of
// the ingestion stage under the names that callers of this package use.
type (
	// Source hands over documents one by one; see [Files], [BEIR], [JSONL], [URL]. An
	// own source implements its one method.
	Source = ingest.Source
	// SourceDocument is one document as a source hands it over.
	SourceDocument = ingest.Document
	// IndexOptions say how to index.
	IndexOptions = ingest.Options
	// IndexProgress says how far a run is.
	IndexProgress = ingest.Progress
	// IndexReport says what a run added, changed, left, deleted and could not index.
	IndexReport = ingest.Report
	// IndexFailure is one document that could not be indexed, with the reason.
	IndexFailure = ingest.Failure
)

// Files reads Markdown, HTML and text files and folders of them.
func Files(paths ...string) Source { return ingest.Files(paths...) }

// URL reads web pages.
func URL(urls ...string) Source { return ingest.URL(urls...) }

// BEIR reads dir/corpus.jsonl, one document a line: {"_id", "title", "text"}.
func BEIR(dir string) Source { return ingest.BEIR(dir) }

// JSONL reads one JSON document a line: {"id", "title", "text", "source"?, "uri"?,
// "metadata"?}; other keys go into the metadata. "-" is standard input.
func JSONL(path string) Source { return ingest.JSONL(path) }

// Index brings what the source hands over into a collection, which is made with its
// first document. Unchanged documents cost a comparison of hashes. Each batch of documents
// is one transaction: a crash loses nothing that was committed, and the next run
// goes on from there. A document that cannot be read is named in the report and
// never stops the run. Concurrent runs are safe.
func (e *Engine) Index(ctx context.Context, opts IndexOptions, source Source) (IndexReport, error) {
	ix, err := e.indexer(opts)
	if err != nil {
		return IndexReport{}, err
	}
	return ix.Index(ctx, opts, source)
}

// Watch indexes paths once and then whatever changes under them until ctx ends.
// Each round's report is handed to report.
func (e *Engine) Watch(ctx context.Context, opts IndexOptions, paths []string, report func(IndexReport)) error {
	ix, err := e.indexer(opts)
	if err != nil {
		return err
	}
	return ix.Watch(ctx, opts, paths, report)
}

func (e *Engine) indexer(opts IndexOptions) (*ingest.Indexer, error) {
	emb, err := e.embedder.get()
	if err != nil && opts.LexicalOnly { // vectors can follow when the model is there
		return ingest.New(e.pool, e.lex, nil), nil
	}
	if err != nil {
		return nil, err
	}
	return ingest.New(e.pool, e.lex, emb), nil
}

// CollectionInfo is one collection with its size.
type CollectionInfo struct {
	Name       string `json:"name"`
	Language   string `json:"language"`
	Documents  int64  `json:"documents"`
	Chunks     int64  `json:"chunks"`
	Generation int64  `json:"generation"`
	// K1, B and Weights are how BM25 counts; see [Engine.SetScoring].
	K1      float64      `json:"k1"`
	B       float64      `json:"b"`
	Weights FieldWeights `json:"weights"`
	// Tuning is what was learned from judged queries; nil for nothing.
	Tuning *Tuning `json:"tuning,omitempty"`
	// StaleEmbeddings counts chunks whose vectors come from another model or runtime
	// than the one in use, or are missing; indexing again renews them.
	StaleEmbeddings int64 `json:"stale_embeddings"`
}

// Scoring is how BM25 counts in a collection; FieldWeights belongs to it.
type (
	Scoring      = catalog.Scoring
	FieldWeights = catalog.FieldWeights
)

// SetScoring changes k1, b and the weights of the fields of a collection, for the next
// search on. Nothing is indexed anew. k1 is 0..100 (default 1.2), b 0..1 (0.75), a weight
// 0..1000 (1).
func (e *Engine) SetScoring(ctx context.Context, collection string, s Scoring) error {
	return catalog.SetScoring(ctx, e.pool, collection, s)
}

// Collections lists all collections by name.
func (e *Engine) Collections(ctx context.Context) ([]CollectionInfo, error) {
	list, err := catalog.List(ctx, e.pool)
	if err != nil {
		return nil, err
	}
	infos := make([]CollectionInfo, len(list))
	for i, c := range list {
		if infos[i], err = e.info(ctx, c); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

func (e *Engine) info(ctx context.Context, c catalog.Listed) (info CollectionInfo, err error) {
	info = CollectionInfo{
		Name: c.Name, Language: c.Language, Documents: c.Documents, Chunks: c.Chunks, Generation: c.Generation,
		K1: c.K1, B: c.B, Weights: c.Weights,
	}
	if len(c.Tuning) > 0 {
		info.Tuning, _ = tune.Parse(c.Tuning) // searches name what is wrong with it
	}
	info.StaleEmbeddings, err = e.stale(ctx, c)
	return info, err
}

// stale counts the chunks of a collection without a vector of the model in use; without
// a model, those without any.
func (e *Engine) stale(ctx context.Context, c catalog.Listed) (int64, error) {
	if c.Embedded == 0 {
		return c.Chunks, nil
	}
	embedder, err := e.embedder.get()
	if err != nil {
		return c.Chunks - c.Embedded, nil // searches name the missing model
	}
	spaces, err := catalog.Spaces(ctx, e.pool, c.ID)
	if err != nil {
		return 0, err
	}
	stale := c.Chunks
	for _, s := range spaces {
		if s.Space == catalog.Space(embedder.Space()) {
			stale -= s.Chunks
		}
	}
	return stale, nil
}

// CheckCollection reports whether a collection can be searched. The error wraps
// ErrNotFound when there is none of this name yet, and is an invalid request when none
// can be made.
func (e *Engine) CheckCollection(ctx context.Context, name string) error {
	_, err := catalog.Find(ctx, e.pool, name, catalog.Settings{})
	if errors.Is(err, catalog.ErrInvalid) {
		return invalid("%v", err)
	}
	return err
}

// DeleteCollection deletes a collection with all its documents. The error wraps
// ErrNotFound when there is none of this name.
func (e *Engine) DeleteCollection(ctx context.Context, name string) error {
	return catalog.Delete(ctx, e.pool, name)
}

// DeleteDocuments deletes documents by their ids and returns the ids that were not
// there.
func (e *Engine) DeleteDocuments(ctx context.Context, collection string, ids []string) (missing []string, err error) {
	return ingest.DeleteDocuments(ctx, e.pool, e.lex, collection, ids)
}

// ErrNotFound is wrapped by every error about a collection, document or chunk that
// does not exist.
var ErrNotFound = catalog.ErrNotFound
