package filter

import (
	"time"
)

// Expr is a condition on a document. Trees are made by [Parse], [ParseJSON],
// [FromMap] or the functions of this package, and are never changed afterwards, so
// they may be shared by goroutines. A nil Expr keeps everything.
type Expr interface {
	// String is the text form; Parse of it gives an equal tree.
	String() string
	isExpr()
}

// Document is what a filter looks at in Go: the same columns that the SQL form reads.
type Document struct {
	ID, Title, Source, URI, Collection string
	Created, Updated                   time.Time
	Metadata                           map[string]any
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

// Test is one comparison of one field: a leaf of the tree.
type Test struct {
	Field string
	Op    Op
	// Values are strings, booleans, float64, nil, or json.Number where an integer does
	// not fit a float64: one for most operators, two for between, none for exists, one or more for in.
	Values []any
}

// AndExpr holds when all of Of hold, OrExpr when one does, NotExpr when Of does not.
type (
	AndExpr struct{ Of []Expr }
	OrExpr  struct{ Of []Expr }
	NotExpr struct{ Of Expr }
)

func (Test) isExpr()    {}
func (AndExpr) isExpr() {}
func (OrExpr) isExpr()  {}
func (NotExpr) isExpr() {}
func (Test) String() string    { return "" }
func (AndExpr) String() string { return "" }
func (OrExpr) String() string  { return "" }
func (NotExpr) String() string { return "" }
