package pylang

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Frame is one level of the agent's own call stack.
type Frame struct {
	Name         string
	Line, Column int
}

// Exception is a Python exception on its way up. Modules raise one with
// Raise(class, ...); except clauses see it as an instance of that class.
type Exception struct {
	// Class is the Python name: "ValueError", or that of the program's own class.
	Class string
	// Message is str(e).
	Message string
	// Line and Column are where in the agent's text it was raised; zero when
	// unknown. Stack is innermost last.
	Line, Column int
	Stack        []Frame
	// Hint says what works instead, or is empty.
	Hint string
	// Attrs are attributes of the exception as the program sees it, if any.
	Attrs starlark.StringDict

	value *Instance
	cause error
	// caught is one more than how many of the frames are outside the try statement
	// that caught it first.
	caught int
}

func (e *Exception) Error() string {
	if e.Message == "" {
		return e.Class
	}
	return e.Class + ": " + e.Message
}

// Unwrap returns the error that was turned into this exception, if any.
func (e *Exception) Unwrap() error { return e.cause }

// Raise makes an exception of the named Python class, for modules to return.
func Raise(class, format string, args ...any) *Exception {
	return &Exception{Class: class, Message: fmt.Sprintf(format, args...)}
}

// Fatal ends a program that has met a limit. No except clause and no finally
// sees it. Kind is "memory", "recursion", "steps" or "cancelled".
type Fatal struct {
	Kind, Message string
	Line, Column  int
	Stack         []Frame
}

func (f *Fatal) Error() string { return f.Kind + ": " + f.Message }

var _ starlark.Value = (*Instance)(nil)
