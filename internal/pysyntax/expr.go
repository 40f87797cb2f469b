package pysyntax

// valueList parses what may stand right of =: expressions, stars, yield.
func (p *parser) valueList() Expr {
	if p.isKw("yield") {
		return p.yield()
	}
	return p.listOf(p.starOrNamed)
}

// exprList parses expressions with commas, as in return and for ... in.
func (p *parser) exprList() Expr { return p.listOf(p.starOrNamed) }

func (p *parser) listOf(one func() Expr) Expr {
	pos := p.pos()
	x := one()
	if !p.isOp(",") {
		return x
	}
	t := &Tuple{Pos: pos, Elts: []Expr{x}}
	for p.acceptOp(",") {
		if !p.startsExpr() {
			break
		}
		t.Elts = append(t.Elts, one())
	}
	return t
}

func (p *parser) startsExpr() bool {
	t := p.tok()
	switch t.kind {
	case tNumber, tString, tFString:
		return true
	case tName:
		if keywords[t.text] {
			switch t.text {
			case "None", "True", "False", "not", "lambda", "await", "yield":
				return true
			}
			return false
		}
		return true
	case tOp:
		switch t.text {
		case "(", "[", "{", "-", "+", "~", "*", "...":
			return true
		}
	}
	return false
}

func (p *parser) starOrNamed() Expr {
	if p.isOp("*") {
		pos := p.pos()
		p.i++
		return &Starred{pos, p.bitOr()}
	}
	return p.namedExpr()
}

func (p *parser) starOrExpr() Expr {
	if p.isOp("*") {
		p.i++
	}
	return p.expr()
}

// namedExpr parses an expression that may be name := value.
func (p *parser) namedExpr() Expr {
	if t := p.tok(); t.kind == tName && !keywords[t.text] {
		if n := p.peekTok(); n.kind == tOp && n.text == ":=" {
			p.i += 2
			return &Named{t.pos, &Name{t.pos, t.text}, p.expr()}
		}
	}
	return p.expr()
}

func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	if p.isKw("lambda") {
		pos := p.pos()
		p.i++
		l := &Lambda{Pos: pos, Params: p.params(":", false)}
		p.expectOp(":")
		l.Body = p.expr()
		return l
	}
	pos := p.pos()
	x := p.or()
	if !p.isKw("if") {
		return x
	}
	p.i++
	c := &Cond{Pos: pos, Then: x, Test: p.or()}
	if !p.acceptKw("else") {
		fail(p.pos(), "write: a if condition else b", "expected 'else' after 'if' expression")
	}
	c.Else = p.expr()
	return c
}

func (p *parser) or() Expr {
	return p.boolOp("or", func() Expr { return p.boolOp("and", p.not) })
}

func (p *parser) boolOp(op string, next func() Expr) Expr {
	pos := p.pos()
	x := next()
	if !p.isKw(op) {
		return x
	}
	b := &BoolOp{Pos: pos, Op: op, Values: []Expr{x}}
	for p.acceptKw(op) {
		b.Values = append(b.Values, next())
		p.chain(len(b.Values))
	}
	return b
}

func (p *parser) chain(n int) {
	if n > maxChain {
		fail(p.pos(), "split it, or use a list and join() or sum()", "the expression has more than %d parts in a row", maxChain)
	}
}

func (p *parser) not() Expr {
	if p.isKw("not") {
		pos := p.pos()
		p.i++
		p.enter()
		defer p.leave()
		return &Unary{pos, "not", p.not()}
	}
	return p.comparison()
}

func (p *parser) compOp() string {
	t := p.tok()
	if t.kind == tOp {
		switch t.text {
		case "<", ">", "==", ">=", "<=", "!=":
			p.i++
			return t.text
		case "<>":
			fail(t.pos, "this is Python 3: write !=", "invalid syntax: '<>' is not an operator")
		}
	} else if t.kind == tName {
		switch t.text {
		case "in":
			p.i++
			return "in"
		case "is":
			p.i++
			if p.acceptKw("not") {
				return "is not"
			}
			return "is"
		case "not":
			if n := p.peekTok(); n.kind == tName && n.text == "in" {
				p.i += 2
				return "not in"
			}
		}
	}
	return ""
}

