// Package embed turns text into vectors with bge-small-en-v1.5 (int8) on ONNX
// Runtime: strings go in, unit-length vectors of 384 numbers come out.
// internal/ingest calls Passages, search calls Query.
package embed

import (
	"context"
	"errors"
)

// Config says which model to open. The zero value takes everything from the
// environment.
type Config struct {
	// ModelDir holds the model (*.onnx) and its tokenizer (*tokenizer.json).
	// Defaults to $BMCIS_MODEL_DIR.
	ModelDir string
	// LibraryPath is libonnxruntime. Defaults to $BMCIS_ONNXRUNTIME.
	LibraryPath string
	// Workers is how many texts are embedded at once. Defaults to the number
	// of cores.
	Workers int
}

// Space names the vector space that an Embedder's vectors live in. Vectors of
// two different spaces must never be compared.
type Space struct {
	Model       string // "bge-small-en-v1.5-q", the model file's name
	ModelSHA256 string // hex, of the model file
	Runtime     string // ONNX Runtime's version: "1.31.1"
	Dimensions  int    // 384
}

// Embedder embeds texts. All methods may be called concurrently.
type Embedder struct {
	space Space
}

// Open loads the model and its tokenizer.
func Open(cfg Config) (*Embedder, error) { return nil, errors.New("embed: not built yet") }

// Query embeds a search query, with the prompt that the model was trained with.
func (e *Embedder) Query(ctx context.Context, text string) ([]float32, error) {
	return nil, errors.New("embed: not built yet")
}

// Passages embeds texts of documents, without a prompt.
func (e *Embedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	return nil, errors.New("embed: not built yet")
}

// Space names the vector space.
func (e *Embedder) Space() Space { return e.space }

// CountTokens counts the tokens of s as the model sees them, without [CLS] and
// [SEP].
func (e *Embedder) CountTokens(s string) int { return 0 }

// Close frees the model. It may be called twice.
func (e *Embedder) Close() error { return nil }
