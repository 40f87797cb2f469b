package pysyntax

import "fmt"

// Error is a mistake in the source text: what, where, and the remedy.
type Error struct {
	Pos
	Msg, Hint string
}

func (e *Error) Error() string {
	s := fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

type kind uint8

const (
	tEOF kind = iota
	tNewline
	tIndent
	tDedent
	tName
	tNumber
	tString
	tFString
	tOp
)

// token is a lexical unit. text is the name, operator, or the decoded value of
// a string.
type token struct {
	kind  kind
	text  string
	pos   Pos
	off   int
	end   int
	bytes bool    // a bytes literal
	num   any     // value of a number
	parts []fpart // of an f-string
	space bool    // preceded by white space
}

// fpart is a piece of an f-string: text, or the source range of an expression.
type fpart struct {
	text       string
	isExpr     bool
	start, end int // source range of the expression
	pos        Pos // of start
	lineStart  int // offset of the line holding start
	debug      string
	conv       byte
	spec       []fpart
	hasSpec    bool
}

var keywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true,
	"async": true, "await": true, "break": true, "class": true, "continue": true,
	"def": true, "del": true, "elif": true, "else": true, "except": true, "finally": true,
	"for": true, "from": true, "global": true, "if": true, "import": true, "in": true,
	"is": true, "lambda": true, "nonlocal": true, "not": true, "or": true, "pass": true,
	"raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
}

// operators, longest first.
var operators = []string{
	"**=", "//=", ">>=", "<<=", "...",
	"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "<>",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=", "!",
}
