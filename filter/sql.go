package filter

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxContained is up to how many values of `in` become containment tests, which the
// GIN index on documents.metadata can answer; longer lists are compared row by row.
const maxContained = 16

// SQL returns e as a condition with parameters only: where never holds a part of the
// expression's names or values. Parameters are numbered from firstArg on and given in
// args. The statement must call documents d and, where the expression names the
// collection, collections c. The condition is never null. A nil e gives "true".
// The error is that of [Check].
func SQL(e Expr, firstArg int) (where string, args []any, err error) {
	if err := Check(e); err != nil {
		return "", nil, err
	}
	w := writer{first: firstArg, paths: map[string]string{}}
	w.expr(e)
	return w.String(), w.args, nil
}

// NeedsCollection reports whether e reads the collection's name, so that its SQL
// needs the table collections as c.
func NeedsCollection(e Expr) bool {
	switch e := e.(type) {
	case AndExpr:
		return anyNeeds(e.Of)
	case OrExpr:
		return anyNeeds(e.Of)
	case NotExpr:
		return NeedsCollection(e.Of)
	case Test:
		return e.field.builtin != nil && e.field.builtin.name == "collection"
	}
	return false
}

func anyNeeds(xs []Expr) bool {
	for _, x := range xs {
		if NeedsCollection(x) {
			return true
		}
	}
	return false
}

type writer struct {
	strings.Builder
	first int
	args  []any
	paths map[string]string // field → the SQL that reads it
}

// arg adds a parameter and returns its placeholder with the type that it is sent as.
func (w *writer) arg(v any, typ string) string {
	w.args = append(w.args, v)
	return "$" + strconv.Itoa(w.first+len(w.args)-1) + "::" + typ
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) expr(e Expr) {
	switch e := e.(type) {
	case nil:
		w.WriteString("true")
	case AndExpr:
		w.list(e.Of, " and ", "true")
	case OrExpr:
		w.list(e.Of, " or ", "false")
	case NotExpr:
		w.WriteString("not ")
		w.paren(func() { w.expr(e.Of) })
	case Test:
		w.test(e)
	}
}

func (w *writer) paren(f func()) {
	w.WriteByte('(')
	f()
	w.WriteByte(')')
}

func (w *writer) list(xs []Expr, sep, empty string) {
	if len(xs) == 0 {
		w.WriteString(empty)
		return
	}
	w.paren(func() {
		for i, x := range xs {
			if i > 0 {
				w.WriteString(sep)
			}
			w.expr(x)
		}
	})
}

func (w *writer) test(t Test) {
	if t.Op == OpNe {
		t.Op = OpEq
		w.WriteString("not ")
	}
	switch b := t.field.builtin; {
	case b == nil:
		w.paren(func() { w.metadata(t) })
	case b.time:
		w.paren(func() { w.time(b.column, t) })
	default:
		w.paren(func() { w.text(b.column, t) })
	}
}

// symbols of the one-sided comparisons.
var symbols = map[Op]string{OpLt: "<", OpLe: "<=", OpGt: ">", OpGe: ">="}

// text writes a test of a text column. COLLATE "C" compares bytes, as Go does.
func (w *writer) text(column string, t Test) {
	switch t.Op {
	case OpExists:
		w.printf("%s <> ''", column)
	case OpEq, OpIn:
		want := make([]string, 0, len(t.Values))
		for _, v := range t.Values {
			s, _ := v.(string) // null means empty
			want = append(want, s)
		}
		if len(want) == 1 {
			w.printf("%s = %s", column, w.arg(want[0], "text"))
		} else {
			w.printf("%s = any(%s)", column, w.arg(want, "text[]"))
		}
	default:
		w.ordered(column, `collate "C"`, "text", t, func(i int) any { return t.Values[i] })
	}
}

func (w *writer) time(column string, t Test) {
	switch t.Op {
	case OpExists:
		w.WriteString("true")
	case OpEq, OpIn:
		want := []time.Time{}
		for i, v := range t.Values {
			if v != nil { // a time is never null
				want = append(want, t.times[i])
			}
		}
		w.printf("%s = any(%s)", column, w.arg(want, "timestamptz[]"))
	default:
		w.ordered(column, "", "timestamptz", t, func(i int) any { return t.times[i] })
	}
}

