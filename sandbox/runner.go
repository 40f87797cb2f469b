package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/admit"
)

// Config configures a [Runner]. The zero value is ready to use.
type Config struct {
	// Limits of a run that does not say otherwise. Zero fields take
	// [DefaultLimits].
	Limits Limits
	// Slots is the number of programs that may run at once. Defaults to twice the
	// number of cores, less if that many programs at their memory limit would fill
	// more than half of the machine, and at least 1.
	Slots int
	// Spares is the number of children kept ready. Defaults to 2; negative keeps
	// none.
	Spares int
	// Queue is the number of runs that may wait for a slot; one more is refused
	// as busy. Defaults to 128.
	Queue int
	// QueueWait is how long a run waits for a slot before it is refused as busy. One
	// that would wait longer, as far as the pace of the latest runs tells, is refused at
	// once. Defaults to 30 s.
	QueueWait time.Duration
	// Policy says which layers of confinement must be active. Defaults to
	// PolicyStandard.
	Policy Policy
	// Logger gets what goes wrong with children. Defaults to none.
	Logger *slog.Logger
}

// A Runner runs programs, each in its own process. Its methods may be called
// concurrently.
type Runner struct {
	cfg  Config
	gate *admit.Gate
	pool *pool

	mu      sync.Mutex
	closed  bool
	done    chan struct{}
	running sync.WaitGroup
}

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("sandbox: runner is closed")

// NewRunner returns a runner and starts its spare children in the background.
func NewRunner(cfg Config) (*Runner, error) {
	if IsChild() {
		return nil, errors.New("sandbox: a child may not start children; call sandbox.ChildMain in an init function")
	}
	cfg.Limits = cfg.Limits.or(DefaultLimits())
	if err := cfg.Limits.check(); err != nil {
		return nil, err
	}
	if cfg.Slots <= 0 {
		cfg.Slots = defaultSlots(runtime.NumCPU(), machineMemory(), cfg.Limits.MemoryBytes)
	}
	if cfg.Spares == 0 {
		cfg.Spares = 2
	}
	if cfg.Queue <= 0 {
		cfg.Queue = 128
	}
	if cfg.QueueWait <= 0 {
		cfg.QueueWait = 30 * time.Second
	}
	if cfg.Policy == "" {
		cfg.Policy = PolicyStandard
	}
	if !cfg.Policy.valid() {
		return nil, fmt.Errorf("sandbox: policy %q, want standard, strict or best-effort", cfg.Policy)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	done := make(chan struct{})
	return &Runner{
		cfg:  cfg,
		gate: admit.New(admit.Config{Slots: cfg.Slots, Queue: cfg.Queue, Wait: cfg.QueueWait, Done: done}),
		pool: newPool(max(cfg.Spares, 0), cfg.Limits, cfg.Logger),
		done: done,
	}, nil
}

// defaultSlots divides a machine; memory 0 means unknown.
func defaultSlots(cores int, memory, each int64) int {
	n := int64(2 * cores)
	if memory > 0 {
		n = min(n, memory/2/planMemory(each).hardRoom)
	}
	return int(max(n, 1))
}

// Run runs p and returns its fate. Zero fields of l take the runner's defaults. c
// may be nil, then host calls fail.
//
// An error means that the fault is ours and that there is no fate to tell: the
// limits make no sense, no child could be started, the runner is closed.
func (r *Runner) Run(ctx context.Context, p Program, l Limits, c Caller) (Outcome, error) {
	l = l.or(r.cfg.Limits)
	if err := l.check(); err != nil {
		return Outcome{}, err
	}
	if e := checkSource(p.Source, l.SourceBytes); e != nil {
		return refused(e), nil
	}
	run, e := encodeRun(p, l)
	if e != nil {
		return refused(e), nil
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return Outcome{}, ErrClosed
	}
	r.running.Add(1)
	r.mu.Unlock()
	defer r.running.Done()

	leave, waited, err := r.gate.Enter(ctx)
	if err != nil {
		out := refused(notAdmitted(err))
		out.Waited = waited
		return out, nil
	}
	defer leave()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	for try := 0; ; try++ {
		child, err := r.pool.take(ctx, l)
		if err != nil {
			if ctx.Err() != nil {
				return refused(&Error{Kind: KindCancelled, Message: "the run was cancelled by its caller"}), nil
			}
			return Outcome{}, err
		}
		if e := r.cfg.Policy.check(child.hello.Layers, child.hello.Missing); e != nil {
			child.end()
			out := refused(e)
			out.Layers = child.hello.Layers
			return out, nil
		}
		child.log = r.cfg.Logger
		s := &session{c: child, p: p, l: l, caller: c}
		out, err := s.run(ctx, run)
		out.Waited = waited
		if errors.Is(err, errNotStarted) && try < 3 {
			r.cfg.Logger.Warn("sandbox: a spare child had died", "error", err)
			continue
		}
		if err == nil && out.Kind == KindHost && out.Error != nil {
			r.cfg.Logger.Warn("sandbox: child failed", "error", out.Error.Message)
		}
		return out, err
	}
}

// notAdmitted says in words for the agent why a run did not begin.
func notAdmitted(err error) *Error {
	var busy *admit.Busy
	switch {
	case errors.As(err, &busy):
		return &Error{Kind: KindBusy, Message: "no room to run the program: " + busy.Error(),
			Hint: fmt.Sprintf("try again in %d s", busy.Seconds()), RetryAfter: busy.Seconds()}
	case errors.Is(err, admit.ErrDone):
		return &Error{Kind: KindCancelled, Message: err.Error()}
	}
	return &Error{Kind: KindCancelled, Message: "the run was cancelled while it waited for room"}
}

// Stats is what a runner does at the moment.
type Stats struct {
	// Slots is how many programs may run at once, Running how many do, Waiting how many
	// wait for a slot. Spares are children that are ready.
	Slots, Running, Waiting, Spares int
	// Refused counts the runs that were refused as busy.
	Refused int64
}

// Stats returns what the runner does at the moment.
func (r *Runner) Stats() Stats {
	g := r.gate.Stats()
	return Stats{Slots: g.Slots, Running: g.Running, Waiting: g.Waiting, Spares: len(r.pool.spares), Refused: g.Refused}
}

// Close ends all children, those that run programs included, and waits for them.
// It may be called twice.
func (r *Runner) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.done)
	}
	r.mu.Unlock()
	r.pool.close()
	r.running.Wait()
	return nil
}

