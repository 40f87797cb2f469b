package guest

import (
	"math"
	"math/big"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
)

// Given reports whether argument i was given and is not None.
func (a *Args) Given(i int) bool { return a.V[i] != nil && a.V[i] != starlark.None }

// Or returns argument i, or None when it was not given.
func (a *Args) Or(i int) starlark.Value {
	if a.V[i] == nil {
		return starlark.None
	}
	return a.V[i]
}

// Name is the name of parameter i.
func (a *Args) Name(i int) string { return a.Fn.Fixed()[i].Name }

// WrongType is the error for argument i when it is not a want.
func (a *Args) WrongType(i int, want string) error {
	return pylang.Raise("TypeError", "%s must be %s, got %s", a.Name(i), want, Describe(a.V[i]))
}

// Str returns argument i, which must be a string; def when it was not given or
// is None.
func (a *Args) Str(i int, def string) (string, error) {
	if !a.Given(i) {
		if a.V[i] == starlark.None && a.Fn.Fixed()[i].Default == "" {
			return "", a.WrongType(i, "a string")
		}
		return def, nil
	}
	if s, ok := a.V[i].(starlark.String); ok {
		return string(s), nil
	}
	return "", a.WrongType(i, "a string")
}

// Int returns argument i, an int within lo..hi; def when it was not given or is
// None. A bool is not an int here: top_k=True is a slip.
func (a *Args) Int(i int, def, lo, hi int) (int, error) {
	if !a.Given(i) {
		return def, nil
	}
	v, ok := a.V[i].(starlark.Int)
	if !ok {
		if f, isFloat := a.V[i].(starlark.Float); !isFloat || float64(f) != math.Trunc(float64(f)) || math.Abs(float64(f)) > 1<<53 {
			return 0, a.WrongType(i, "an int")
		} else {
			v = starlark.MakeInt64(int64(f))
		}
	}
	n, ok := v.Int64()
	if !ok || n < int64(lo) || n > int64(hi) {
		return 0, pylang.Raise("ValueError", "%s must be %d..%d, got %s", a.Name(i), lo, hi, shortInt(v))
	}
	return int(n), nil
}

// Float returns argument i, a finite number within lo..hi; def when it was not
// given or is None.
func (a *Args) Float(i int, def, lo, hi float64) (float64, error) {
	if !a.Given(i) {
		return def, nil
	}
	f, ok := AsFloat(a.V[i])
	if !ok {
		return 0, a.WrongType(i, "a number")
	}
	if !(f >= lo && f <= hi) {
		return 0, pylang.Raise("ValueError", "%s must be %s..%s, got %s", a.Name(i), FormatNumber(lo), FormatNumber(hi), FormatFloat(f))
	}
	return f, nil
}

// Bool returns the truth of argument i; def when it was not given or is None.
func (a *Args) Bool(i int, def bool) bool {
	if !a.Given(i) {
		return def
	}
	return Truth(a.V[i])
}

// Index returns argument i as Python's operator.index sees it: an int or a bool,
// within the range of an int; def when it was not given.
func (a *Args) Index(i int, def int) (int, error) {
	if a.V[i] == nil {
		return def, nil
	}
	n, ok := AsInt(a.V[i])
	if !ok {
		return 0, pylang.Raise("TypeError", "'%s' object cannot be interpreted as an integer", TypeName(a.V[i]))
	}
	v, ok := n.Int64()
	if !ok || int64(int(v)) != v {
		return 0, pylang.Raise("OverflowError", "Python int too large to convert to C ssize_t")
	}
	return int(v), nil
}

// AsFloat converts an int, float or bool; false for anything else and for ints
// beyond the range of floats.
func AsFloat(v starlark.Value) (float64, bool) {
	switch v := v.(type) {
	case starlark.Float:
		return float64(v), true
	case starlark.Int:
		return IntToFloat(v)
	case starlark.Bool:
		if v {
			return 1, true
		}
		return 0, true
	case underlying:
		if u := v.Underlying(); u != nil {
			return AsFloat(u)
		}
	}
	return 0, false
}

// underlying is implemented by instances of classes that derive from a built-in type.
type underlying interface{ Underlying() starlark.Value }

// IntToFloat converts to the nearest float, half to even, as Python does; false
// beyond the range of floats.
func IntToFloat(v starlark.Int) (float64, bool) {
	if n, ok := v.Int64(); ok {
		return float64(n), true
	}
	f, _ := new(big.Float).SetInt(v.BigInt()).Float64()
	return f, !math.IsInf(f, 0)
}

// AsInt converts an int or bool.
func AsInt(v starlark.Value) (starlark.Int, bool) {
	switch v := v.(type) {
	case starlark.Int:
		return v, true
	case starlark.Bool:
		if v {
			return starlark.MakeInt(1), true
		}
		return starlark.MakeInt(0), true
	case underlying:
		if u := v.Underlying(); u != nil {
			return AsInt(u)
		}
	}
	return starlark.Int{}, false
}

func shortInt(v starlark.Int) string {
	if b := v.BigInt(); b.BitLen() > 200 {
		return "an int of " + starlark.MakeInt(b.BitLen()).String() + " bits"
	}
	return v.String()
}