// ordered writes comparisons and text searches of a value that has the right type.
func (w *writer) ordered(x, collate, typ string, t Test, value func(int) any) {
	switch t.Op {
	case OpBetween:
		w.printf("%s %s between %s and %s", x, collate, w.arg(value(0), typ), w.arg(value(1), typ))
	case OpPrefix:
		w.printf("starts_with(%s, %s)", x, w.arg(value(0), typ))
	case OpContains:
		w.printf("strpos(%s %s, %s) > 0", x, collate, w.arg(value(0), typ))
	default:
		w.printf("%s %s %s %s", x, collate, symbols[t.Op], w.arg(value(0), typ))
	}
}

// path writes the JSON value of a metadata field; null where it is missing. The
// operator -> with a text key looks into objects only, which #> does not.
func (w *writer) path(f field) string {
	name := f.String()
	if s, ok := w.paths[name]; ok {
		return s
	}
	s := "d.metadata"
	for _, key := range f.path {
		s += "->" + w.arg(key, "text")
	}
	s = "(" + s + ")"
	w.paths[name] = s
	return s
}

func (w *writer) metadata(t Test) {
	switch t.Op {
	case OpExists:
		w.printf("coalesce(%s, 'null') <> 'null'", w.path(t.field))
	case OpEq, OpIn:
		w.equal(t)
	case OpContains:
		w.printf("d.metadata @> %s", w.arg(document(t.field.path, []any{t.Values[0]}), "jsonb"))
		if _, ok := t.Values[0].(string); ok {
			w.WriteString(" or ")
			w.scalar(t)
		}
	default:
		w.scalar(t)
	}
}

// equal writes `=` and `in`. Containment treats an array as holding its elements only
// when the wanted value is an array, too; hence two documents for each value.
func (w *writer) equal(t Test) {
	sep := ""
	var want []any
	for _, v := range t.Values {
		if v != nil {
			want = append(want, v)
		} else if sep == "" {
			w.printf("coalesce(%s, 'null') = 'null'", w.path(t.field))
			sep = " or "
		}
	}
	switch {
	case len(want) > maxContained:
		x, list := w.path(t.field), make([]string, len(want))
		for i, v := range want {
			list[i] = encode(v)
		}
		values := w.arg(list, "jsonb[]")
		w.printf("%scoalesce(case jsonb_typeof(%s) when 'array' then exists (select from jsonb_array_elements(%s) as element where element = any(%s)) else %s = any(%s) end, false)",
			sep, x, x, values, x, values)
	case len(want) > 0:
		for _, v := range want {
			w.printf("%sd.metadata @> %s or d.metadata @> %s", sep,
				w.arg(document(t.field.path, v), "jsonb"), w.arg(document(t.field.path, []any{v}), "jsonb"))
			sep = " or "
		}
	case sep == "":
		w.WriteString("false")
	}
}

// scalar writes a comparison that holds only for a value of the wanted type; case
// keeps the cast from being tried on any other.
func (w *writer) scalar(t Test) {
	x := w.path(t.field)
	if _, ok := t.Values[0].(string); ok {
		w.printf("case when jsonb_typeof(%s) = 'string' then ", x)
		w.ordered("("+x+" #>> '{}')", `collate "C"`, "text", t, func(i int) any { return t.Values[i] })
	} else {
		w.printf("case when jsonb_typeof(%s) = 'number' then ", x)
		w.ordered(x+"::numeric", "", "numeric", t, func(i int) any { return encode(t.Values[i]) })
	}
	w.WriteString(" else false end")
}

// document is the JSON text of an object that holds v at path.
func document(path []string, v any) string {
	s := encode(v)
	for i := len(path) - 1; i >= 0; i-- {
		s = "{" + encode(path[i]) + ":" + s + "}"
	}
	return s
}

// encode is JSON text; canonical values cannot fail.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("filter: encode %T: %v", v, err))
	}
	return string(data)
}
