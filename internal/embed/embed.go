// Package embed turns text into vectors with bge-small-en-v1.5 (int8) on ONNX
// Runtime: strings go in, unit-length vectors of 384 numbers come out.
// internal/ingest calls Passages, search calls Query.
package embed

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bmcis/bmcis/internal/lru"
	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/wordpiece"
)

const (
	// EnvModelDir names the environment variable behind Config.ModelDir.
	EnvModelDir = "BMCIS_MODEL_DIR"

	// MaxTokens is the longest text that the model sees, special tokens
	// included; what is beyond is not in the vector.
	MaxTokens = 512

	// queryPrompt is what the model was trained to see before a query.
	queryPrompt = "Represent this sentence for searching relevant passages: "

	queryCacheEntries = 1024
)

// Config says which model to open. The zero value takes everything from the
// environment.
type Config struct {
	// ModelDir holds the model (*.onnx) and its tokenizer (*tokenizer.json).
	// Defaults to $BMCIS_MODEL_DIR.
	ModelDir string
	// LibraryPath is libonnxruntime. Defaults to $BMCIS_ONNXRUNTIME.
	LibraryPath string
	// Workers is how many texts are embedded at once, each on one core.
	// Defaults to the number of cores.
	Workers int
}

// Space names the vector space that an Embedder's vectors live in. Vectors of
// two different spaces must never be compared: the int8 model gives other
// numbers under another version of the runtime.
type Space struct {
	Model       string // the model file's name without .onnx: "bge-small-en-v1.5-q"
	ModelSHA256 string // hex, of the model file
	Runtime     string // ONNX Runtime's version: "1.31.1"
	Dimensions  int    // 384
}

// Embedder embeds texts. All methods may be called concurrently.
type Embedder struct {
	space     Space
	session   *onnx.Session
	tokenizer *wordpiece.Tokenizer
	queries   *lru.Cache[string, []float32]
	buffers   sync.Pool // *[]int64
}

// Open loads the model and its tokenizer. Its errors name the file and the
// remedy.
func Open(cfg Config) (*Embedder, error) {
	dir := cfg.ModelDir
	if dir == "" {
		dir = os.Getenv(EnvModelDir)
	}
	if dir == "" {
		return nil, fmt.Errorf("open embedding model: no folder given (run: bmcis setup, or set %s)", EnvModelDir)
	}
	model, tokenizer, err := onnx.FindModel(dir)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	b, err := onnx.OpenBundle(cfg.LibraryPath, onnx.Config{
		Model:     onnx.Model{Path: model},
		MaxTokens: MaxTokens,
		Workers:   cfg.Workers,
	}, tokenizer, nil)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	if b.Session.PerText() {
		b.Session.Close()
		return nil, fmt.Errorf("embedding: open model %s: answers with one row of %d numbers for a text, want one for each token: not an embedding model (run: bmcis setup)", model, b.Session.Width())
	}
	return &Embedder{
		session:   b.Session,
		tokenizer: b.Tokenizer,
		queries:   lru.New[string, []float32](queryCacheEntries),
		space: Space{
			Model:       strings.TrimSuffix(filepath.Base(model), ".onnx"),
			ModelSHA256: b.SHA256,
			Runtime:     onnx.RuntimeVersion(),
			Dimensions:  b.Session.Width(),
		},
	}, nil
}

// Query embeds a search query, with the prompt that the model was trained
// with. Recent queries are remembered. The caller owns the vector.
func (e *Embedder) Query(ctx context.Context, text string) ([]float32, error) {
	if v, ok := e.queries.Get(text); ok {
		return slices.Clone(v), nil
	}
	v, err := e.one(ctx, queryPrompt+text)
	if err != nil {
		return nil, fmt.Errorf("embed query: %w", err)
	}
	if len(text) <= 4096 { // the cache is bounded in bytes, too
		e.queries.Put(strings.Clone(text), slices.Clone(v))
	}
	return v, nil
}

// Passages embeds texts of documents, without a prompt: one vector for each,
// in their order. It runs as many texts at once as the Embedder has workers.
// On an error, also ctx's, there are no vectors.
func (e *Embedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	err := e.each(ctx, len(texts), func(i int) (err error) {
		if vectors[i], err = e.one(ctx, texts[i]); err != nil {
			return fmt.Errorf("embed passage %d of %d: %w", i+1, len(texts), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// each calls work for 0..n-1 on as many goroutines as there are workers, and
// returns after all have ended; the first error stops the rest.
func (e *Embedder) each(ctx context.Context, n int, work func(i int) error) error {
	var (
		next  atomic.Int64
		once  sync.Once
		first error
		wg    sync.WaitGroup
	)
	for range min(n, e.session.Workers()) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := work(i); err != nil {
					once.Do(func() { first = err })
					next.Store(int64(n))
					return
				}
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}

// one embeds one text: the first token's row, scaled to unit length.
func (e *Embedder) one(ctx context.Context, text string) ([]float32, error) {
	buf, _ := e.buffers.Get().(*[]int64)
	if buf == nil {
		buf = new([]int64)
	}
	defer e.buffers.Put(buf)
	*buf = e.tokenizer.Encode((*buf)[:0], text, MaxTokens)
	v, err := e.session.Run(ctx, make([]float32, 0, e.space.Dimensions), *buf, nil)
	if err != nil {
		return nil, err
	}
	return v, normalize(v)
}

// normalize scales v to unit length.
func normalize(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("the model answered with a vector of length %v (run: bmcis models verify)", math.Sqrt(sum))
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return nil
}

// Space names the vector space.
func (e *Embedder) Space() Space { return e.space }

// Workers is how many texts are embedded at once.
func (e *Embedder) Workers() int { return e.session.Workers() }

// Knows reports whether the vocabulary has anything of the text. All texts without have
// the same vector, which says nothing about any of them: emoji, say, in a model for
// English.
func (e *Embedder) Knows(text string) bool {
	const looked = 512 // tokens: what the model reads of a text
	_, _, unknown, _ := e.tokenizer.Special()
	for _, id := range e.tokenizer.Append(nil, text, looked) {
		if id != unknown {
			return true
		}
	}
	return false
}

// CountTokens counts the tokens of s as the model sees them, without [CLS] and
// [SEP].
func (e *Embedder) CountTokens(s string) int { return e.tokenizer.Count(s) }

// Close waits for texts being embedded and frees the model. It may be called
// twice; afterwards embedding returns an error.
func (e *Embedder) Close() error { return e.session.Close() }
