package pylang

import (
	"errors"
	"strings"

	"go.starlark.net/starlark"
)

// Errors of Starlark itself arrive as text. This file gives them the class and
// the words that Python has for them, and finds the agent's place.

// toException turns any error into an exception, or into a Fatal that nothing
// catches.
func (rt *runtime) toException(err error) (*Exception, *Fatal) {
	var ev *starlark.EvalError
	hasStack := errors.As(err, &ev)
	var fatal *Fatal
	if errors.As(err, &fatal) {
		if hasStack && fatal.Line == 0 {
			fatal.Stack, fatal.Line, fatal.Column = rt.place(ev.CallStack)
		}
		return nil, fatal
	}
	if errors.Is(err, errClosed) {
		return nil, &Fatal{Kind: "cancelled", Message: errClosed.Error()}
	}
	var exc *Exception
	if errors.As(err, &exc) {
		if hasStack && exc.Line == 0 {
			exc.Stack, exc.Line, exc.Column = rt.place(ev.CallStack)
			rt.freeVariable(exc)
		}
		return exc, nil
	}
	msg := err.Error()
	if hasStack {
		msg = ev.Msg
	}
	if f := fatalMessage(msg); f != nil {
		if hasStack {
			f.Stack, f.Line, f.Column = rt.place(ev.CallStack)
		}
		return nil, f
	}
	e := rt.translate(msg)
	e.cause = err
	if hasStack {
		e.Stack, e.Line, e.Column = rt.place(ev.CallStack)
		rt.freeVariable(e)
		at := syntaxPos{int32(e.Line), int32(e.Column)}
		if op, ok := strings.CutPrefix(e.Message, "unsupported operand type(s) for "); ok && rt.augs[at] {
			e.Message = "unsupported operand type(s) for " + strings.Replace(op, ":", "=:", 1)
		}
		if e.Message == "list index out of range" && rt.stores[at] {
			e.Message = "list assignment index out of range"
			e.value = nil
		}
	}
	return e, nil
}

func fatalMessage(msg string) *Fatal {
	const cancelled = "Starlark computation cancelled: "
	if rest, ok := strings.CutPrefix(msg, cancelled); ok {
		kind := "cancelled"
		for _, k := range []string{"memory", "recursion", "steps"} {
			if strings.HasPrefix(rest, k+": ") {
				return &Fatal{Kind: k, Message: strings.TrimPrefix(rest, k+": ")}
			}
		}
		rest = strings.TrimPrefix(rest, cancelled)
		if strings.Contains(rest, "too many steps") {
			kind = "steps"
		}
		return &Fatal{Kind: kind, Message: rest}
	}
	if msg == "Starlark stack overflow" {
		return &Fatal{Kind: "recursion", Message: "calls are nested too deeply"}
	}
	if strings.HasPrefix(msg, "excessive repeat") || strings.HasPrefix(msg, "repeat count") {
		return &Fatal{Kind: "memory", Message: msg}
	}
	return nil
}

// place gives the agent's frames, innermost last, and the innermost position.
func (rt *runtime) place(cs starlark.CallStack) ([]Frame, int, int) {
	var out []Frame
	for _, fr := range cs {
		if fr.Pos.Filename() != sourceName || fr.Pos.Line == 0 {
			continue
		}
		name := fr.Name
		if i := strings.Index(name, mark); i >= 0 {
			name = name[:i]
		}
		name = shortName(name)
		f := Frame{Name: name, Line: int(fr.Pos.Line), Column: int(fr.Pos.Col)}
		if name == "" && len(out) > 0 { // a try body belongs to its function
			f.Name = out[len(out)-1].Name
			out[len(out)-1] = f
			continue
		}
		if name == "<toplevel>" || name == "" {
			f.Name = "<module>"
		}
		out = append(out, f)
	}
	if n := len(out); n > 0 {
		return out, out[n-1].Line, out[n-1].Column
	}
	return nil, 0, 0
}

// final prepares the error that Run returns.
func (rt *runtime) final(err error) error {
	e, fatal := rt.toException(err)
	if fatal != nil {
		return fatal
	}
	if e.value != nil {
		if s, err := rt.str(e.value); err == nil {
			e.Message = s
		}
	}
	return e
}

func unboundLocal(name string) *Exception {
	return Raise("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value", name)
}

// freeVariable gives the error its other name where the variable belongs to an
// outer function.
func (rt *runtime) freeVariable(e *Exception) {
	if e.Class == "UnboundLocalError" && e.value == nil && rt.frees[syntaxPos{int32(e.Line), int32(e.Column)}] {
		e.Class = "NameError"
		e.Message = strings.Replace(e.Message, "access local variable", "access free variable", 1) + " in enclosing scope"
	}
}

// shortName is the last part of a qualified name.
func shortName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// plainName removes our marks from a function's name.
func plainName(name string) string {
	if i := strings.Index(name, mark); i >= 0 {
		name = name[:i]
	}
	if name == "lambda" {
		return "<lambda>"
	}
	return name
}

func (r rawRepr) String() string { return string(r) }

func (r rawRepr) Type() string { return "str" }

func (r rawRepr) Freeze() {}

func (r rawRepr) Truth() starlark.Bool { return true }

func (r rawRepr) Hash() (uint32, error) { return starlark.String(r).Hash() }
