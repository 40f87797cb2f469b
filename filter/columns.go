package filter

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Column holds one field of many documents: document i has Values[Of[i]]. Without Of it
// has Values[i]. Values are strings for the built-in texts, time.Time for created and
// updated, and JSON values as encoding/json decodes them for metadata; nil is a missing
// one.
type Column struct {
	Values []any
	Of     []uint32
}

// Columns names what [Select] needs for e, each once: built-in fields by their name,
// top-level keys of the metadata with a dot before them.
func Columns(e Expr) []string {
	var names []string
	seen := map[string]bool{}
	tests(e, func(t Test) {
		if name := t.field.column(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	return names
}

func (f field) column() string {
	if f.builtin != nil {
		return f.builtin.name
	}
	return "." + f.path[0]
}

// tests visits the leaves of a tree.
func tests(e Expr, visit func(Test)) {
	switch e := e.(type) {
	case AndExpr:
		for _, x := range e.Of {
			tests(x, visit)
		}
	case OrExpr:
		for _, x := range e.Of {
			tests(x, visit)
		}
	case NotExpr:
		tests(e.Of, visit)
	case Test:
		visit(e)
	}
}

// Select is [Match] for n documents at once: bit i&63 of word i>>6 of the result says
// whether e holds for document i. A column that is not among columns is missing in every
// document. Each test is tried once per value of its column, not once per document.
//
// The error is that of [Check].
func Select(e Expr, n int, columns map[string]Column) ([]uint64, error) {
	if err := Check(e); err != nil {
		return nil, err
	}
	s := selection{n: n, columns: columns}
	return s.of(e), nil
}

type selection struct {
	n       int
	columns map[string]Column
}

// of gives a bitmap that is the caller's.
func (s *selection) of(e Expr) []uint64 {
	switch e := e.(type) {
	case AndExpr:
		out := s.all()
		for _, x := range e.Of {
			for i, b := range s.of(x) {
				out[i] &= b
			}
		}
		return out
	case OrExpr:
		out := make([]uint64, (s.n+63)/64)
		for _, x := range e.Of {
			for i, b := range s.of(x) {
				out[i] |= b
			}
		}
		return out
	case NotExpr:
		out := s.all()
		for i, b := range s.of(e.Of) {
			out[i] &^= b
		}
		return out
	case Test:
		return s.test(e)
	}
	return s.all() // nil keeps everything
}

func (s *selection) all() []uint64 {
	out := make([]uint64, (s.n+63)/64)
	for i := range out {
		out[i] = math.MaxUint64
	}
	if s.n&63 != 0 {
		out[len(out)-1] = 1<<(s.n&63) - 1
	}
	return out
}

func (s *selection) test(t Test) []uint64 {
	c, ok := s.columns[t.field.column()]
	if !ok {
		if t.holdsFor(nil) {
			return s.all()
		}
		return make([]uint64, (s.n+63)/64)
	}
	holds := make([]uint64, len(c.Values))
	for i, v := range c.Values {
		if t.holdsFor(v) {
			holds[i] = 1
		}
	}
	out := make([]uint64, (s.n+63)/64)
	if c.Of == nil {
		for i, h := range holds {
			out[i>>6] |= h << (i & 63)
		}
		return out
	}
	for i, v := range c.Of {
		out[i>>6] |= holds[v] << (i & 63)
	}
	return out
}

// holdsFor tests the value of a column.
func (t Test) holdsFor(v any) bool {
	if t.Op == OpNe {
		t.Op = OpEq
		return !t.holdsFor(v)
	}
	b := t.field.builtin
	switch {
	case b == nil && len(t.field.path) > 1:
		inner, ok := plain(v).(map[string]any)
		return t.matchValue(lookupIf(ok, inner, t.field.path[1:]))
	case b == nil:
		return t.matchValue(plain(v))
	case b.time:
		at, _ := v.(time.Time)
		return t.matchTime(at)
	}
	text, _ := v.(string)
	return t.matchText(text)
}

func lookupIf(ok bool, m map[string]any, path []string) any {
	if !ok {
		return nil
	}
	return lookup(m, path)
}

// DecodeValue reads a JSON value for a [Column]. Numbers keep all their digits; those
// that a float64 prints as become one, which compares faster.
func DecodeValue(text string) (any, error) {
	if v, ok := simpleNumber(text); ok {
		return v, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// simpleNumber reads plain decimals of few digits, which are the shortest form of a
// float64.
func simpleNumber(s string) (float64, bool) {
	if s == "" || len(s) > 15 || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	var buf [32]byte
	return f, string(strconv.AppendFloat(buf[:0], f, 'f', -1, 64)) == s
}
