package pylang

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The texts of go.starlark.net and their meaning in Python.

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

func pyType(t string) string {
	if t == "string" {
		return "str"
	}
	return t
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
		return rt.takes(plainName(g[1]), g[3], g[2] != "", n)
	}
	if g := m(reMissing); g != nil {
		return rt.missingArgs(g[1], strings.Split(g[2], ", "))
	}
	if g := m(reUnexpected); g != nil {
		return rt.unexpectedKeyword(plainName(g[1]), strings.Trim(g[2], `"`))
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
	case "bytes":
		return "index out of range"
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
	case "bytes":
		seq = "byte"
	}
	return Raise("TypeError", "%s indices must be integers or slices, not %s", seq, key)
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// unexpectedKeyword is the error of a keyword that names no parameter, or one that is
// given by position only.
func (rt *runtime) unexpectedKeyword(fn, name string) *Exception {
	if rt.posOnly[fn+"."+name] {
		return Raise("TypeError", "%s() got some positional-only arguments passed as keyword arguments: '%s'", fn, name)
	}
	return Raise("TypeError", "%s() got an unexpected keyword argument '%s'", fn, name)
}

func (rt *runtime) takes(name, want string, optional bool, given int) *Exception {
	plural := "s"
	if want == "1" && !optional {
		plural = ""
	}
	if optional {
		return Raise("TypeError", "%s() takes from %d to %s positional arguments but %d %s given", name, rt.required[name], want, given, was(given))
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
	return (*runtime)(nil).takes(name, fmt.Sprint(pos), false, given)
}

// missingArgs names the positional parameters first, as CPython does, and those
// that are keyword-only when these are all there.
func (rt *runtime) missingArgs(fn string, names []string) *Exception {
	fn = plainName(fn)
	kind := "keyword-only"
	var byName, byPlace []string
	for _, n := range names {
		if n = strings.TrimSuffix(n, mark); rt.kwOnly[fn+"."+n] {
			byName = append(byName, "'"+n+"'")
		} else {
			byPlace = append(byPlace, "'"+n+"'")
		}
	}
	names = byName
	if byPlace != nil {
		kind, names = "positional", byPlace
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
	return Raise("TypeError", "%s() missing %d required %s argument%s: %s", fn, len(names), kind, s, list)
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
