package sandbox

import (
	"context"
	"encoding/json"
	"time"
)

// A Program is what an agent sent.
type Program struct {
	// Source is the program's text.
	Source string
	// Name stands for the file name in messages. Defaults to "program".
	Name string
	// Context holds the variables that the caller gives to the program, as JSON
	// values. The engine in the child gets each as a json.RawMessage; a value that
	// is given as a json.RawMessage keeps the order of its keys.
	Context map[string]any
	// ValidateOnly asks for a report of problems and of the host calls that the
	// program may make. Nothing is run.
	ValidateOnly bool
	// Output, when set, gets each printed line while the program runs, without
	// its newline, in order and all before Run returns. It is called from one
	// goroutine and holds up the program while it works, so it must not block.
	Output func(line string) `json:"-"`
}

// A Caller answers the requests of a program. It runs in the parent.
//
// Call may be called concurrently. Its arguments come from a hostile program: a
// Caller checks them as if they came from the network. The context ends with the
// program. An error that is (or wraps) an [*Error] keeps its kind, message and
// hint on the way to the program; of other errors the text travels.
type Caller interface {
	Call(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error)
}

// A CallerFunc is a function used as a [Caller].
type CallerFunc func(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error)

// Call calls f.
func (f CallerFunc) Call(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error) {
	return f(ctx, method, args)
}

// Kind says how a run ended. The set is closed.
type Kind string

// The ways a run can end.
const (
	KindOK         Kind = "ok"         // the program ran to its end
	KindValidation Kind = "validation" // refused before the run: source or arguments
	KindSyntax     Kind = "syntax"     // the source is not a program
	KindRuntime    Kind = "runtime"    // the program raised an error that it did not catch
	KindTimeout    Kind = "timeout"    // wall time or CPU time used up
	KindMemory     Kind = "memory"     // memory limit reached
	KindSteps      Kind = "steps"      // step limit reached
	KindOutput     Kind = "output"     // printed, or tried to return, more than allowed
	KindCalls      Kind = "calls"      // more host calls than allowed
	KindPolicy     Kind = "policy"     // confinement is weaker than the policy demands
	KindBusy       Kind = "busy"       // no room to run it now; try again
	KindCancelled  Kind = "cancelled"  // the caller gave up
	KindHost       Kind = "host"       // the fault is ours: the child broke or lied
)

// Kinds lists the closed set, in the order of their declaration.
func Kinds() []Kind {
	return []Kind{KindOK, KindValidation, KindSyntax, KindRuntime, KindTimeout, KindMemory, KindSteps,
		KindOutput, KindCalls, KindPolicy, KindBusy, KindCancelled, KindHost}
}

// Valid reports whether k belongs to the closed set.
func (k Kind) Valid() bool {
	for _, x := range Kinds() {
		if k == x {
			return true
		}
	}
	return false
}

// An Error says what ended a run, in words for the agent. Line and Column count
// from 1, in the agent's own source; 0 means unknown.
type Error struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// RetryAfter is set with KindBusy: after how many seconds there is probably room.
	RetryAfter int `json:"retry_after,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Usage says what a run consumed.
type Usage struct {
	// Steps of the interpreter, as the child counted them.
	Steps int64 `json:"steps"`
	// CPU is user and system time of the child, its start included.
	CPU time.Duration `json:"cpu_ns"`
	// MemoryBytes is the peak resident memory of the child, its own code
	// included. 0 where the platform does not tell.
	MemoryBytes int64 `json:"memory_bytes"`
	// HostCalls that the program made.
	HostCalls int `json:"host_calls"`
	// BytesOut is what the child sent: output, host-call arguments, result.
	BytesOut int64 `json:"bytes_out"`
}

// An Outcome is a program's fate.
type Outcome struct {
	Kind Kind
	// Result is the program's answer as JSON; nil unless Kind is ok.
	Result json.RawMessage
	// Output is what was printed, up to Limits.OutputBytes, however the run ended.
	Output string
	// Error is nil when Kind is ok.
	Error *Error
	// Truncated says that output or result were cut.
	Truncated bool
	// Waited is how long the run waited for room before it began, or was refused.
	Waited time.Duration
	// Duration is wall time from the child getting the program to the outcome;
	// waiting for a free child is not counted.
	Duration time.Duration
	Usage    Usage
	// Layers of confinement that were active in the child.
	Layers []string
	// Report is the engine's answer to ValidateOnly.
	Report json.RawMessage
}
