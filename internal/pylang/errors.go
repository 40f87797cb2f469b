package pylang

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
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

func pyType(t string) string {
	if t == "string" {
		return "str"
	}
	return t
}

var (
	reUnset      = regexp.MustCompile(`^local variable (.+) referenced before assignment$`)
	reUnsetG     = regexp.MustCompile(`^global variable (.+) referenced before assignment$`)
	reNoAttr     = regexp.MustCompile(`^(.+) has no \.(\w+) field or method(?: \(did you mean \.(\w+)\?\))?$`)
	reSetAttr    = regexp.MustCompile(`^can't assign to \.(\w+) field of (.+)$`)
	reBinary     = regexp.MustCompile(`^unknown binary op: (.+) (\S+) (.+)$`)
	reUnary      = regexp.MustCompile(`^unknown unary op: (\S+) (.+)$`)
	reCompare    = regexp.MustCompile(`^(.+) (<|<=|>|>=) (.+) not implemented$`)
	reRange      = regexp.MustCompile(`^(\S+) index (\S+) out of range`)
	reRangeEmpty = regexp.MustCompile(`^index (\S+) out of range: empty (\S+)$`)
	reKey        = regexp.MustCompile(`(?s)^key (.*) not in dict$`)
	reUnhashable = regexp.MustCompile(`^unhashable(?: type)?: (.+)$`)
	reBigIndex   = regexp.MustCompile(`^(\S+) index: (-?\d+) out of range`)
	reGotWant    = regexp.MustCompile(`^got (\S+), want int$`)
	reBareRange  = regexp.MustCompile(`^-?\d+ out of range`)
	reIndexType  = regexp.MustCompile(`^(\S+) index: got (\S+), want int$`)
	reNoIndex    = regexp.MustCompile(`^unhandled index operation (.+)\[(.+)\]$`)
	reSetItem    = regexp.MustCompile(`^(.+) value does not support item assignment$`)
	reIter       = regexp.MustCompile(`^(.+) value is not iterable$`)
	reUnpackT    = regexp.MustCompile(`^got (.+) in sequence assignment$`)
	reMany       = regexp.MustCompile(`^too many values to unpack \(got \S+, want (\d+)\)$`)
	reFew        = regexp.MustCompile(`^too few values to unpack \(got (\d+), want (\d+)\)$`)
	reNoCall     = regexp.MustCompile(`^invalid call of non-function \((.+)\)$`)
	reNoArgs     = regexp.MustCompile(`^function (.+) accepts no arguments \((\d+) given\)$`)
	rePosArgs    = regexp.MustCompile(`^function (.+) accepts (at most )?(\d+) positional arguments? \((\d+) given\)$`)
	reMissing    = regexp.MustCompile(`^function (.+) missing \d+ arguments? \((.+)\)$`)
	reUnexpected = regexp.MustCompile(`^function (.+) got an unexpected keyword argument (.+)$`)
	reMultiple   = regexp.MustCompile(`^function (.+) got multiple values for parameter "?(.+?)"?$`)
	reStarArg    = regexp.MustCompile(`^argument after (\*+) must be (?:iterable|a mapping), not (.+)$`)
	reSliceX     = regexp.MustCompile(`^invalid slice operand (.+)$`)
)

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

