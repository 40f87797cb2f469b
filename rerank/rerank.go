// Package rerank scores passages against a query with a cross-encoder: a query
// and texts go in, one score for each text comes out. search calls it on the
// best candidates of the fused ranking; the code API calls it through search.
package rerank

import (
	"context"
	"errors"
	"fmt"
)

// Reranker scores passages against a query.
type Reranker interface {
	// Rerank returns one score for each passage, in their order; higher is
	// better, the scale is the implementation's. When ctx ends on the way it
	// returns what is done with a *PartialError; scores not computed are NaN.
	// It may be called concurrently.
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
	// when ModelDir is empty.
	Model, Tokenizer []byte
	// Name is what Model() calls it. Defaults to the name of ModelDir or of
	// the model file.
	Name string
	// LibraryPath is libonnxruntime. Defaults to $BMCIS_ONNXRUNTIME.
	LibraryPath string
	// Workers is how many pairs are scored at once. Defaults to the number of
	// cores.
	Workers int
	// MaxTokens cuts a pair, special tokens included. Defaults to 160.
	MaxTokens int
	// Windows is how many windows of a long passage are scored; the best one
	// counts. Defaults to 1, the start of the passage. Each one more costs as
	// much as one more passage.
	Windows int
	// CacheEntries bounds the score cache. Defaults to 65,536 (about 4 MiB);
	// negative means no cache.
	CacheEntries int
}

// CrossEncoder is a Reranker on ONNX Runtime.
type CrossEncoder struct{}

// Open loads a cross-encoder.
func Open(cfg Config) (*CrossEncoder, error) { return nil, errors.New("rerank: not built yet") }

// Rerank implements Reranker.
func (c *CrossEncoder) Rerank(ctx context.Context, query string, passages []string) ([]float32, error) {
	return nil, errors.New("rerank: not built yet")
}

// Model names the model: its name and the first 12 digits of its sha256.
func (c *CrossEncoder) Model() string { return "" }

// Close frees the model. It may be called twice.
func (c *CrossEncoder) Close() error { return nil }
