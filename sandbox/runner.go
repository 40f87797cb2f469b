package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Config configures a [Runner]. The zero value is ready to use.
type Config struct {
	// Limits of a run that does not say otherwise. Zero fields take
	// [DefaultLimits].
	Limits Limits
	// Slots is the number of programs that may run at once. Defaults to twice the
	// number of cores, less where memory is short.
	Slots int
	// Spares is the number of children kept ready. Defaults to 2.
	Spares int
	// Queue is the number of runs that may wait for a slot; one more is refused
	// as busy. Defaults to 128.
	Queue int
	// QueueWait is how long a run waits for a slot before it is refused as busy.
	// Defaults to 30 s.
	QueueWait time.Duration
	// Policy says which layers of confinement must be active. Defaults to
	// PolicyStandard.
	Policy Policy
	// Logger gets what goes wrong with children. Defaults to none.
	Logger *slog.Logger
}

// A Runner runs programs, each in its own process. Its methods may be called
// concurrently.
type Runner struct{ cfg Config }

// NewRunner returns a runner and starts its spare children in the background.
func NewRunner(cfg Config) (*Runner, error) { return &Runner{cfg: cfg}, nil }

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("sandbox: runner is closed")

// Run runs p and returns its fate. An error means that the fault is ours and that
// there is no fate to tell.
func (r *Runner) Run(ctx context.Context, p Program, l Limits, c Caller) (Outcome, error) {
	return Outcome{}, errors.New("sandbox: not built yet")
}

// Close ends all children, those that run programs included. It may be called
// twice.
func (r *Runner) Close() error { return nil }

// IsChild reports whether this process was started to run one program.
func IsChild() bool { return false }

// ChildMain runs one program and ends the process. See the package comment.
func ChildMain(e Engine) {}
