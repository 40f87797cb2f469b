package filter

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// Match reports whether e holds for d, with the same meaning as [SQL]. A test that
// [Check] refuses holds for nothing, and neither does its negation.
func Match(e Expr, d Document) bool {
	return match(e, &d) && Check(e) == nil
}

func match(e Expr, d *Document) bool {
	switch e := e.(type) {
	case nil:
		return true
	case AndExpr:
		for _, x := range e.Of {
			if !match(x, d) {
				return false
			}
		}
		return true
	case OrExpr:
		for _, x := range e.Of {
			if match(x, d) {
				return true
			}
		}
		return false
	case NotExpr:
		return !match(e.Of, d)
	case Test:
		return e.match(d)
	}
	return false
}

func (t Test) match(d *Document) bool {
	if t.field.isZero() {
		return false // not made by this package; Match refuses the whole
	}
	if t.Op == OpNe {
		t.Op = OpEq
		return !t.match(d)
	}
	b := t.field.builtin
	switch {
	case b == nil:
		return t.matchValue(lookup(d.Metadata, t.field.path))
	case b.name == "created":
		return t.matchTime(d.Created)
	case b.name == "updated":
		return t.matchTime(d.Updated)
	}
	return t.matchText(b.text(*d))
}

// matchText tests a built-in text. An empty one does not exist, yet it is a string.
func (t Test) matchText(s string) bool {
	if s != "" {
		return t.matchValue(s)
	}
	return t.matchValue("") && t.Op != OpExists || (t.Op == OpEq || t.Op == OpIn) && t.matchValue(nil)
}

// matchValue tests one JSON value; a missing one is nil, like null.
func (t Test) matchValue(v any) bool {
	switch t.Op {
	case OpExists:
		return v != nil
	case OpEq, OpIn:
		for _, want := range t.Values {
			if equalOrElement(v, want) {
				return true
			}
		}
		return false
	case OpPrefix:
		s, ok := v.(string)
		return ok && strings.HasPrefix(s, t.Values[0].(string))
	case OpContains:
		if s, ok := v.(string); ok {
			sub, ok := t.Values[0].(string)
			return ok && strings.Contains(s, sub)
		}
		elements, _ := v.([]any)
		return hasElement(elements, t.Values[0])
	case OpBetween:
		low, ok1 := compare(v, t.Values[0])
		high, ok2 := compare(v, t.Values[1])
		return ok1 && ok2 && low >= 0 && high <= 0
	}
	order, ok := compare(v, t.Values[0])
	return ok && t.Op.holds(order)
}

// holds reports whether an order of field and value satisfies a one-sided comparison.
func (op Op) holds(order int) bool {
	switch op {
	case OpLt:
		return order < 0
	case OpLe:
		return order <= 0
	case OpGt:
		return order > 0
	case OpGe:
		return order >= 0
	}
	return false
}

func (t Test) matchTime(at time.Time) bool {
	at = at.Truncate(time.Microsecond)
	switch t.Op {
	case OpExists:
		return true
	case OpEq, OpIn:
		for i, want := range t.times {
			if t.Values[i] != nil && at.Equal(want) {
				return true
			}
		}
		return false
	case OpBetween:
		return at.Compare(t.times[0]) >= 0 && at.Compare(t.times[1]) <= 0
	}
	return t.Op.holds(at.Compare(t.times[0]))
}

// equalOrElement is `=`: null for a missing field, equal scalars, or an element.
func equalOrElement(v, want any) bool {
	if want == nil {
		return v == nil
	}
	if elements, ok := v.([]any); ok {
		return hasElement(elements, want)
	}
	return equal(v, want)
}

func hasElement(elements []any, want any) bool {
	for _, x := range elements {
		if equal(plain(x), want) {
			return true
		}
	}
	return false
}

// equal compares two scalars of one type; want is canonical and not null.
func equal(v, want any) bool {
	if b, ok := v.(bool); ok {
		w, ok := want.(bool)
		return ok && b == w
	}
	order, ok := compare(v, want)
	return ok && order == 0
}

// compare orders two numbers or two strings.
func compare(v, want any) (order int, ok bool) {
	if s, ok := v.(string); ok {
		w, ok := want.(string)
		return strings.Compare(s, w), ok
	}
	if kindOf(v) == "number" && kindOf(want) == "number" {
		return compareNumbers(v, want)
	}
	return 0, false
}

// lookup follows a path through objects.
func lookup(m map[string]any, path []string) any {
	for _, key := range path[:len(path)-1] {
		next, ok := plain(m[key]).(map[string]any)
		if !ok {
			return nil
		}
		m = next
	}
	return plain(m[path[len(path)-1]])
}

// plain gives a metadata value the type that encoding/json would decode it to, so
// that documents built in Go with ints, []string and the like match as stored ones do.
func plain(v any) any {
	switch v := v.(type) {
	case nil, string, bool, []any, map[string]any, json.Number:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	}
	if c, err := canonical(v); err == nil {
		return c
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var out any
	if dec.Decode(&out) != nil {
		return nil
	}
	return out
}