// translate finds Python's words for an error of Starlark.
func (rt *runtime) translate(msg string) *Exception {
	m := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(msg) }
	switch msg {
	case "floored division by zero":
		return Raise("ZeroDivisionError", "integer division or modulo by zero")
	case "integer modulo by zero":
		return Raise("ZeroDivisionError", "integer modulo by zero")
	case "floating-point division by zero":
		return Raise("ZeroDivisionError", "float division by zero")
	case "floating-point modulo by zero":
		return Raise("ZeroDivisionError", "float modulo")
	}
	if strings.HasPrefix(msg, "int too large to convert to float") {
		return Raise("OverflowError", "int too large to convert to float")
	}
	if g := m(reUnset); g != nil {
		name := plainName(g[1])
		return unboundLocal(name)
	}
	if g := m(reUnsetG); g != nil {
		return Raise("NameError", "name '%s' is not defined", plainName(g[1]))
	}
	if g := m(reNoAttr); g != nil {
		e := Raise("AttributeError", "'%s' object has no attribute '%s'", pyType(g[1]), g[2])
		if g[3] != "" {
			e.Hint = "did you mean ." + g[3] + "?"
		} else if h := attrHint(pyType(g[1]), g[2]); h != "" {
			e.Hint = h
		}
		return e
	}
	if g := m(reSetAttr); g != nil {
		e := Raise("AttributeError", "'%s' object has no attribute '%s'", pyType(g[2]), g[1])
		if g[2] == "function" {
			e.Hint = "keep the value in a variable or a class"
		}
		return e
	}
	if g := m(reBinary); g != nil {
		if g[2] == "in" {
			return Raise("TypeError", "argument of type '%s' is not iterable", pyType(g[3]))
		}
		x, y := pyType(g[1]), pyType(g[3])
		switch {
		case g[2] == "+" && x == "str":
			e := Raise("TypeError", "can only concatenate str (not %q) to str", y)
			e.Hint = "convert with str(...) or use an f-string"
			return e
		case g[2] == "+" && (x == "list" || x == "tuple"):
			return Raise("TypeError", "can only concatenate %s (not %q) to %s", x, y, x)
		case g[2] == "*" && (x == "str" || x == "list" || x == "tuple"):
			return Raise("TypeError", "can't multiply sequence by non-int of type '%s'", y)
		}
		return Raise("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", g[2], x, y)
	}
	if g := m(reUnary); g != nil {
		return Raise("TypeError", "bad operand type for unary %s: '%s'", g[1], pyType(g[2]))
	}
	if g := m(reCompare); g != nil {
		return Raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", g[2], pyType(g[1]), pyType(g[3]))
	}
	if g := m(reRange); g != nil {
		return Raise("IndexError", "%s", rangeMessage(g[1]))
	}
	if g := m(reRangeEmpty); g != nil {
		return Raise("IndexError", "%s", rangeMessage(g[2]))
	}
	if g := m(reKey); g != nil {
		return newKeyError(parseKey(g[1]))
	}
	if g := m(reUnhashable); g != nil {
		return Raise("TypeError", "unhashable type: '%s'", pyType(g[1]))
	}
	if strings.HasPrefix(msg, "'in <string>' requires string as left operand") {
		return Raise("TypeError", "%s", msg)
	}
	if g := m(reBigIndex); g != nil {
		if _, err := strconv.ParseInt(g[2], 10, 64); err == nil || pyType(g[1]) == "range" {
			return Raise("IndexError", "%s", rangeMessage(g[1]))
		}
		return Raise("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	if g := m(reGotWant); g != nil {
		return indexTypeError("list", pyType(g[1]))
	}
	if g := m(reBareRange); g != nil {
		return Raise("IndexError", "list assignment index out of range")
	}
	if g := m(reIndexType); g != nil {
		return indexTypeError(pyType(g[1]), pyType(g[2]))
	}
	if g := m(reNoIndex); g != nil {
		return Raise("TypeError", "'%s' object is not subscriptable", pyType(g[1]))
	}
	if g := m(reSetItem); g != nil {
		return Raise("TypeError", "'%s' object does not support item assignment", pyType(g[1]))
	}
	if g := m(reIter); g != nil {
		return Raise("TypeError", "'%s' object is not iterable", pyType(g[1]))
	}
	if g := m(reUnpackT); g != nil {
		return Raise("TypeError", "cannot unpack non-iterable %s object", pyType(g[1]))
	}
	if g := m(reMany); g != nil {
		return Raise("ValueError", "too many values to unpack (expected %s)", g[1])
	}
	if g := m(reFew); g != nil {
		return Raise("ValueError", "not enough values to unpack (expected %s, got %s)", g[2], g[1])
	}
	if g := m(reNoCall); g != nil {
		return Raise("TypeError", "'%s' object is not callable", pyType(g[1]))
	}
	if g := m(reNoArgs); g != nil {
		n, _ := strconv.Atoi(g[2])
		return Raise("TypeError", "%s() takes 0 positional arguments but %d %s given", plainName(g[1]), n, was(n))
	}
	if g := m(rePosArgs); g != nil {
		n, _ := strconv.Atoi(g[4])
		return takes(plainName(g[1]), g[3], g[2] != "", n)
	}
	if g := m(reMissing); g != nil {
		return missingArgs(g[1], strings.Split(g[2], ", "))
	}
	if g := m(reUnexpected); g != nil {
		return Raise("TypeError", "%s() got an unexpected keyword argument '%s'", plainName(g[1]), strings.Trim(g[2], `"`))
	}
	if g := m(reMultiple); g != nil {
		return Raise("TypeError", "%s() got multiple values for argument '%s'", plainName(g[1]), g[2])
	}
	if g := m(reStarArg); g != nil {
		return Raise("TypeError", "argument after %s must be an iterable, not %s", g[1], pyType(g[2]))
	}
	if g := m(reSliceX); g != nil {
		return Raise("TypeError", "'%s' object is not subscriptable", pyType(g[1]))
	}
	return Raise("RuntimeError", "%s", msg)
}

