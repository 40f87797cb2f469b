package guest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// TypeName is the Python name of v's type.
func TypeName(v starlark.Value) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case starlark.String:
		return "str"
	case *starlark.Builtin:
		return "builtin_function_or_method"
	}
	return v.Type()
}

// Describe says in a few words what v is, for messages: "str 'abc'", "None".
func Describe(v starlark.Value) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case starlark.NoneType, starlark.Bool:
		return v.String()
	case starlark.Int:
		return "int " + shortInt(v)
	case starlark.Float:
		return "float " + FormatFloat(float64(v))
	case starlark.String:
		s := string(v)
		if utf8.RuneCountInString(s) > 40 {
			s = string([]rune(s)[:40]) + "…"
		}
		return "str '" + s + "'"
	}
	return TypeName(v)
}

// FormatFloat is repr(x) of a float.
func FormatFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(x, 'e', -1, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exp)
	if e < -4 || e >= 16 {
		sign := "+"
		if e < 0 {
			sign, e = "-", -e
		}
		return fmt.Sprintf("%se%s%02d", mantissa, sign, e)
	}
	s = strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.ContainsRune(s, '.') {
		s += ".0"
	}
	return s
}

// FormatNumber prints a bound in a message: 1 rather than 1.0.
func FormatNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return FormatFloat(x)
}

// MaxElements bounds the lists that one call of a module may build.
const MaxElements = 10_000_000
