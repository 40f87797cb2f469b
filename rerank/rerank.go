// Package rerank scores passages against a query with a cross-encoder: a query
// and texts go in, one score for each text comes out. search calls it on the
// best candidates of the fused ranking; the code API calls it through search.
//
// Any BERT-shaped cross-encoder with one output can be used: an ONNX file with
// int64 inputs input_ids, attention_mask and perhaps token_type_ids, a float32
// output of [batch, 1], and its WordPiece tokenizer.json.
package rerank

import (
	"context"
	"fmt"
)

// Reranker scores passages against a query. It may also have a method PerPassage()
// time.Duration, what a passage lately took: then a search gives it no more passages than
// fit into its time.
type Reranker interface {
	// Rerank returns one score for each passage, in their order; higher is
	// better, the scale is the implementation's. When ctx ends on the way it
	// returns what is done, with NaN for the rest, and a *PartialError. It may
	// be called concurrently.
	Rerank(ctx context.Context, query string, passages []string) ([]float32, error)
}

// PartialError says that the time ran out before all passages were scored.
type PartialError struct {
	Scored, Total int
	Err           error // the context's error
}

// Error implements error.
func (e *PartialError) Error() string {
	return fmt.Sprintf("rerank: %d of %d passages scored: %v", e.Scored, e.Total, e.Err)
}

// Unwrap returns the context's error.
func (e *PartialError) Unwrap() error { return e.Err }

// Config says which cross-encoder to open and how to run it.
type Config struct {
	// ModelDir holds the model (*.onnx) and its tokenizer (*tokenizer.json).
	ModelDir string
	// Model and Tokenizer are the same as bytes, for an embedded model. Used
	// when ModelDir is empty, and not needed after Open.
	Model, Tokenizer []byte
	// Name is what Model() calls it. Defaults to the last element of ModelDir,
	// or "cross-encoder".
	Name string
	// LibraryPath is libonnxruntime. Defaults to $BMCIS_ONNXRUNTIME.
	LibraryPath string
	// Workers is how many pairs are scored at once, each on one core. Defaults
	// to the number of cores.
	Workers int
	// MaxTokens cuts a pair, its three special tokens included. Defaults to
	// 160, which suits the bundled model; at least 64, at most 512.
	MaxTokens int
	// Windows is how many windows of a long passage may be scored; the best
	// one counts. Defaults to 1, the passage's start. From 2 on, the windows
	// that share most words with the query are scored beside the start. Each
	// costs as much as a passage: on chunks of 30 to 450 tokens, 2 windows took
	// 1.7 times as long and gained for source code only. At most 16.
	Windows int
	// CacheEntries bounds the score cache. Defaults to 65,536 scores (about
	// 10 MiB when full); negative means no cache.
	CacheEntries int
}
