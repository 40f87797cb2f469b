package pysyntax

// match parses a match statement, or returns nil when 'match' is an ordinary
// name here: it is a statement only when a colon ends the line.
func (p *parser) match() Stmt {
	if !p.matchAhead() {
		return nil
	}
	m := &Match{Pos: p.pos()}
	p.i++
	m.Subject = p.exprList()
	p.expectOp(":")
	if p.tok().kind != tNewline || p.peekTok().kind != tIndent {
		fail(p.pos(), "", "expected an indented block of cases after 'match' statement")
	}
	p.i += 2
	for p.isKw("case") {
		c := Case{Pos: p.pos()}
		p.i++
		c.Pattern = p.patternList()
		if p.acceptKw("if") {
			c.Guard = p.namedExpr()
		}
		c.Body = p.block("'case' statement", c.Pos)
		m.Cases = append(m.Cases, c)
	}
	if len(m.Cases) == 0 || p.tok().kind != tDedent {
		fail(p.pos(), "", "expected 'case', found %s", p.tok().describe())
	}
	p.i++
	return m
}

func (p *parser) matchAhead() bool {
	n := p.peekTok()
	if n.kind == tNewline || n.kind == tOp && n.text != "(" && n.text != "[" && n.text != "{" && n.text != "-" && n.text != "*" {
		return false
	}
	if n.kind == tName && keywords[n.text] && n.text != "None" && n.text != "True" && n.text != "False" && n.text != "not" && n.text != "await" {
		return false
	}
	depth := 0
	for j := p.i + 1; j+2 < len(p.toks); j++ {
		t := &p.toks[j]
		if t.kind == tNewline || t.kind == tEOF {
			return false
		}
		if t.kind != tOp {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ":":
			if depth == 0 {
				return p.toks[j+1].kind == tNewline && p.toks[j+2].kind == tIndent
			}
		case "=":
			if depth == 0 {
				return false
			}
		}
	}
	return false
}

func (p *parser) patternList() Pattern {
	pos := p.pos()
	seq := &SequencePattern{Pos: pos, Star: -1}
	first := p.starPattern(seq)
	if !p.isOp(",") && seq.Star < 0 {
		return first
	}
	for p.acceptOp(",") {
		if p.isOp(":") || p.isKw("if") {
			break
		}
		p.starPattern(seq)
	}
	return seq
}

// starPattern adds one element of a sequence pattern to seq and returns it.
func (p *parser) starPattern(seq *SequencePattern) Pattern {
	var pat Pattern
	if p.isOp("*") {
		pos := p.pos()
		p.i++
		if seq.Star >= 0 {
			fail(pos, "", "multiple starred names in sequence pattern")
		}
		seq.Star = len(seq.Elts)
		n, _ := p.name()
		if n == "_" {
			n = ""
		}
		pat = &CapturePattern{Pos: pos, Name: n}
	} else {
		pat = p.pattern()
	}
	seq.Elts = append(seq.Elts, pat)
	return pat
}

func (p *parser) pattern() Pattern {
	p.enter()
	defer p.leave()
	pos := p.pos()
	pat := p.closedPattern()
	if p.isOp("|") {
		or := &OrPattern{Pos: pos, Alts: []Pattern{pat}}
		for p.acceptOp("|") {
			or.Alts = append(or.Alts, p.closedPattern())
		}
		pat = or
	}
	if p.acceptKw("as") {
		n, _ := p.name()
		return &CapturePattern{Pos: pos, Name: n, Sub: pat}
	}
	return pat
}

func (p *parser) closedPattern() Pattern {
	t := p.tok()
	switch {
	case t.kind == tNumber || t.kind == tString || t.kind == tOp && t.text == "-":
		return &ValuePattern{t.pos, p.binary(4)}
	case t.kind == tName && (t.text == "None" || t.text == "True" || t.text == "False"):
		return &ValuePattern{t.pos, p.atom()}
	case t.kind == tName && !keywords[t.text]:
		p.i++
		var x Expr = &Name{t.pos, t.text}
		dotted := false
		for p.acceptOp(".") {
			pos := p.pos()
			n, _ := p.name()
			x = &Attr{t.pos, x, n, pos}
			dotted = true
		}
		if p.acceptOp("(") {
			return p.classPattern(&ClassPattern{Pos: t.pos, Class: x})
		}
		if dotted {
			return &ValuePattern{t.pos, x}
		}
		if t.text == "_" {
			return &CapturePattern{Pos: t.pos}
		}
		return &CapturePattern{Pos: t.pos, Name: t.text}
	case t.kind == tOp && (t.text == "(" || t.text == "["):
		p.i++
		closer := map[string]string{"(": ")", "[": "]"}[t.text]
		seq := &SequencePattern{Pos: t.pos, Star: -1}
		comma := false
		for !p.isOp(closer) {
			p.starPattern(seq)
			if !p.acceptOp(",") {
				break
			}
			comma = true
		}
		p.expectOp(closer)
		if t.text == "(" && len(seq.Elts) == 1 && !comma && seq.Star < 0 {
			return seq.Elts[0]
		}
		return seq
	case t.kind == tOp && t.text == "{":
		p.i++
		m := &MappingPattern{Pos: t.pos}
		for !p.isOp("}") {
			if p.acceptOp("**") {
				m.Rest, _ = p.name()
			} else {
				m.Keys = append(m.Keys, p.binary(4))
				p.expectOp(":")
				m.Values = append(m.Values, p.pattern())
			}
			if !p.acceptOp(",") {
				break
			}
		}
		p.expectOp("}")
		return m
	}
	fail(t.pos, "", "invalid pattern: unexpected %s", t.describe())
	return nil
}

func (p *parser) classPattern(c *ClassPattern) Pattern {
	for !p.isOp(")") {
		name := ""
		if n := p.peekTok(); p.tok().kind == tName && n.kind == tOp && n.text == "=" {
			name = p.tok().text
			p.i += 2
		}
		c.Args = append(c.Args, p.pattern())
		c.Names = append(c.Names, name)
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	return c
}
