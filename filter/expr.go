package filter

import (
	"time"
)

// Expr is a condition on a document. Trees are made by [Parse], [ParseJSON],
// [FromMap] or the functions of this package. A nil Expr keeps everything.
// json.Marshal of an Expr gives the JSON form.
type Expr interface {
	// String is the text form; [Parse] of it gives an equal tree.
	String() string
	isExpr()
}

// Document is what a filter looks at in Go: the same columns that the SQL form reads.
type Document struct {
	ID, Title, Source, URI, Collection string
	Created, Updated                   time.Time
	// Metadata holds JSON values as encoding/json decodes them. Integers beyond 2^53
	// keep their value only as json.Number.
	Metadata map[string]any
}

// Op names a comparison.
type Op string

// The comparisons. Their meaning is in the package comment.
const (
	OpEq       Op = "eq"
	OpNe       Op = "ne"
	OpIn       Op = "in"
	OpLt       Op = "lt"
	OpLe       Op = "le"
	OpGt       Op = "gt"
	OpGe       Op = "ge"
	OpBetween  Op = "between"
	OpExists   Op = "exists"
	OpPrefix   Op = "prefix"
	OpContains Op = "contains"
)

// Test is one comparison of one field: a leaf of the tree. Make it with [Eq] and its
// siblings, which check it; the fields are for reading.
type Test struct {
	// Field is in its shortest form: domain, a.b, metadata.title.
	Field string
	Op    Op
	// Values are string, bool, float64, nil, or json.Number where a number does not
	// fit a float64: two for between, none for exists, any number for in, else one.
	Values []any

	field field
	times []time.Time // Values of created and updated, understood
}

// AndExpr holds when all of Of hold (so when there are none), OrExpr when one does,
// NotExpr when Of does not. Build them with [And], [Or] and [Not].
type (
	AndExpr struct{ Of []Expr }
	OrExpr  struct{ Of []Expr }
	NotExpr struct{ Of Expr }
)

// invalid stands for a leaf that a constructor could not make; [Check] tells why.
type invalid struct{ err *Error }

func (Test) isExpr()    {}
func (AndExpr) isExpr() {}
func (OrExpr) isExpr()  {}
func (NotExpr) isExpr() {}
func (invalid) isExpr() {}

// And holds when all xs hold. Nil ones keep everything and are left out.
func And(xs ...Expr) Expr {
	var of []Expr
	for _, x := range xs {
		if x != nil {
			of = append(of, x)
		}
	}
	if len(of) == 1 {
		return of[0]
	}
	return AndExpr{of}
}

// Or holds when one of xs holds; without any it holds for nothing.
func Or(xs ...Expr) Expr {
	of := make([]Expr, len(xs))
	for i, x := range xs {
		of[i] = orAll(x)
	}
	if len(of) == 1 {
		return of[0]
	}
	return OrExpr{of}
}

// Not holds when x does not.
func Not(x Expr) Expr { return NotExpr{orAll(x)} }

func orAll(x Expr) Expr {
	if x == nil {
		return AndExpr{}
	}
	return x
}

// Eq and the functions after it test one field. Values are strings, booleans, nil,
// any Go number, json.Number, or a time.Time, which becomes its RFC 3339 text in UTC.
// A wrong field or value is reported by [Check] and [SQL]; such a test matches nothing.
func Eq(field string, v any) Expr { return test(field, OpEq, v) }

// Ne holds where Eq does not.
func Ne(field string, v any) Expr { return test(field, OpNe, v) }

// In holds when Eq holds for one of vs.
func In(field string, vs ...any) Expr { return test(field, OpIn, vs...) }

// Lt holds when the field is less than v.
func Lt(field string, v any) Expr { return test(field, OpLt, v) }

// Le holds when the field is at most v.
func Le(field string, v any) Expr { return test(field, OpLe, v) }

// Gt holds when the field is greater than v.
func Gt(field string, v any) Expr { return test(field, OpGt, v) }

// Ge holds when the field is at least v.
func Ge(field string, v any) Expr { return test(field, OpGe, v) }

// Between holds from a to b, both included.
func Between(field string, a, b any) Expr { return test(field, OpBetween, a, b) }

// Exists holds when the field is there and not null.
func Exists(field string) Expr { return test(field, OpExists) }

// Prefix holds when the field is a string that starts with prefix.
func Prefix(field, prefix string) Expr { return test(field, OpPrefix, prefix) }

// Contains holds when the field is a string with v in it or an array with element v.
func Contains(field string, v any) Expr { return test(field, OpContains, v) }

func test(name string, op Op, values ...any) Expr {
	t, err := newTest(name, op, values)
	if err != nil {
		return invalid{&Error{Offset: -1, Msg: err.Msg, Hint: err.Hint}}
	}
	return t
}

// Check returns the first fault of an expression built in Go, as an [*Error], or nil.
// What Parse, ParseJSON and FromMap return is already checked.
func Check(e Expr) error {
	var n size
	if err := n.add(e, 0); err != nil {
		return err
	}
	return nil
}

// size counts what the limits bound.
type size struct{ tests, values int }

func (n *size) add(e Expr, depth int) *Error {
	if depth > maxDepth {
		return errorf(-1, "join conditions in one and/or instead of nesting them", "nested deeper than %d", maxDepth)
	}
	switch e := e.(type) {
	case nil:
	case invalid:
		return e.err
	case AndExpr:
		return n.addAll(e.Of, depth+1)
	case OrExpr:
		return n.addAll(e.Of, depth+1)
	case NotExpr:
		return n.add(e.Of, depth+1)
	case Test:
		if e.field.isZero() {
			return errorf(-1, "make tests with filter.Eq and its siblings", "test of %q was not made by this package", e.Field)
		}
		n.tests++
		n.values += len(e.Values)
		if n.tests > maxTests {
			return errorf(-1, "use in (...) for many values of one field", "more than %d tests", maxTests)
		}
		if n.values > maxValues {
			return errorf(-1, "split the search", "more than %d values", maxValues)
		}
	}
	return nil
}

func (n *size) addAll(xs []Expr, depth int) *Error {
	for _, x := range xs {
		if err := n.add(x, depth); err != nil {
			return err
		}
	}
	return nil
}
