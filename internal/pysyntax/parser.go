package pysyntax

import (
	"fmt"
	"strings"
)

// Bounds that keep the tree shallow: maxDepth for nested constructs, maxChain
// for long runs of one operator, attribute or call.
const (
	maxDepth = 400
	maxChain = 2000
)

type parser struct {
	lx    *lexer
	toks  []token
	i     int
	depth int
	src   string
}

// Parse reads a program. The error is an *Error with the first mistake.
// Markdown fences around code are stepped over, keeping line numbers.
func Parse(src string) (*File, error) {
	text, err := clean(src)
	if err != nil {
		return nil, err
	}
	f, perr := parse(text)
	if perr == nil {
		return f, nil
	}
	if inner, ok := unfence(text); ok {
		if f, err2 := parse(inner); err2 == nil {
			return f, nil
		} else if strings.HasPrefix(strings.TrimSpace(text), "```") || strings.HasPrefix(strings.TrimSpace(text), "~~~") {
			return nil, err2
		} else if prose(text) {
			return nil, err2
		}
		return nil, explained(text, perr)
	}
	return nil, explained(text, perr)
}

func parse(src string) (f *File, err *Error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			f, err = nil, e
		}
	}()
	lx := newLexer(src)
	p := &parser{lx: lx, toks: lx.run(false), src: src}
	f = &File{}
	for p.tok().kind != tEOF {
		if p.tok().kind == tNewline {
			p.i++
			continue
		}
		if p.tok().kind == tIndent {
			fail(p.tok().pos, "remove the spaces in front of the line", "unexpected indent")
		}
		f.Body = p.statement(f.Body)
	}
	f.Doc = docOf(f.Body)
	return f, nil
}

func docOf(body []Stmt) string {
	if len(body) > 0 {
		if e, ok := body[0].(*ExprStmt); ok {
			if s, ok := e.X.(*Str); ok {
				return s.Value
			}
		}
	}
	return ""
}

func (p *parser) tok() *token { return &p.toks[p.i] }

func (p *parser) peekTok() *token {
	if p.i+1 < len(p.toks) {
		return &p.toks[p.i+1]
	}
	return &p.toks[p.i]
}

func (p *parser) pos() Pos { return p.toks[p.i].pos }

func (p *parser) isOp(op string) bool {
	t := p.tok()
	return t.kind == tOp && t.text == op
}

func (p *parser) isKw(kw string) bool {
	t := p.tok()
	return t.kind == tName && t.text == kw
}

func (p *parser) acceptOp(op string) bool {
	if p.isOp(op) {
		p.i++
		return true
	}
	return false
}

func (p *parser) acceptKw(kw string) bool {
	if p.isKw(kw) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expectOp(op string) Pos {
	pos := p.pos()
	if !p.acceptOp(op) {
		if op == ":" && p.isOp("=") {
			fail(pos, "compare with ==", "invalid syntax: expected ':', found '='")
		}
		hint := ""
		if op == ":" {
			hint = "add ':' at the end of the line"
		}
		fail(pos, hint, "expected '%s', found %s", op, p.tok().describe())
	}
	return pos
}

func (t *token) describe() string {
	switch t.kind {
	case tEOF:
		return "the end of the program"
	case tNewline:
		return "the end of the line"
	case tIndent:
		return "an indented line"
	case tDedent:
		return "the end of the block"
	case tString, tFString:
		return "a string"
	}
	s := t.text
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return fmt.Sprintf("'%s'", s)
}

func (p *parser) name() (string, Pos) {
	t := p.tok()
	if t.kind != tName {
		fail(t.pos, "", "expected a name, found %s", t.describe())
	}
	if keywords[t.text] {
		fail(t.pos, "choose another name", "expected a name, found the keyword '%s'", t.text)
	}
	p.i++
	return t.text, t.pos
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		fail(p.pos(), "build the value in steps, or move parts into functions", "the program is nested too deeply (more than %d levels)", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// statement parses one logical line, which may hold several small statements,
// or one compound statement.
func (p *parser) statement(out []Stmt) []Stmt {
	t := p.tok()
	if t.kind == tName {
		if s := p.compound(t); s != nil {
			return append(out, s)
		}
	} else if t.kind == tOp && t.text == "@" {
		return append(out, p.decorated())
	}
	for {
		out = append(out, p.simple())
		if p.acceptOp(";") {
			if p.tok().kind == tNewline {
				p.i++
				return out
			}
			continue
		}
		p.endOfStatement()
		return out
	}
}

func (p *parser) endOfStatement() {
	t := p.tok()
	switch t.kind {
	case tNewline:
		p.i++
		return
	case tEOF, tDedent:
		return
	}
	p.notStatement(t)
}

// notStatement explains leftovers after an expression.
func (p *parser) notStatement(t *token) {
	var prev *token
	if p.i > 0 {
		prev = &p.toks[p.i-1]
	}
	switch {
	case prev != nil && prev.kind == tName && (prev.text == "print" || prev.text == "exec"):
		fail(prev.pos, fmt.Sprintf("this is Python 3: write %s(...)", prev.text), "Missing parentheses in call to '%s'", prev.text)
	case t.kind == tIndent:
		fail(t.pos, "remove the spaces in front of the line", "unexpected indent")
	case t.kind == tOp && t.text == "=":
		fail(t.pos, "use == to compare", "cannot assign to this expression")
	case t.kind == tOp && t.text == "!":
		fail(t.pos, "write 'not x'", "invalid syntax: '!' is not an operator of Python")
	case t.kind == tOp && t.text == "<>":
		fail(t.pos, "this is Python 3: write !=", "invalid syntax: '<>' is not an operator")
	case t.kind == tOp && t.text == ":":
		fail(t.pos, "", "invalid syntax: unexpected ':'")
	case prev != nil && prev.kind == tName && (prev.text == "const" || prev.text == "let" || prev.text == "var" || prev.text == "function"):
		fail(prev.pos, "write the program in Python", "this looks like JavaScript, not Python")
	}
	fail(t.pos, "is a comma, an operator or a line end missing?", "invalid syntax: unexpected %s", t.describe())
}

// block parses an indented block or the statements after a colon.
func (p *parser) block(what string, head Pos) []Stmt {
	p.expectOp(":")
	p.enter()
	defer p.leave()
	if p.tok().kind != tNewline {
		if s := p.compoundAhead(); s != "" {
			fail(p.pos(), "put it on its own indented line", "'%s' cannot follow ':' on the same line", s)
		}
		return p.statement(nil)
	}
	p.i++
	if p.tok().kind != tIndent {
		fail(p.pos(), "indent the body; an empty body is 'pass'", "expected an indented block after %s on line %d", what, head.Line)
	}
	p.i++
	var body []Stmt
	for p.tok().kind != tDedent && p.tok().kind != tEOF {
		if p.tok().kind == tIndent {
			fail(p.pos(), "remove the spaces in front of the line", "unexpected indent")
		}
		if p.tok().kind == tNewline {
			p.i++
			continue
		}
		body = p.statement(body)
	}
	if p.tok().kind == tDedent {
		p.i++
	}
	return body
}

func (p *parser) compoundAhead() string {
	t := p.tok()
	if t.kind == tName {
		switch t.text {
		case "if", "for", "while", "def", "class", "try", "with":
			return t.text
		}
	}
	return ""
}
