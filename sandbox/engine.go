package sandbox

import (
	"context"
	"encoding/json"
	"errors"
)

// An Engine runs one program inside the child. It is called once.
//
// The context is done when the run must end: a limit was reached, or the parent
// cancelled. [Stopped] then gives the reason. The engine ends the program as fast
// as it can, without running any more of the agent's code (no except, no
// finally), and returns; what it returns after that is replaced by the reason, so
// a program cannot catch a resource error. An engine that does not return within
// a quarter of a second is left behind: the process ends without it.
//
// An engine counts its own steps. It should call [Meter.Steps] of its Host about
// every 10,000 steps and stop when that returns an error.
type Engine func(ctx context.Context, p Program, l Limits, h Host) EngineResult

// An EngineResult is what an Engine found out.
type EngineResult struct {
	// Result is the program's answer as JSON, at most Limits.ResultBytes long.
	Result json.RawMessage
	// Error is nil when the program ran to its end. Its Kind is validation,
	// syntax, runtime, or one of the limits that the engine itself checks (steps,
	// output).
	Error *Error
	// Steps the interpreter made.
	Steps int64
	// Truncated says that Result was cut to fit.
	Truncated bool
	// Report answers Program.ValidateOnly.
	Report json.RawMessage
}

// A Host is the program's way to the outside. It lives in the child; its methods
// may be called concurrently.
type Host interface {
	// Call asks the parent and waits for the answer. Errors of the host are
	// [*Error] and may be shown to (and caught by) the program. When the run
	// must end, Call returns the error of [Stopped].
	Call(method string, args json.RawMessage) (json.RawMessage, error)
	// Start asks the parent and returns at once; wait returns the answer and may
	// be called any number of times.
	Start(method string, args json.RawMessage) (wait func() (json.RawMessage, error))
	// Print sends text to the caller. It is there when Print returns: a program
	// that dies afterwards has still printed it. A line ends with "\n".
	Print(s string)
}

// A Meter is what the Host given to an Engine by [ChildMain] implements besides
// Host.
type Meter interface {
	// Steps records the number of steps made so far. An error means that the run
	// must end; it is the error of [Stopped].
	Steps(total int64) error
}

// Stopped returns the reason why the run must end, nil if it need not. Its kind
// is timeout, memory, steps, output, calls or cancelled.
func Stopped(ctx context.Context) *Error {
	cause := context.Cause(ctx)
	if cause == nil {
		return nil
	}
	var e *Error
	if errors.As(cause, &e) {
		return e
	}
	return &Error{Kind: KindCancelled, Message: "the run was cancelled"}
}
