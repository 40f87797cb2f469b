package stdlib

import (
	"math/big"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// maxBits bounds the integers that one call may make.
const maxBits = 1 << 22

func raise(class, format string, args ...any) error { return pylang.Raise(class, format, args...) }

// number is v as a float, for functions of real numbers.
func number(v starlark.Value) (float64, error) {
	f, ok := guest.AsFloat(v)
	if ok {
		return f, nil
	}
	if _, isInt := v.(starlark.Int); isInt {
		return 0, raise("OverflowError", "int too large to convert to float")
	}
	return 0, raise("TypeError", "must be real number, not %s", guest.TypeName(v))
}

// integer is v as an int, for functions of integers.
func integer(v starlark.Value) (*big.Int, error) {
	n, ok := guest.AsInt(v)
	if !ok {
		return nil, raise("TypeError", "'%s' object cannot be interpreted as an integer", guest.TypeName(v))
	}
	return n.BigInt(), nil
}

func isNumber(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float, starlark.Bool:
		return true
	}
	return false
}

func float(f float64) starlark.Value { return starlark.Float(f) }

func bigInt(n *big.Int) starlark.Value { return starlark.MakeBigInt(n) }

func text(s string) starlark.Value { return starlark.String(s) }

func list(elems []starlark.Value) starlark.Value { return starlark.NewList(elems) }

// str is argument i as a string, with Python's own words when it is none.
func str(a *guest.Args, i int) (string, error) {
	if s, ok := pylang.Underlying(a.V[i]).(starlark.String); ok {
		return string(s), nil
	}
	return "", raise("TypeError", "%s must be str, not %s", a.Name(i), guest.TypeName(a.V[i]))
}

// data is argument i as bytes.
func data(a *guest.Args, i int) ([]byte, error) {
	if b, ok := a.V[i].(starlark.Bytes); ok {
		return []byte(b), nil
	}
	if s, ok := a.V[i].(starlark.String); ok {
		e := pylang.Raise("TypeError", "a bytes-like object is required, not 'str'")
		e.Hint = "encode the text first: " + shorten(string(s)) + ".encode()"
		return nil, e
	}
	return nil, raise("TypeError", "a bytes-like object is required, not '%s'", guest.TypeName(a.V[i]))
}

func shorten(s string) string {
	if len(s) > 20 {
		return "text"
	}
	return "'" + s + "'"
}

// elements lists an iterable within the bounds of memory.
func elements(t *starlark.Thread, v starlark.Value) ([]starlark.Value, error) {
	return pylang.List(t, v)
}
