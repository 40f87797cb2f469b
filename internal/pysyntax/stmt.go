package pysyntax

// compound parses a statement that begins with a keyword and has a block, or
// returns nil.
func (p *parser) compound(t *token) Stmt {
	switch t.text {
	case "if":
		return p.ifStmt()
	case "while":
		p.i++
		s := &While{Pos: t.pos, Test: p.namedExpr()}
		s.Body = p.block("'while' statement", t.pos)
		s.Else = p.elseBlock()
		return s
	case "for":
		return p.forStmt(false)
	case "def":
		return p.def(nil, false, t.pos)
	case "class":
		return p.class(nil)
	case "try":
		return p.try()
	case "with":
		return p.with(false)
	case "async":
		p.i++
		switch p.tok().text {
		case "def":
			return p.def(nil, true, t.pos)
		case "for":
			return p.forStmt(true)
		case "with":
			return p.with(true)
		}
		fail(p.pos(), "", "expected 'def', 'for' or 'with' after 'async'")
	case "match":
		return p.match()
	case "elif", "else", "except", "finally":
		fail(t.pos, "check the indentation of this block and the one above", "'%s' without a matching block before it", t.text)
	}
	return nil
}

func (p *parser) elseBlock() []Stmt {
	if p.isKw("else") {
		pos := p.pos()
		p.i++
		return p.block("'else' statement", pos)
	}
	return nil
}

func (p *parser) ifStmt() Stmt {
	s := &If{Pos: p.pos()}
	for {
		pos := p.pos()
		word := p.tok().text
		p.i++
		s.Tests = append(s.Tests, p.namedExpr())
		s.Bodies = append(s.Bodies, p.block("'"+word+"' statement", pos))
		if len(s.Tests) > maxDepth {
			fail(pos, "use a dict", "too many elif branches (more than %d)", maxDepth)
		}
		if !p.isKw("elif") {
			break
		}
	}
	s.Else = p.elseBlock()
	return s
}

func (p *parser) forStmt(async bool) Stmt {
	s := &For{Pos: p.pos(), Async: async}
	p.i++
	s.Target = p.targetList("in")
	if !p.acceptKw("in") {
		fail(p.pos(), "write: for x in values:", "expected 'in', found %s", p.tok().describe())
	}
	s.X = p.exprList()
	s.Body = p.block("'for' statement", s.Pos)
	s.Else = p.elseBlock()
	return s
}

func (p *parser) decorated() Stmt {
	var decs []Expr
	for p.isOp("@") {
		p.i++
		decs = append(decs, p.namedExpr())
		if p.tok().kind != tNewline {
			p.notStatement(p.tok())
		}
		for p.tok().kind == tNewline {
			p.i++
		}
		if len(decs) > 50 {
			fail(p.pos(), "", "too many decorators")
		}
	}
	pos := p.pos()
	switch {
	case p.isKw("def"):
		return p.def(decs, false, pos)
	case p.isKw("class"):
		return p.class(decs)
	case p.isKw("async") && p.peekTok().text == "def":
		p.i++
		return p.def(decs, true, pos)
	}
	fail(pos, "", "expected a function or class after its decorator")
	return nil
}

func (p *parser) def(decs []Expr, async bool, pos Pos) Stmt {
	p.i++
	s := &Def{Pos: pos, Decorators: decs, Async: async}
	s.Name, s.NamePos = p.name()
	p.typeParams()
	p.expectOp("(")
	s.Params = p.params(")", true)
	p.expectOp(")")
	if p.acceptOp("->") {
		s.Returns = p.expr()
	}
	s.Body = p.block("function definition", pos)
	s.Doc = docOf(s.Body)
	return s
}