func refused(e *Error) Outcome { return Outcome{Kind: e.Kind, Error: e} }

// encodeRun makes the head of the run frame; the source follows it.
func encodeRun(p Program, l Limits) ([]byte, *Error) {
	m := runMsg{Limits: l, Name: p.Name, ValidateOnly: p.ValidateOnly}
	if m.Name == "" {
		m.Name = "program"
	}
	m.Name = cutUTF8(strings.ToValidUTF8(m.Name, "\uFFFD"), 200)
	if len(p.Context) > 0 {
		b, err := json.Marshal(p.Context)
		if err != nil {
			return nil, &Error{Kind: KindValidation, Message: "the context is not JSON: " + err.Error()}
		}
		if len(b) > maxContext {
			return nil, &Error{Kind: KindValidation, Message: fmt.Sprintf("the context is %s of JSON, at most %s", size(int64(len(b))), size(maxContext)),
				Hint: "pass identifiers, and let the program fetch what it needs"}
		}
		if err := checkJSON(b); err != nil {
			return nil, &Error{Kind: KindValidation, Message: "the context: " + err.Error()}
		}
		m.Context = b
	}
	b, err := encodeHeaded(m)
	if err != nil {
		return nil, &Error{Kind: KindValidation, Message: err.Error()}
	}
	return b, nil
}

// checkSource looks at bytes only: the source is not parsed in this process.
func checkSource(src string, limit int64) *Error {
	refuse := func(at int, msg, hint string) *Error {
		e := &Error{Kind: KindValidation, Message: msg, Hint: hint}
		if at >= 0 {
			before := src[:at]
			e.Line = strings.Count(before, "\n") + 1
			e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		}
		return e
	}
	if int64(len(src)) > limit {
		return refuse(-1, fmt.Sprintf("the program is %s long, at most %s", size(int64(len(src))), size(limit)),
			"pass data in context instead of writing it into the code")
	}
	if i := strings.IndexByte(src, 0); i >= 0 {
		return refuse(i, "the program contains a NUL byte", "remove it; in a string write \\x00")
	}
	if !utf8.ValidString(src) {
		i := 0
		for i < len(src) {
			r, n := utf8.DecodeRuneInString(src[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return refuse(i, "the program is not valid UTF-8", "send it encoded as UTF-8")
	}
	for i, r := range src {
		if r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 {
			return refuse(i, fmt.Sprintf("the program contains the invisible character U+%04X, which changes the direction of text", r),
				fmt.Sprintf("remove it; in a string write \\u%04x", r))
		}
	}
	return nil
}
