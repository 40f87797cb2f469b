package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/internal/telemetry"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// Searcher is what the host needs of a *search.Engine. Its methods are called
// concurrently.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (*search.Results, error)
	// Rerank scores whole texts against the query: one relevance a text in their
	// order, within 0..1. When ctx ends on the way it returns what is done, with
	// NaN for the rest, and an error.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
	// Document returns a whole document by the caller's id.
	Document(ctx context.Context, collection, id string) (*search.Document, error)
	// Chunks returns chunks by their public ids, as hits without scores, without
	// those that do not exist.
	Chunks(ctx context.Context, collection string, ids []string) ([]search.Hit, error)
	// Similar returns the chunks nearest to a chunk or document; of the request
	// it heeds Collection, Filter and Limit.
	Similar(ctx context.Context, id string, r search.Request) (*search.Results, error)
}

var _ Searcher = (*search.Engine)(nil)

// Overflow keeps answers that are longer than a result may be. Its methods are called
// concurrently.
type Overflow interface {
	// Keep stores data, JSON of at most codeapi.MaxKeepBytes, for whoever ctx
	// belongs to, and returns the handle by which their programs read it again with
	// read_file, and when it is deleted; the zero time: not by itself. The name is
	// a suggestion. An error (a full quota, say) only means that nothing is kept:
	// the run's outcome stays.
	Keep(ctx context.Context, name string, data []byte) (handle string, expires time.Time, err error)
}

// Config configures a [Host]. The zero value is ready to use.
type Config struct {
	// Collection is searched when a program names none. Defaults to "default".
	Collection string
	// RerankerWeight is the share of the reranker in a blend with search scores
	// where a program does not say. Defaults to 0.3, the measured best of the
	// bundled model.
	RerankerWeight float64
	// CacheBytes bounds the texts of one run that are kept for reranking and
	// reading; others are read again. Defaults to 64 MiB.
	CacheBytes int
	// Overflow keeps what does not fit into a result. Defaults to none: it is cut,
	// and the rest is gone.
	Overflow Overflow
	// ShownOutput is how many bytes of printed output an answer carries; the middle of a
	// longer one is left out and, like such a result, kept by Overflow. Defaults to all.
	ShownOutput int
	// Services are what identities have besides searching.
	Services
	// Privacy says what happens to personal data on its way out.
	Privacy Privacy
	// Telemetry counts and traces programs and their calls. Nil: nobody does.
	Telemetry *telemetry.Recorder
	// Ranker orders tools by a request. Defaults to the engine, where it is a
	// *search.Engine; CacheDir is then where vectors of tools are kept, "" in memory alone.
	Ranker   Ranker
	CacheDir string
}

// Host runs programs over an engine. Its methods may be called concurrently.
type Host struct {
	engine Searcher
	cfg    Config
	ranker Ranker
	cards  cardCache
	tokens render.TokenCache
}

// New returns a host over the engine, which stays the caller's to close.
func New(engine Searcher, cfg Config) *Host {
	cfg.Collection = cmp.Or(cfg.Collection, search.DefaultCollection)
	if cfg.RerankerWeight == 0 {
		cfg.RerankerWeight = 0.3
	}
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 64 << 20
	}
	if cfg.Overflow == nil && cfg.Workspace != nil {
		cfg.Overflow = KeepIn(cfg.Workspace)
	}
	h := &Host{engine: engine, cfg: cfg, ranker: cfg.Ranker}
	if e, ok := engine.(*search.Engine); ok && h.ranker == nil && e != nil {
		if texts, err := e.NewTexts(cfg.CacheDir); err == nil { // English is always there
			h.ranker = texts
		}
	}
	return h
}

// RunResult is the answer of execute_code.
type RunResult struct {
	Success bool `json:"success"`
	// Result is the program's answer as JSON: __result__, result, or the last
	// expression, else what was printed; null when there is none of these.
	Result json.RawMessage `json:"result"`
	Output string          `json:"output"`
	Error  *sandbox.Error  `json:"error"`
	// ExecutionTime in seconds.
	ExecutionTime float64        `json:"execution_time"`
	Truncated     bool           `json:"truncated"`
	Usage         sandbox.Usage  `json:"usage"`
	Ledger        codeapi.Ledger `json:"ledger"`
	// Kept says where the whole answer is when Result is cut and a part of it.
	Kept *codeapi.Kept `json:"kept,omitempty"`
	// Degraded names what failed or ran out of time in the run's searches.
	Degraded []string `json:"degraded,omitempty"`
	// Report answers validate_only.
	Report json.RawMessage `json:"report,omitempty"`
	// Layers of confinement that were active. They are the same for every answer
	// and not sent with it; bmcis doctor shows them.
	Layers []string `json:"-"`
}

