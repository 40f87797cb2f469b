package filter

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const timeHint = `write a time as "2024-05-01" or "2024-05-01T12:00:00Z"`

// part is the part of a test that an error is about: -2 the field, -1 the operator,
// else the index of a value.
type part = int

const (
	partField part = -2
	partOp    part = -1
)

// newTest checks a test and puts it into its canonical form. The Offset of its error
// is a part.
func newTest(name string, op Op, values []any) (Test, *Error) {
	f, err := parseField(name)
	if err != nil {
		err.Offset = partField
		return Test{}, err
	}
	return newFieldTest(f, op, values)
}

func newFieldTest(f field, op Op, values []any) (Test, *Error) {
	t := Test{Field: f.String(), Op: op, field: f}
	want := 1
	switch op {
	case OpExists:
		want = 0
	case OpBetween:
		want = 2
	case OpIn:
		want = len(values)
	}
	if len(values) != want {
		return t, errorf(partOp, "", "%s takes %d values, got %d", op, want, len(values))
	}
	if len(values) > maxValues {
		return t, errorf(partOp, "split the search", "%s has more than %d values", op, maxValues)
	}
	for i, v := range values {
		c, err := canonical(v)
		if err == nil {
			err = t.checkValue(c)
		}
		if err != nil {
			err.Offset = i
			return t, err
		}
		t.Values = append(t.Values, c)
	}
	if op == OpBetween && kindOf(t.Values[0]) != kindOf(t.Values[1]) {
		return t, errorf(1, "give two numbers or two strings", "between %s and %s mixes types", kindOf(t.Values[0]), kindOf(t.Values[1]))
	}
	if f.builtin != nil && f.builtin.time {
		return t, t.readTimes()
	}
	return t, nil
}

// checkValue refuses what can never match.
func (t Test) checkValue(v any) *Error {
	kind := kindOf(v)
	switch t.Op {
	case OpLt, OpLe, OpGt, OpGe, OpBetween:
		if kind != "number" && kind != "string" {
			return errorf(0, "use = or !=", "%s compares numbers or strings, not %s", t.Op, kind)
		}
	case OpPrefix:
		if kind != "string" {
			return errorf(0, "put it in quotes", "prefix takes a string, got %s", kind)
		}
	case OpContains:
		if kind == "null" {
			return errorf(0, "", "contains takes a string, number or boolean, got null")
		}
	}
	b := t.field.builtin
	if b == nil || kind == "null" {
		return nil
	}
	if b.time {
		if t.Op == OpPrefix || t.Op == OpContains {
			return errorf(0, "use between, <, >= and so on", "%s is a time; %s does not apply", b.name, t.Op)
		}
		if kind != "string" {
			return errorf(0, timeHint, "%s is a time, got a %s", b.name, kind)
		}
		return nil
	}
	if kind != "string" {
		return errorf(0, "put it in quotes", "%s is text, got a %s", b.name, kind)
	}
	return nil
}

func (t *Test) readTimes() *Error {
	t.times = make([]time.Time, len(t.Values))
	for i, v := range t.Values {
		s, ok := v.(string)
		if !ok {
			continue // null
		}
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			at, err = time.Parse(time.DateOnly, s)
		}
		if err != nil {
			return errorf(i, timeHint, "%s is a time, and %q is none", t.Field, s)
		}
		t.times[i] = at.UTC().Truncate(time.Microsecond)
	}
	return nil
}

// canonical turns a Go value into one of the types that Test.Values names.
func canonical(v any) (any, *Error) {
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			return nil, errorf(0, "no document can hold it", "string %q has NUL or invalid UTF-8", clip(v))
		}
		return v, nil
	case float64:
		return canonicalFloat(v)
	case json.Number:
		return canonicalNumber(string(v))
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), nil
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return canonicalNumber(strconv.FormatInt(r.Int(), 10))
	case r.CanUint():
		return canonicalNumber(strconv.FormatUint(r.Uint(), 10))
	case r.Kind() == reflect.Float32:
		return canonicalNumber(strconv.FormatFloat(r.Float(), 'g', -1, 32))
	case r.Kind() == reflect.Float64:
		return canonicalFloat(r.Float())
	case r.Kind() == reflect.String:
		return canonical(r.String())
	case r.Kind() == reflect.Bool:
		return r.Bool(), nil
	}
	return nil, errorf(0, "use a string, number, true, false or null", "a value of type %T cannot be compared", v)
}

func canonicalFloat(f float64) (any, *Error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errorf(0, "", "%v is no number to compare with", f)
	}
	return f + 0, nil // −0 becomes 0
}

// canonicalNumber reads a decimal. A float64 stands for the decimal that it prints
// as; what no float64 prints as stays a json.Number.
func canonicalNumber(s string) (any, *Error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) > 60 || !json.Valid([]byte(s)) {
		return nil, errorf(0, "numbers have at most 60 characters and lie within ±1.8e308", "%q is no number to compare with", clip(s))
	}
	exact := rat(json.Number(s))
	if exact == nil {
		return nil, errorf(0, "", "%q is too near to zero to compare with", s)
	}
	if rat(f).Cmp(exact) == 0 {
		return f + 0, nil // −0 becomes 0
	}
	return json.Number(s), nil
}

// rat is a number's exact decimal value; nil when it is none. Exponents beyond what
// PostgreSQL's numeric can hold count as none.
func rat(v any) *big.Rat {
	var s string
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		s = strconv.FormatFloat(v, 'g', -1, 64)
	case json.Number:
		s = string(v)
	default:
		return nil
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > 131072 || e < -16383 {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return r
}

// compareNumbers orders two numbers by their decimal values. Two float64 may be
// compared directly: their shortest decimals are in the same order.
func compareNumbers(a, b any) (order int, ok bool) {
	if x, okx := a.(float64); okx {
		if y, oky := b.(float64); oky {
			return cmp.Compare(x, y), !math.IsNaN(x) && !math.IsInf(x, 0)
		}
	}
	x, y := rat(a), rat(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// kindOf names the JSON type of a canonical value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64, json.Number:
		return "number"
	}
	return "other"
}

func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
