package rerank

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bmcis/bmcis/internal/lru"
	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/wordpiece"
)

const (
	defaultMaxTokens    = 160
	defaultWindows      = 1
	defaultCacheEntries = 1 << 16

	// maxQueryTokens is how much of a query the bundled model was trained on.
	maxQueryTokens = 48
	// specialTokens are [CLS] and two [SEP].
	specialTokens = 3
)

// CrossEncoder is a Reranker on ONNX Runtime. Each pair is a run of its own, so
// that a score does not depend on the other passages and can be cached: a
// quantised model in a batch gives other scores.
type CrossEncoder struct {
	name      string
	session   *onnx.Session
	tokenizer *wordpiece.Tokenizer
	maxTokens int
	windows   int
	scores    *lru.Cache[scoreKey, float32]
	buffers   sync.Pool // *buffers
	pace      pace
}

// scoreKey names a pair. The model and the way of cutting are the encoder's.
type scoreKey [16]byte

// Open loads a cross-encoder. Its errors name the file and the remedy.
func Open(cfg Config) (*CrossEncoder, error) {
	if cfg.MaxTokens == 0 {
		cfg.MaxTokens = defaultMaxTokens
	}
	if cfg.MaxTokens < 64 || cfg.MaxTokens > 512 {
		return nil, fmt.Errorf("open reranker: MaxTokens is %d, want 64 to 512", cfg.MaxTokens)
	}
	if cfg.Windows == 0 {
		cfg.Windows = defaultWindows
	}
	if cfg.Windows < 1 || cfg.Windows > 16 {
		return nil, fmt.Errorf("open reranker: Windows is %d, want 1 to 16", cfg.Windows)
	}
	if cfg.CacheEntries == 0 {
		cfg.CacheEntries = defaultCacheEntries
	}
	model := onnx.Model{Data: cfg.Model, Name: cfg.Name}
	var tokenizerPath string
	switch {
	case cfg.ModelDir != "":
		path, tokenizer, err := onnx.FindModel(cfg.ModelDir)
		if err != nil {
			return nil, fmt.Errorf("reranker: %w", err)
		}
		model, tokenizerPath = onnx.Model{Path: path}, tokenizer
		if cfg.Name == "" {
			cfg.Name = filepath.Base(cfg.ModelDir)
		}
	case len(cfg.Model) == 0 || len(cfg.Tokenizer) == 0:
		return nil, errors.New("open reranker: no model given: set ModelDir, or Model and Tokenizer")
	case cfg.Name == "":
		cfg.Name, model.Name = "cross-encoder", "cross-encoder"
	}
	b, err := onnx.OpenBundle(cfg.LibraryPath, onnx.Config{
		Model:     model,
		MaxTokens: cfg.MaxTokens,
		Workers:   cfg.Workers,
	}, tokenizerPath, cfg.Tokenizer)
	if err != nil {
		return nil, fmt.Errorf("reranker: %w", err)
	}
	if !b.Session.PerText() || b.Session.Width() != 1 {
		b.Session.Close()
		shape := fmt.Sprintf("[batch, %d]", b.Session.Width())
		if !b.Session.PerText() {
			shape = fmt.Sprintf("[batch, sequence, %d]", b.Session.Width())
		}
		return nil, fmt.Errorf("reranker: open model %s: its output is %s, want one score for a pair, [batch, 1] (choose a cross-encoder exported with one label)", cfg.Name, shape)
	}
	return &CrossEncoder{
		name:      cfg.Name + " " + b.SHA256[:12],
		session:   b.Session,
		tokenizer: b.Tokenizer,
		maxTokens: cfg.MaxTokens,
		windows:   cfg.Windows,
		scores:    lru.New[scoreKey, float32](cfg.CacheEntries),
	}, nil
}

// Model names the model: its name and the first 12 digits of its sha256.
func (c *CrossEncoder) Model() string { return c.name }

// Workers is how many pairs are scored at once.
func (c *CrossEncoder) Workers() int { return c.session.Workers() }

// Rerank implements Reranker. Scores are the model's raw answers (logits).
// Passages are scored in their order, so give the best candidates first: when
// the time runs out, the first ones are done.
//
// What has no word to compare is not shown to the model, whose answer would
// mean nothing: without a word in the query all scores are 0; a passage
// without a word scores as low as the lowest of the others.
func (c *CrossEncoder) Rerank(ctx context.Context, query string, passages []string) ([]float32, error) {
	scores := make([]float32, len(passages))
	for i := range scores {
		scores[i] = float32(math.NaN())
	}
	q := c.tokenizer.Append(nil, query, maxQueryTokens)
	if len(q) == 0 {
		clear(scores)
		return scores, nil
	}
	begun := time.Now()
	done, computed, failed := c.each(ctx, query, q, passages, scores)
	now := time.Now()
	ended := ctx.Err() != nil && done < len(passages)
	if ended {
		computed = max(computed, 1) // one takes at least as long as this
	}
	c.pace.add(computed, now.Sub(begun), now)
	sinkEmpty(scores)
	if ended && (failed == nil || errors.Is(failed, ctx.Err())) {
		return scores, &PartialError{Scored: done, Total: len(passages), Err: ctx.Err()}
	}
	return scores, failed
}

