// Package pysyntax reads the subset of Python that agents write: source text
// goes in, a syntax tree with the positions of that text comes out. It knows
// nothing of Starlark and runs nothing; internal/pylang checks and lowers the
// tree. Every loop and recursion is bounded, so hostile text ends in an Error.
package pysyntax

// Pos is a place in the agent's text: Line and Col count from one, Col in code
// points.
type Pos struct{ Line, Col int32 }

// Position returns p itself; embedding Pos makes a type a Node.
func (p Pos) Position() Pos { return p }

// Node is any part of the tree.
type Node interface{ Position() Pos }

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// ConstKind distinguishes the constants that are keywords.
type ConstKind int

// The keyword constants.
const (
	None ConstKind = iota
	True
	False
	Ellipsis
)

// CompKind says what a comprehension builds.
type CompKind int

// The kinds of comprehension.
const (
	ListComp CompKind = iota
	SetComp
	DictComp
	GenExpr
)

// The expressions. X is always the main operand.
type (
	Name struct {
		Pos
		ID string
	}
	// Num holds an int64, *big.Int or float64.
	Num struct {
		Pos
		Value any
		Raw   string
	}
	Str struct {
		Pos
		Value string
	}
	Bytes struct {
		Pos
		Value string
	}
	// FString is an f-string, already joined with its neighbours.
	FString struct {
		Pos
		Parts []FPart
	}
	Const struct {
		Pos
		Kind ConstKind
	}
	Tuple struct {
		Pos
		Elts []Expr
	}
	List struct {
		Pos
		Elts []Expr
	}
	Set struct {
		Pos
		Elts []Expr
	}
	// Dict has a nil key where the source says **value.
	Dict struct {
		Pos
		Keys, Values []Expr
	}
	Unary struct {
		Pos
		Op string // - + ~ not
		X  Expr
	}
	// Binary has its OpPos where the operator stands.
	Binary struct {
		Pos
		Op    string
		X, Y  Expr
		OpPos Pos
	}
	BoolOp struct {
		Pos
		Op     string // and or
		Values []Expr
	}
	Compare struct {
		Pos
		X   Expr
		Ops []string // < > == >= <= != in, not in, is, is not
		Ys  []Expr
	}
	Cond struct {
		Pos
		Test, Then, Else Expr
	}
	Call struct {
		Pos
		Fn     Expr
		Args   []Arg
		Lparen Pos
	}
	Attr struct {
		Pos
		X       Expr
		Name    string
		NamePos Pos
	}
	Index struct {
		Pos
		X      Expr
		Sub    Expr // *Slice for x[a:b]
		Lbrack Pos
	}
	Slice struct {
		Pos
		Lo, Hi, Step Expr
	}
	Lambda struct {
		Pos
		Params []Param
		Body   Expr
	}
	Comp struct {
		Pos
		Kind    CompKind
		Elt     Expr // the key of a DictComp
		Value   Expr
		Clauses []CompFor
	}
	Starred struct {
		Pos
		X Expr
	}
	Await struct {
		Pos
		X Expr
	}
	Yield struct {
		Pos
		X    Expr // may be nil
		From bool
	}
	// Named is target := X.
	Named struct {
		Pos
		Target *Name
		X      Expr
	}
)

// FPart is literal text, or a value with its conversion and format spec.
type FPart struct {
	Text string
	X    Expr // nil for literal text
	Conv byte // 0, 's', 'r' or 'a'
	Spec []FPart
}

// Arg is one argument of a call; Star is 0, 1 (*x) or 2 (**x).
type Arg struct {
	Pos
	Name string
	Star int
	X    Expr
}

// Param is one parameter; Star is 0, 1 (*args, or a bare * with an empty Name)
// or 2 (**kwargs).
type Param struct {
	Pos
	Name       string
	Star       int
	PosOnly    bool // before a slash
	Default    Expr
	Annotation Expr
}

// CompFor is one for clause with the ifs that follow it.
type CompFor struct {
	Pos
	Target Expr
	X      Expr
	Ifs    []Expr
	Async  bool
}