// params reads parameters up to, not including, the closing token.
func (p *parser) params(closer string, annotated bool) []Param {
	var out []Param
	seen := map[string]bool{}
	star, dstar, dflt, slash := false, false, false, false
	for !p.isOp(closer) {
		prm := Param{Pos: p.pos()}
		if p.isOp("/") {
			if slash || star || len(out) == 0 {
				fail(p.pos(), "", "'/' cannot stand here")
			}
			slash = true
			for i := range out {
				out[i].PosOnly = true
			}
			p.i++
			if !p.acceptOp(",") {
				break
			}
			continue
		}
		if p.acceptOp("**") {
			prm.Star, dstar = 2, true
		} else if p.acceptOp("*") {
			if star {
				fail(prm.Pos, "", "* argument may appear only once")
			}
			prm.Star, star = 1, true
		} else if dstar {
			fail(prm.Pos, "", "arguments cannot follow var-keyword argument")
		}
		if prm.Star == 1 && p.isOp(",") {
			if n := p.peekTok(); n.kind == tOp && (n.text == closer || n.text == "**") {
				fail(prm.Pos, "", "named arguments must follow bare *")
			}
		} else {
			prm.Name, _ = p.name()
			if seen[prm.Name] {
				fail(prm.Pos, "", "duplicate argument '%s' in function definition", prm.Name)
			}
			seen[prm.Name] = true
			if annotated && p.acceptOp(":") {
				prm.Annotation = p.starOrExpr()
			}
			if prm.Star == 0 {
				if p.acceptOp("=") {
					prm.Default = p.expr()
					dflt = true
				} else if dflt && !star {
					fail(prm.Pos, "put parameters with defaults last", "non-default argument follows default argument")
				}
			}
		}
		if len(out) >= 250 {
			fail(prm.Pos, "take a dict", "too many parameters")
		}
		out = append(out, prm)
		if !p.acceptOp(",") {
			break
		}
	}
	if n := len(out); n > 0 && out[n-1].Star == 1 && out[n-1].Name == "" {
		fail(out[n-1].Pos, "", "named arguments must follow bare *")
	}
	return out
}

// typeParams skips [T, *Ts, **P: bound] behind the name of a function, a class or a
// type: hints are ignored.
func (p *parser) typeParams() {
	if !p.isOp("[") {
		return
	}
	p.i++
	for !p.isOp("]") {
		if p.isOp("*") || p.isOp("**") {
			p.i++
		}
		p.name()
		if p.acceptOp(":") {
			p.expr()
		}
		if p.acceptOp("=") {
			p.starOrExpr()
		}
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp("]")
}

func (p *parser) class(decs []Expr) Stmt {
	s := &Class{Pos: p.pos(), Decorators: decs}
	p.i++
	s.Name, s.NamePos = p.name()
	p.typeParams()
	if p.isOp("(") {
		p.i++
		s.Args = p.args()
	}
	s.Body = p.block("class definition", s.Pos)
	s.Doc = docOf(s.Body)
	return s
}

func (p *parser) try() Stmt {
	s := &Try{Pos: p.pos()}
	p.i++
	s.Body = p.block("'try' statement", s.Pos)
	for p.isKw("except") {
		h := Handler{Pos: p.pos()}
		p.i++
		star := p.acceptOp("*")
		if len(s.Handlers) > 0 && star != s.Group {
			fail(h.Pos, "", "cannot have both 'except' and 'except*' on the same 'try'")
		}
		if s.Group = star; star && p.isOp(":") {
			fail(p.pos(), "", "expected one or more exception types")
		}
		if !p.isOp(":") {
			h.Type = p.expr()
			if p.isOp(",") {
				fail(p.pos(), "write: except (A, B) as e:", "multiple exception types must be parenthesized")
			}
			if p.acceptKw("as") {
				h.Name, _ = p.name()
			}
		}
		if n := len(s.Handlers); n > 0 && s.Handlers[n-1].Type == nil {
			fail(s.Handlers[n-1].Pos, "", "default 'except:' must be last")
		}
		h.Body = p.block("'except' statement", h.Pos)
		s.Handlers = append(s.Handlers, h)
	}
	if len(s.Handlers) > 0 {
		s.Else = p.elseBlock()
	}
	if p.isKw("finally") {
		pos := p.pos()
		p.i++
		s.Finally = p.block("'finally' statement", pos)
	}
	if len(s.Handlers) == 0 && s.Finally == nil {
		fail(p.pos(), "", "expected 'except' or 'finally' block")
	}
	return s
}

func (p *parser) with(async bool) Stmt {
	s := &With{Pos: p.pos(), Async: async}
	p.i++
	paren := false
	if p.isOp("(") { // with (a as b, c as d): — only when an 'as' or ',' shows it
		save := p.i
		depth := 0
		for j := p.i; j < len(p.toks); j++ {
			t := &p.toks[j]
			if t.kind == tNewline || t.kind == tEOF {
				break
			}
			if t.kind == tOp {
				switch t.text {
				case "(", "[", "{":
					depth++
				case ")", "]", "}":
					depth--
				}
			}
			if depth == 1 && t.kind == tName && t.text == "as" {
				paren = true
			}
			if depth == 0 {
				break
			}
		}
		p.i = save
	}
	if paren {
		p.i++
	}
	for {
		it := WithItem{X: p.expr()}
		if p.acceptKw("as") {
			it.Target = p.primaryTarget()
		}
		s.Items = append(s.Items, it)
		if !p.acceptOp(",") || paren && p.isOp(")") {
			break
		}
	}
	if paren {
		p.expectOp(")")
	}
	s.Body = p.block("'with' statement", s.Pos)
	return s
}