func rangeMessage(t string) string {
	switch pyType(t) {
	case "str":
		return "string index out of range"
	case "range":
		return "range object index out of range"
	}
	return pyType(t) + " index out of range"
}

func indexTypeError(seq, key string) *Exception {
	switch seq {
	case "str":
		return Raise("TypeError", "string indices must be integers, not '%s'", key)
	case "list", "tuple":
		e := Raise("TypeError", "%s indices must be integers or slices, not %s", seq, key)
		if key == "str" {
			e.Hint = "this is a " + seq + ": loop over it, or take one element first"
		}
		return e
	}
	return Raise("TypeError", "%s indices must be integers or slices, not %s", seq, key)
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func takes(name, want string, optional bool, given int) *Exception {
	plural := "s"
	if want == "1" && !optional {
		plural = ""
	}
	if optional {
		return Raise("TypeError", "%s() takes from 0 to %s positional arguments but %d %s given", name, want, given, was(given))
	}
	return Raise("TypeError", "%s() takes %s positional argument%s but %d %s given", name, want, plural, given, was(given))
}

// callError words a call with too many positional arguments.
func callError(fn *starlark.Function, pos, given int) error {
	required := 0
	for i := 0; i < pos; i++ {
		if fn.ParamDefault(i) == nil {
			required++
		}
	}
	name := plainName(fn.Name())
	if required < pos {
		return Raise("TypeError", "%s() takes from %d to %d positional arguments but %d %s given", name, required, pos, given, was(given))
	}
	return takes(name, fmt.Sprint(pos), false, given)
}

func missingArgs(fn string, names []string) *Exception {
	for i, n := range names {
		names[i] = "'" + n + "'"
	}
	list := names[0]
	switch n := len(names); {
	case n == 2:
		list = names[0] + " and " + names[1]
	case n > 2:
		list = strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
	s := "s"
	if len(names) == 1 {
		s = ""
	}
	return Raise("TypeError", "%s() missing %d required positional argument%s: %s", plainName(fn), len(names), s, list)
}

// parseKey reads a key back from the text of a Starlark error.
func parseKey(s string) starlark.Value {
	if strings.HasPrefix(s, `"`) {
		opts := syntax.FileOptions{}
		if e, err := opts.ParseExpr("key", s, 0); err == nil {
			if l, ok := e.(*syntax.Literal); ok {
				if str, ok := l.Value.(string); ok {
					return starlark.String(str)
				}
			}
		}
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return starlark.MakeInt64(i)
	}
	if i, ok := new(big.Int).SetString(s, 10); ok {
		return starlark.MakeBigInt(i)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return starlark.Float(f)
	}
	switch s {
	case "None":
		return starlark.None
	case "True":
		return starlark.True
	case "False":
		return starlark.False
	}
	return rawRepr(s)
}

// rawRepr is a value of which only the text is left.
type rawRepr string

func (r rawRepr) String() string        { return string(r) }
func (r rawRepr) Type() string          { return "str" }
func (r rawRepr) Freeze()               {}
func (r rawRepr) Truth() starlark.Bool  { return true }
func (r rawRepr) Hash() (uint32, error) { return starlark.String(r).Hash() }

// attrHint suggests the right spelling of methods known from other languages.
func attrHint(typ, name string) string {
	other := map[string]string{
		"list.push": "append", "list.add": "append", "list.length": "len(x)", "list.size": "len(x)", "list.map": "[f(x) for x in xs]", "list.filter": "[x for x in xs if ...]",
		"list.join": "sep.join(xs)", "str.length": "len(x)", "str.contains": "part in text", "str.trim": "strip", "str.toUpperCase": "upper", "str.toLowerCase": "lower",
		"dict.has_key": "key in d", "dict.iteritems": "items", "dict.length": "len(x)", "list.get": "x[i] if i < len(x) else default", "list.keys": "this is a list, not a dict", "list.items": "this is a list, not a dict",
	}
	if h := other[typ+"."+name]; h != "" {
		return "use " + h
	}
	if tbl := methodTables()[typ]; tbl != nil {
		var names []string
		for n := range tbl {
			names = append(names, n)
		}
		if n := nearest(name, names); n != "" {
			return "did you mean ." + n + "?"
		}
	}
	return ""
}