// The statements.
type (
	ExprStmt struct {
		Pos
		X Expr
	}
	Assign struct {
		Pos
		Targets []Expr
		Value   Expr
	}
	AugAssign struct {
		Pos
		Target Expr
		Op     string // without the =
		Value  Expr
	}
	AnnAssign struct {
		Pos
		Target     Expr
		Annotation Expr
		Value      Expr // may be nil
	}
	For struct {
		Pos
		Target Expr
		X      Expr
		Body   []Stmt
		Else   []Stmt
		Async  bool
	}
	While struct {
		Pos
		Test Expr
		Body []Stmt
		Else []Stmt
	}
	// If keeps an elif chain flat: Tests[i] guards Bodies[i].
	If struct {
		Pos
		Tests  []Expr
		Bodies [][]Stmt
		Else   []Stmt
	}
	Def struct {
		Pos
		Name       string
		NamePos    Pos
		Params     []Param
		Returns    Expr // the annotation of the result, or nil
		Body       []Stmt
		Decorators []Expr
		Async      bool
		Doc        string
	}
	Class struct {
		Pos
		Name       string
		NamePos    Pos
		Args       []Arg
		Body       []Stmt
		Decorators []Expr
		Doc        string
	}
	Return struct {
		Pos
		X Expr
	}
	Raise struct {
		Pos
		X, Cause Expr
	}
	Try struct {
		Pos
		Body     []Stmt
		Handlers []Handler
		Else     []Stmt
		Finally  []Stmt
		Group    bool // the handlers are except*
	}
	With struct {
		Pos
		Items []WithItem
		Body  []Stmt
		Async bool
	}
	Import struct {
		Pos
		Names []Alias
	}
	ImportFrom struct {
		Pos
		Module string
		Level  int
		Names  []Alias // one named "*" for a star import
	}
	Global struct {
		Pos
		Names []string
	}
	Nonlocal struct {
		Pos
		Names []string
	}
	Pass  struct{ Pos }
	Break struct{ Pos }
	// Continue is the statement of that name.
	Continue struct{ Pos }
	Del      struct {
		Pos
		Targets []Expr
	}
	Assert struct {
		Pos
		Test, Msg Expr
	}
	Match struct {
		Pos
		Subject Expr
		Cases   []Case
	}
)

// Handler is one except clause; a nil Type catches everything.
type Handler struct {
	Pos
	Type Expr
	Name string
	Body []Stmt
}

// WithItem is one context manager.
type WithItem struct {
	X      Expr
	Target Expr
}

// Alias is a name in an import.
type Alias struct {
	Pos
	Name, As string
}

// Case is one case of a match.
type Case struct {
	Pos
	Pattern Pattern
	Guard   Expr
	Body    []Stmt
}

// Pattern is a pattern of a case.
type Pattern interface{ Node }

// The patterns.
type (
	ValuePattern struct {
		Pos
		X Expr
	}
	// CapturePattern binds Name, or matches anything when Name is empty.
	CapturePattern struct {
		Pos
		Name string
		Sub  Pattern // for "sub as name"
	}
	OrPattern struct {
		Pos
		Alts []Pattern
	}
	SequencePattern struct {
		Pos
		Elts []Pattern
		Star int // index of the starred element, or -1
	}
	MappingPattern struct {
		Pos
		Keys   []Expr
		Values []Pattern
		Rest   string
	}
	ClassPattern struct {
		Pos
		Class Expr
		Args  []Pattern
		Names []string // "" for a positional sub-pattern
	}
)

// File is a whole program.
type File struct {
	Body []Stmt
	Doc  string
}

func (*Name) expr()    {}
func (*Num) expr()     {}
func (*Str) expr()     {}
func (*Bytes) expr()   {}
func (*FString) expr() {}
func (*Const) expr()   {}
func (*Tuple) expr()   {}
func (*List) expr()    {}
func (*Set) expr()     {}
func (*Dict) expr()    {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*BoolOp) expr()  {}
func (*Compare) expr() {}
func (*Cond) expr()    {}
func (*Call) expr()    {}
func (*Attr) expr()    {}
func (*Index) expr()   {}
func (*Slice) expr()   {}
func (*Lambda) expr()  {}
func (*Comp) expr()    {}
func (*Starred) expr() {}
func (*Await) expr()   {}
func (*Yield) expr()   {}
func (*Named) expr()   {}

func (*ExprStmt) stmt()   {}
func (*Assign) stmt()     {}
func (*AugAssign) stmt()  {}
func (*AnnAssign) stmt()  {}
func (*For) stmt()        {}
func (*While) stmt()      {}
func (*If) stmt()         {}
func (*Def) stmt()        {}
func (*Class) stmt()      {}
func (*Return) stmt()     {}
func (*Raise) stmt()      {}
func (*Try) stmt()        {}
func (*With) stmt()       {}
func (*Import) stmt()     {}
func (*ImportFrom) stmt() {}
func (*Global) stmt()     {}
func (*Nonlocal) stmt()   {}
func (*Pass) stmt()       {}
func (*Break) stmt()      {}
func (*Continue) stmt()   {}
func (*Del) stmt()        {}
func (*Assert) stmt()     {}
func (*Match) stmt()      {}