// each scores the passages with as many goroutines as there are workers and fills in
// scores. It returns when all are done, one failed, or ctx ended: runs that have begun
// then go on behind it, since the model cannot be stopped, and only fill the cache.
func (c *CrossEncoder) each(ctx context.Context, query string, q []int64, passages []string, scores []float32) (done, computed int, failed error) {
	type result struct {
		i     int
		score float32
		fresh bool
		err   error
	}
	var todo []int
	for i, p := range passages {
		if s, ok := c.scores.Get(newScoreKey(query, p)); ok { // needs no time, also when there is none
			scores[i] = s
			done++
		} else {
			todo = append(todo, i)
		}
	}
	results := make(chan result, len(todo))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(todo), c.session.Workers()) {
		wg.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(todo) {
					return
				}
				i := todo[n]
				s, fresh, err := c.score(ctx, query, q, passages[i])
				results <- result{i, s, fresh, err}
				if err != nil {
					next.Store(int64(len(todo)))
					return
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	take := func(r result) {
		switch {
		case r.err == nil:
			scores[r.i] = r.score
			done++
			if r.fresh {
				computed++
			}
		case failed == nil:
			failed = fmt.Errorf("rerank passage %d of %d: %w", r.i+1, len(passages), r.err)
		}
	}
	ended := ctx.Done()
	for {
		select {
		case r, ok := <-results:
			if !ok {
				return done, computed, failed
			}
			take(r)
		case <-ended:
			next.Store(int64(len(todo)))
			for {
				select {
				case r, ok := <-results:
					if ok {
						take(r)
						continue
					}
				default:
				}
				return done, computed, failed
			}
		}
	}
}

// score returns the best window's score of one passage, and whether the model was asked
// for it. q is the query's tokens.
func (c *CrossEncoder) score(ctx context.Context, query string, q []int64, passage string) (best float32, fresh bool, err error) {
	key := newScoreKey(query, passage)
	if s, ok := c.scores.Get(key); ok {
		return s, false, nil
	}
	b, _ := c.buffers.Get().(*buffers)
	if b == nil {
		b = new(buffers)
	}
	defer c.buffers.Put(b)
	room := c.maxTokens - specialTokens - len(q)
	b.passage = c.tokenizer.Append(b.passage[:0], passage, passageTokens(room, c.windows))
	best = emptyPassage
	if len(b.passage) == 0 {
		return best, false, nil
	}
	for _, w := range b.choose(q, room, c.windows) {
		b.ids, b.types = c.tokenizer.AppendPair(b.ids[:0], b.types[:0], q, b.passage[w.start:w.end])
		out, err := c.session.Run(ctx, b.out[:0], b.ids, b.types)
		if err != nil {
			return 0, false, err
		}
		b.out = out
		if math.IsNaN(float64(out[0])) || math.IsInf(float64(out[0]), 0) {
			return 0, false, fmt.Errorf("model %s answered %v (run: bmcis models verify)", c.name, out[0])
		}
		best = max(best, out[0])
	}
	c.scores.Put(key, best)
	return best, true, nil
}

// emptyPassage marks a passage without tokens until the lowest score is known.
var emptyPassage = float32(math.Inf(-1))

// sinkEmpty gives empty passages the lowest score of the others, or 0.
func sinkEmpty(scores []float32) {
	lowest := float32(math.Inf(1))
	for _, s := range scores {
		if s > emptyPassage { // false for NaN
			lowest = min(lowest, s)
		}
	}
	if math.IsInf(float64(lowest), 1) {
		lowest = 0
	}
	for i, s := range scores {
		if s == emptyPassage {
			scores[i] = lowest
		}
	}
}

// Close waits for pairs being scored and frees the model. It may be called
// twice; afterwards Rerank returns an error.
func (c *CrossEncoder) Close() error { return c.session.Close() }

func newScoreKey(query, passage string) (key scoreKey) {
	h := sha256.New()
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(query)))
	h.Write(n[:])
	h.Write([]byte(query))
	h.Write([]byte(passage))
	copy(key[:], h.Sum(nil))
	return key
}