func (p *parser) comparison() Expr {
	pos := p.pos()
	x := p.bitOr()
	op := p.compOp()
	if op == "" {
		return x
	}
	c := &Compare{Pos: pos, X: x}
	for op != "" {
		c.Ops = append(c.Ops, op)
		c.Ys = append(c.Ys, p.bitOr())
		p.chain(len(c.Ys) * 4)
		op = p.compOp()
	}
	return c
}

// The binary operators by falling looseness.
var binaryLevels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

func (p *parser) bitOr() Expr { return p.binary(0) }

func (p *parser) binary(level int) Expr {
	if level == len(binaryLevels) {
		return p.factor()
	}
	pos := p.pos()
	x := p.binary(level + 1)
	for n := 1; ; n++ {
		t := p.tok()
		if t.kind != tOp || !contains(binaryLevels[level], t.text) {
			return x
		}
		p.chain(n)
		p.i++
		x = &Binary{Pos: pos, Op: t.text, X: x, Y: p.binary(level + 1), OpPos: t.pos}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (p *parser) factor() Expr {
	t := p.tok()
	if t.kind == tOp && (t.text == "-" || t.text == "+" || t.text == "~") {
		p.i++
		p.enter()
		defer p.leave()
		return &Unary{t.pos, t.text, p.factor()}
	}
	return p.power()
}

func (p *parser) power() Expr {
	pos := p.pos()
	var x Expr
	if p.isKw("await") {
		p.i++
		p.enter()
		x = &Await{pos, p.primary()}
		p.leave()
	} else {
		x = p.primary()
	}
	if t := p.tok(); t.kind == tOp && t.text == "**" {
		p.i++
		p.enter()
		defer p.leave()
		return &Binary{Pos: pos, Op: "**", X: x, Y: p.factor(), OpPos: t.pos}
	}
	return x
}

func (p *parser) primary() Expr {
	pos := p.pos()
	x := p.atom()
	for n := 0; ; n++ {
		p.chain(n * 4)
		t := p.tok()
		if t.kind != tOp {
			return x
		}
		switch t.text {
		case ".":
			p.i++
			nt := p.tok()
			if nt.kind != tName || keywords[nt.text] {
				fail(nt.pos, "", "expected a name after '.', found %s", nt.describe())
			}
			p.i++
			x = &Attr{pos, x, nt.text, nt.pos}
		case "(":
			p.i++
			x = &Call{pos, x, p.args(), t.pos}
		case "[":
			p.i++
			x = &Index{pos, x, p.subscript(), t.pos}
			p.expectOp("]")
		default:
			return x
		}
	}
}

func (p *parser) subscript() Expr {
	pos := p.pos()
	x := p.subscriptItem()
	if !p.isOp(",") {
		return x
	}
	t := &Tuple{Pos: pos, Elts: []Expr{x}}
	for p.acceptOp(",") && !p.isOp("]") {
		t.Elts = append(t.Elts, p.subscriptItem())
	}
	return t
}

func (p *parser) subscriptItem() Expr {
	pos := p.pos()
	var lo, hi, step Expr
	if !p.isOp(":") {
		if p.isOp("]") {
			fail(pos, "", "expected an index between '[' and ']'")
		}
		lo = p.starOrNamed()
		if !p.isOp(":") {
			return lo
		}
	}
	p.expectOp(":")
	end := func() bool { return p.isOp("]") || p.isOp(",") || p.isOp(":") }
	if !end() {
		hi = p.expr()
	}
	if p.acceptOp(":") && !end() {
		step = p.expr()
	}
	return &Slice{pos, lo, hi, step}
}

// args reads the arguments of a call and its closing parenthesis.
func (p *parser) args() []Arg {
	var out []Arg
	named := false
	for !p.isOp(")") {
		a := Arg{Pos: p.pos()}
		switch {
		case p.acceptOp("**"):
			a.Star, named = 2, true
			a.X = p.expr()
		case p.acceptOp("*"):
			a.Star = 1
			a.X = p.expr()
		default:
			if t, n := p.tok(), p.peekTok(); t.kind == tName && n.kind == tOp && n.text == "=" {
				if keywords[t.text] {
					fail(t.pos, "", "expression cannot contain assignment: '%s' is a keyword", t.text)
				}
				a.Name, named = t.text, true
				p.i += 2
				a.X = p.expr()
				break
			}
			if named {
				fail(a.Pos, "put positional arguments first", "positional argument follows keyword argument")
			}
			a.X = p.namedExpr()
			if p.isKw("for") || p.isKw("async") {
				a.X = p.comprehension(a.Pos, GenExpr, a.X, nil)
				if len(out) > 0 || p.isOp(",") && p.peekTok().text != ")" {
					fail(a.Pos, "put parentheses around it", "generator expression must be parenthesized when it is not the only argument")
				}
			}
		}
		out = append(out, a)
		if !p.acceptOp(",") {
			break
		}
	}
	if !p.isOp(")") {
		t := p.tok()
		if t.kind == tOp && t.text == "=" {
			fail(t.pos, "use == to compare, or name=value for a keyword argument", "expression cannot contain assignment")
		}
		fail(t.pos, "is a comma missing?", "expected ',' or ')' in the call, found %s", t.describe())
	}
	p.i++
	return out
}

func (p *parser) yield() Expr {
	y := &Yield{Pos: p.pos()}
	p.i++
	if p.acceptKw("from") {
		y.From = true
		y.X = p.expr()
	} else if !p.atEnd() && !p.isOp(")") && !p.isOp("]") && !p.isOp("=") {
		y.X = p.exprList()
	}
	return y
}

// comprehension reads the for and if clauses after the element.
func (p *parser) comprehension(pos Pos, kind CompKind, elt, value Expr) Expr {
	c := &Comp{Pos: pos, Kind: kind, Elt: elt, Value: value}
	if _, ok := elt.(*Starred); ok {
		fail(pos, "use a second 'for' clause", "iterable unpacking cannot be used in comprehension")
	}
	for p.isKw("for") || p.isKw("async") {
		f := CompFor{Pos: p.pos()}
		if p.acceptKw("async") {
			f.Async = true
		}
		if !p.acceptKw("for") {
			fail(p.pos(), "", "expected 'for' after 'async'")
		}
		f.Target = p.targetList("in")
		if !p.acceptKw("in") {
			fail(p.pos(), "", "expected 'in', found %s", p.tok().describe())
		}
		f.X = p.or()
		for p.acceptKw("if") {
			f.Ifs = append(f.Ifs, p.noCond())
		}
		c.Clauses = append(c.Clauses, f)
		if len(c.Clauses) > 30 {
			fail(f.Pos, "use loops", "too many 'for' clauses")
		}
	}
	return c
}

// noCond parses a condition of a comprehension, where 'if' begins the next one.
func (p *parser) noCond() Expr {
	if t, n := p.tok(), p.peekTok(); t.kind == tName && !keywords[t.text] && n.kind == tOp && n.text == ":=" {
		return p.namedExpr()
	}
	if p.isKw("lambda") {
		return p.expr()
	}
	return p.or()
}

// targetList parses the target of a for loop.
func (p *parser) targetList(stop string) Expr {
	x := p.targetExprs()
	p.checkTarget(x, true)
	return x
}

func (p *parser) targetExprs() Expr {
	return p.listOf(func() Expr {
		if p.isOp("*") {
			pos := p.pos()
			p.i++
			return &Starred{pos, p.primary()}
		}
		return p.primary()
	})
}

func (p *parser) primaryTarget() Expr {
	x := p.primary()
	p.checkTarget(x, true)
	return x
}
