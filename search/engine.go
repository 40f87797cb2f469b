package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/lexical"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
	"github.com/bmcis/bmcis/models"
	"github.com/bmcis/bmcis/rerank"
)

// Config says what an engine works with. The zero value is ready to use after
// `bmcis setup`: the private database, the models that setup fetched.
type Config struct {
	// DSN is the PostgreSQL to use, as a URL or in key=value form. Empty means the
	// private database under BMCIS_HOME, started when it does not run. Only Open
	// reads it.
	DSN string
	// EmbeddingModelDir holds the embedding model (.onnx) and its tokenizer.json.
	// Defaults to BMCIS_MODEL_DIR, then to what setup fetched.
	EmbeddingModelDir string
	// ONNXRuntime is the path of libonnxruntime. Defaults to BMCIS_ONNXRUNTIME, then
	// to what setup fetched.
	ONNXRuntime string
	// RerankerModelDir holds a cross-encoder to use in place of the bundled one: any
	// BERT-style model in ONNX (*.onnx, one score for a pair) with its WordPiece
	// tokenizer.json. Pairs are cut at 256 tokens. Defaults to BMCIS_RERANKER_DIR, then to
	// the bundled model.
	RerankerModelDir string
	// Reranker replaces the cross-encoder. It is not closed by the engine.
	Reranker rerank.Reranker
	// RerankerWeight is the share of the reranker in the final score where a request
	// does not say. Defaults to 0.3, the measured best of the bundled model.
	RerankerWeight float64
	// Workers is how many texts are embedded or reranked at once. Defaults to the
	// number of cores.
	Workers int
	// CacheBytes bounds the memory for index pages. Defaults to 256 MiB.
	CacheBytes int64
	// MaxConns bounds the database connections. Defaults to 16. Only Open reads it.
	MaxConns int32
	// Observer, when set, is told what searches do.
	Observer Observer
	// Warn receives what works but should be mended, such as an old pgvector. Nil
	// drops it.
	Warn func(string)
}

// Engine searches and indexes. Its methods may be called concurrently.
type Engine struct {
	pool     *pgxpool.Pool
	lex      *lexical.Index
	embedder opener[*embed.Embedder]
	reranker opener[rerank.Reranker]
	cfg      Config
	close    []func() error
	once     sync.Once
}

// Open connects to cfg.DSN, or to the private database when it is empty, brings its
// schema up to date and returns an engine that Close must end. The models are loaded
// when first needed.
func Open(ctx context.Context, cfg Config) (*Engine, error) {
	maxConns := cfg.MaxConns
	if maxConns == 0 {
		maxConns = 16
	}
	pool, closePool, err := private.Connect(ctx, pg.Config{
		DSN: cfg.DSN, Migrate: true, MaxConns: maxConns, Warn: cfg.Warn,
	})
	if err != nil {
		return nil, err
	}
	e, err := New(pool, cfg)
	if err != nil {
		closePool()
		return nil, err
	}
	e.close = append(e.close, func() error { closePool(); return nil })
	return e, nil
}

// New returns an engine on a pool that the caller keeps and closes. The database
// must have been migrated (migrations.Up).
func New(pool *pgxpool.Pool, cfg Config) (*Engine, error) {
	if pool == nil {
		return nil, errors.New("search.New: the pool is nil; use search.Open, or pgxpool.New first")
	}
	if cfg.RerankerWeight < 0 || cfg.RerankerWeight > 1 {
		return nil, fmt.Errorf("search.Config.RerankerWeight must be 0..1, got %v", cfg.RerankerWeight)
	}
	e := &Engine{pool: pool, cfg: cfg, lex: lexical.New(pool, lexical.Config{CacheBytes: cfg.CacheBytes})}
	e.embedder.open = e.openEmbedder
	e.reranker.open = e.openReranker
	return e, nil
}

// Close frees the models and, after Open, the database connections. It may be
// called twice.
func (e *Engine) Close() error {
	var errs []error
	e.once.Do(func() {
		if emb, ok := e.embedder.opened(); ok {
			errs = append(errs, emb.Close())
		}
		if r, ok := e.reranker.opened(); ok && e.cfg.Reranker == nil {
			if c, ok := r.(interface{ Close() error }); ok {
				errs = append(errs, c.Close())
			}
		}
		for _, f := range e.close {
			errs = append(errs, f())
		}
	})
	return errors.Join(errs...)
}

func (e *Engine) openEmbedder() (*embed.Embedder, error) {
	cfg := embed.Config{ModelDir: e.cfg.EmbeddingModelDir, Workers: e.cfg.Workers}
	var err error
	if cfg.LibraryPath, err = e.library(); err != nil {
		return nil, err
	}
	if cfg.ModelDir == "" {
		if cfg.ModelDir, _, _, err = home.EmbeddingModel(); err != nil {
			return nil, err
		}
	}
	return embed.Open(cfg)
}

// ownRerankerTokens is how much of a pair a model of the user's own reads.
const ownRerankerTokens = 256

func (e *Engine) openReranker() (rerank.Reranker, error) {
	if e.cfg.Reranker != nil {
		return e.cfg.Reranker, nil
	}
	cfg := rerank.Config{Workers: e.cfg.Workers}
	var err error
	if cfg.LibraryPath, err = e.library(); err != nil {
		return nil, err
	}
	dir := e.cfg.RerankerModelDir
	if dir == "" {
		dir = os.Getenv(home.EnvRerankerDir)
	}
	if dir != "" {
		cfg.ModelDir, cfg.MaxTokens = dir, ownRerankerTokens
		return rerank.Open(cfg)
	}
	cfg.Model, cfg.Tokenizer = models.Reranker()
	cfg.Name = models.RerankerName
	return rerank.Open(cfg)
}

// library is the path of ONNX Runtime: what the caller gave, or what setup fetched.
func (e *Engine) library() (string, error) {
	if e.cfg.ONNXRuntime != "" {
		return e.cfg.ONNXRuntime, nil
	}
	return home.ONNXRuntime()
}

// opener loads something expensive once, when first needed. A failure is returned
// to everyone who asks and tried again by the next who asks, so that a running
// server heals when what was missing arrives.
type opener[T any] struct {
	open  func() (T, error)
	mu    sync.Mutex
	value T
	done  bool
}

func (o *opener[T]) get() (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return o.value, nil
	}
	v, err := o.open()
	if err == nil {
		o.value, o.done = v, true
	}
	return v, err
}

func (o *opener[T]) opened() (T, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value, o.done
}