// Execute runs one program on the runner and reports its fate, its answer and its
// ledger. The error is ours, never the program's. The run belongs to the identity of the
// context (identity.NewContext): it reads the collections, files, skills and tools that
// the identity may, within the identity's limits. Without an identity it is the process's
// own: all collections, no services.
func (h *Host) Execute(ctx context.Context, runner *sandbox.Runner, p sandbox.Program, l sandbox.Limits) (RunResult, error) {
	l = whoOf(ctx).clamp(l)
	s := h.newSession(ctx, l.Wall)
	defer s.ledger.close()
	r, err := h.execute(ctx, s, runner, p, l)
	if h.cfg.Audit != nil && s.who.known {
		// Also of a caller who has gone meanwhile.
		if err := h.cfg.Audit.Append(context.WithoutCancel(ctx), s.hideRecord(ctx, s.record(p, l, r, err))); err != nil {
			return RunResult{}, fmt.Errorf("execute program: %w", err)
		}
	}
	return r, err
}

func (h *Host) execute(ctx context.Context, s *session, runner *sandbox.Runner, p sandbox.Program, l sandbox.Limits) (RunResult, error) {
	printed := hideProgress(ctx, s.san, &p)
	ctx, span := h.cfg.Telemetry.Start(ctx, "program")
	out, err := runner.Run(ctx, p, l, s)
	printed()
	if err != nil {
		s.told(span, p, out, codeapi.Ledger{}, err)
		return RunResult{}, err
	}
	degraded := s.hide(ctx, &out, s.degradations())
	r := RunResult{
		Success: out.Kind == sandbox.KindOK, Result: out.Result, Output: out.Output, Error: out.Error,
		ExecutionTime: math.Round(out.Duration.Seconds()*1e6) / 1e6,
		Truncated:     out.Truncated, Usage: out.Usage, Report: out.Report, Layers: out.Layers,
		Degraded: degraded, Kept: s.keptAnswer(out.Kind == sandbox.KindOK && out.Truncated),
	}
	if r.Result == nil {
		r.Result = json.RawMessage("null")
	}
	if r.Error == nil && !r.Success {
		r.Error = &sandbox.Error{Kind: out.Kind, Message: "the program ended as " + string(out.Kind)}
	}
	if n := h.cfg.ShownOutput; n > 0 && len(r.Output) > n {
		r.Output, r.Truncated = s.shorten(ctx, r.Output, n), true
	}
	r.Ledger = s.ledger.final(string(r.Result), r.Output)
	s.told(span, p, out, r.Ledger, nil)
	return r, nil
}

// callError gives an error of the engine the words and the kind that a program
// gets to see. What is not its business stays out.
func callError(err error) error {
	var already *sandbox.Error
	switch {
	case errors.As(err, &already):
		return already
	case errors.Is(err, context.DeadlineExceeded):
		return &sandbox.Error{Kind: sandbox.KindTimeout, Message: "the search took too long", Hint: "ask for fewer results, or filter first"}
	case errors.Is(err, context.Canceled):
		return &sandbox.Error{Kind: sandbox.KindCancelled, Message: "the run was cancelled"}
	case search.IsInvalidRequest(err), errors.Is(err, search.ErrNotFound):
		return &sandbox.Error{Kind: sandbox.KindValidation, Message: err.Error()}
	}
	return &sandbox.Error{Kind: sandbox.KindHost, Message: err.Error()}
}

func invalid(hint, format string, args ...any) error {
	return &sandbox.Error{Kind: sandbox.KindValidation, Message: sprintf(format, args...), Hint: hint}
}

// deadlineShare is the part of a program's wall time that one reranking may use
// up: the program is to have time left for its answer.
const deadlineShare = 0.8

func (s *session) rerankDeadline() time.Time {
	return s.start.Add(time.Duration(float64(s.wall) * deadlineShare))
}
