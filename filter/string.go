package filter

import (
	"encoding/json"
	"strconv"
	"strings"
)

func (e AndExpr) String() string { return join(e.Of, " and ", "true") }
func (e OrExpr) String() string  { return join(e.Of, " or ", "false") }
func (e NotExpr) String() string { return "not " + nested(e.Of) }
func (e invalid) String() string { return "invalid: " + e.err.Msg }

// String is the test in the text form, such as year >= 2024.
func (t Test) String() string {
	switch t.Op {
	case OpExists:
		return "exists " + t.Field
	case OpBetween:
		return t.Field + " between " + valueText(t.Values[0]) + " and " + valueText(t.Values[1])
	case OpIn:
		list := make([]string, len(t.Values))
		for i, v := range t.Values {
			list[i] = valueText(v)
		}
		return t.Field + " in (" + strings.Join(list, ", ") + ")"
	}
	return t.Field + " " + operatorText[t.Op] + " " + valueText(t.Values[0])
}

var operatorText = map[Op]string{
	OpEq: "=", OpNe: "!=", OpLt: "<", OpLe: "<=", OpGt: ">", OpGe: ">=",
	OpPrefix: "prefix", OpContains: "contains",
}

func join(xs []Expr, sep, empty string) string {
	if len(xs) == 0 {
		return empty
	}
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = nested(x)
	}
	return strings.Join(parts, sep)
}

// nested puts parentheses around a list, so that the text keeps the tree's shape.
func nested(x Expr) string {
	switch x := x.(type) {
	case AndExpr:
		if len(x.Of) > 0 {
			return "(" + x.String() + ")"
		}
	case OrExpr:
		if len(x.Of) > 0 {
			return "(" + x.String() + ")"
		}
	}
	return x.String()
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case json.Number:
		return string(v)
	}
	return encode(v)
}
