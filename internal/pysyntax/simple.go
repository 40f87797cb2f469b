package pysyntax

// Statements of one line.

// simple parses a small statement.
func (p *parser) simple() Stmt {
	t := p.tok()
	pos := t.pos
	if t.kind == tName {
		switch t.text {
		case "pass":
			p.i++
			return &Pass{pos}
		case "type": // type X = ..., unless it is the built-in function
			if n := p.peekTok(); n.kind == tName && !keywords[n.text] {
				p.i++
				name, at := p.name()
				p.typeParams()
				p.expectOp("=")
				return &Assign{Pos: pos, Targets: []Expr{&Name{Pos: at, ID: name}}, Value: p.expr()}
			}
		case "break":
			p.i++
			return &Break{pos}
		case "continue":
			p.i++
			return &Continue{pos}
		case "return":
			p.i++
			s := &Return{Pos: pos}
			if !p.atEnd() {
				s.X = p.exprList()
			}
			return s
		case "raise":
			p.i++
			s := &Raise{Pos: pos}
			if !p.atEnd() {
				s.X = p.expr()
				if p.isOp(",") {
					fail(p.pos(), "this is Python 3: write raise ValueError(\"...\")", "invalid syntax in raise")
				}
				if p.acceptKw("from") {
					s.Cause = p.expr()
				}
			}
			return s
		case "global", "nonlocal":
			p.i++
			var names []string
			for {
				n, _ := p.name()
				names = append(names, n)
				if !p.acceptOp(",") {
					break
				}
			}
			if t.text == "global" {
				return &Global{pos, names}
			}
			return &Nonlocal{pos, names}
		case "del":
			p.i++
			s := &Del{Pos: pos}
			x := p.targetExprs()
			if tup, ok := x.(*Tuple); ok {
				s.Targets = tup.Elts
			} else {
				s.Targets = []Expr{x}
			}
			for _, x := range s.Targets {
				switch x.(type) {
				case *Name, *Attr, *Index:
				default:
					fail(x.Position(), "", "cannot delete this")
				}
			}
			return s
		case "assert":
			p.i++
			s := &Assert{Pos: pos, Test: p.expr()}
			if p.acceptOp(",") {
				s.Msg = p.expr()
			}
			return s
		case "import":
			p.i++
			s := &Import{Pos: pos}
			for {
				a := Alias{Pos: p.pos(), Name: p.dotted()}
				if p.acceptKw("as") {
					a.As, _ = p.name()
				}
				s.Names = append(s.Names, a)
				if !p.acceptOp(",") {
					return s
				}
			}
		case "from":
			return p.importFrom()
		}
	}
	return p.exprOrAssign(pos)
}

func (p *parser) dotted() string {
	s, _ := p.name()
	for n := 0; p.acceptOp("."); n++ {
		part, pos := p.name()
		s += "." + part
		if n > 50 {
			fail(pos, "", "module name is too long")
		}
	}
	return s
}

func (p *parser) importFrom() Stmt {
	s := &ImportFrom{Pos: p.pos()}
	p.i++
	for {
		if p.acceptOp(".") {
			s.Level++
		} else if p.acceptOp("...") {
			s.Level += 3
		} else {
			break
		}
	}
	if !p.isKw("import") {
		s.Module = p.dotted()
	}
	if !p.acceptKw("import") {
		fail(p.pos(), "", "expected 'import', found %s", p.tok().describe())
	}
	if p.isOp("*") {
		s.Names = []Alias{{Pos: p.pos(), Name: "*"}}
		p.i++
		return s
	}
	paren := p.acceptOp("(")
	for {
		a := Alias{Pos: p.pos()}
		a.Name, _ = p.name()
		if p.acceptKw("as") {
			a.As, _ = p.name()
		}
		s.Names = append(s.Names, a)
		if !p.acceptOp(",") || paren && p.isOp(")") {
			break
		}
	}
	if paren {
		p.expectOp(")")
	}
	return s
}

func (p *parser) atEnd() bool {
	t := p.tok()
	return t.kind == tNewline || t.kind == tEOF || t.kind == tOp && t.text == ";"
}

var augOps = map[string]string{"+=": "+", "-=": "-", "*=": "*", "/=": "/", "//=": "//", "%=": "%", "**=": "**", "&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>", "@=": "@"}

func (p *parser) exprOrAssign(pos Pos) Stmt {
	x := p.valueList()
	t := p.tok()
	if t.kind == tOp {
		if op, ok := augOps[t.text]; ok {
			p.i++
			switch x.(type) {
			case *Name, *Attr, *Index:
			default:
				fail(x.Position(), "", "this expression is an illegal target for augmented assignment")
			}
			return &AugAssign{Pos: t.pos, Target: x, Op: op, Value: p.valueList()}
		}
		if t.text == ":" {
			switch x.(type) {
			case *Name, *Attr, *Index:
				p.i++
				s := &AnnAssign{Pos: pos, Target: x, Annotation: p.expr()}
				if p.acceptOp("=") {
					s.Value = p.valueList()
				}
				return s
			}
			fail(t.pos, "", "invalid syntax: unexpected ':'")
		}
		if t.text == "=" {
			s := &Assign{Pos: t.pos}
			for p.acceptOp("=") {
				p.checkTarget(x, true)
				s.Targets = append(s.Targets, x)
				x = p.valueList()
				if len(s.Targets) > 100 {
					fail(pos, "", "too many chained assignments")
				}
			}
			s.Value = x
			return s
		}
	}
	return &ExprStmt{Pos: pos, X: x}
}

// checkTarget refuses what cannot be assigned to.
func (p *parser) checkTarget(x Expr, top bool) {
	what := ""
	switch x := x.(type) {
	case *Name, *Attr, *Index:
		return
	case *Tuple:
		p.checkTargets(x.Elts)
		return
	case *List:
		p.checkTargets(x.Elts)
		return
	case *Starred:
		if top {
			fail(x.Pos, "write *x, = values", "starred assignment target must be in a list or tuple")
		}
		p.checkTarget(x.X, false)
		return
	case *Call:
		what = "function call"
	case *Const:
		what = [...]string{"None", "True", "False", "ellipsis"}[x.Kind]
	case *Num, *Str, *FString, *Bytes:
		what = "literal"
	case *Compare:
		what = "comparison"
	case *Lambda:
		what = "lambda"
	case *Cond:
		what = "conditional expression"
	case *Await:
		what = "await expression"
	case *Comp:
		what = "comprehension"
	case *Dict, *Set:
		what = "literal"
	default:
		what = "expression"
	}
	fail(x.Position(), "use == to compare", "cannot assign to %s here", what)
}

func (p *parser) checkTargets(elts []Expr) {
	stars := 0
	for _, e := range elts {
		if s, ok := e.(*Starred); ok {
			if stars++; stars > 1 {
				fail(s.Pos, "", "multiple starred expressions in assignment")
			}
		}
		p.checkTarget(e, false)
	}
}
