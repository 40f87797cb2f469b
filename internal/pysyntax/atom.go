package pysyntax

import "strings"

// atom parses names, literals and bracketed displays.
func (p *parser) atom() Expr {
	t := p.tok()
	switch t.kind {
	case tName:
		switch t.text {
		case "None":
			p.i++
			return &Const{t.pos, None}
		case "True":
			p.i++
			return &Const{t.pos, True}
		case "False":
			p.i++
			return &Const{t.pos, False}
		}
		if keywords[t.text] {
			fail(t.pos, "", "invalid syntax: unexpected keyword '%s'", t.text)
		}
		p.i++
		return &Name{t.pos, t.text}
	case tNumber:
		p.i++
		return &Num{t.pos, t.num, t.text}
	case tString, tFString:
		return p.stringAtom()
	case tOp:
		switch t.text {
		case "(":
			return p.paren()
		case "[":
			return p.bracket()
		case "{":
			return p.brace()
		case "...":
			p.i++
			return &Const{t.pos, Ellipsis}
		case "!":
			fail(t.pos, "write 'not x'", "invalid syntax: '!' is not an operator of Python")
		}
	case tIndent:
		fail(t.pos, "remove the spaces in front of the line", "unexpected indent")
	}
	if t.kind == tOp && (t.text == "++" || t.text == "&&" || t.text == "||") {
		fail(t.pos, "", "invalid syntax")
	}
	fail(t.pos, "", "invalid syntax: expected an expression, found %s", t.describe())
	return nil
}

// stringAtom joins adjacent literals.
func (p *parser) stringAtom() Expr {
	first := p.tok()
	var parts []FPart
	var text strings.Builder
	isF := false
	for n := 0; p.tok().kind == tString || p.tok().kind == tFString; n++ {
		t := p.tok()
		if t.bytes != first.bytes {
			fail(t.pos, "", "cannot mix bytes and nonbytes literals")
		}
		p.i++
		if t.kind == tFString {
			isF = true
			if text.Len() > 0 {
				parts = append(parts, FPart{Text: text.String()})
				text.Reset()
			}
			parts = append(parts, p.fparts(t.parts)...)
			continue
		}
		if isF {
			parts = append(parts, FPart{Text: t.text})
		} else {
			text.WriteString(t.text)
		}
	}
	switch {
	case first.bytes:
		return &Bytes{first.pos, text.String()}
	case isF:
		return &FString{first.pos, parts}
	}
	return &Str{first.pos, text.String()}
}

func (p *parser) fparts(in []fpart) []FPart {
	var out []FPart
	for _, f := range in {
		if !f.isExpr {
			out = append(out, FPart{Text: f.text})
			continue
		}
		if f.debug != "" {
			out = append(out, FPart{Text: f.debug})
		}
		sub := p.lx.sub(f)
		q := &parser{lx: sub, src: p.src, depth: p.depth}
		q.toks = sub.run(true)
		x := q.valueList()
		if t := q.tok(); t.kind != tEOF {
			fail(t.pos, "", "f-string: invalid syntax: unexpected %s", t.describe())
		}
		part := FPart{X: x, Conv: f.conv, Spec: p.fparts(f.spec)}
		if f.hasSpec && f.conv == 0 && f.debug != "" && len(f.spec) == 0 {
			part.Conv = 0
		}
		out = append(out, part)
	}
	return out
}

func (p *parser) paren() Expr {
	pos := p.pos()
	p.i++
	p.enter()
	defer p.leave()
	if p.acceptOp(")") {
		return &Tuple{Pos: pos}
	}
	if p.isKw("yield") {
		y := p.yield()
		p.expectOp(")")
		return y
	}
	x := p.starOrNamed()
	if p.isKw("for") || p.isKw("async") {
		x = p.comprehension(pos, GenExpr, x, nil)
	} else if p.isOp(",") {
		t := &Tuple{Pos: pos, Elts: []Expr{x}}
		for p.acceptOp(",") && !p.isOp(")") {
			t.Elts = append(t.Elts, p.starOrNamed())
		}
		x = t
	} else if s, ok := x.(*Starred); ok {
		fail(s.Pos, "write (*x,)", "cannot use starred expression here")
	}
	p.closing(")", pos)
	return x
}

func (p *parser) closing(op string, open Pos) {
	if !p.acceptOp(op) {
		t := p.tok()
		if t.kind == tOp && t.text == "=" {
			fail(t.pos, "use == to compare, or := to assign", "invalid syntax: unexpected '='")
		}
		fail(t.pos, "is a comma missing?", "expected '%s' or ',', found %s", op, t.describe())
	}
}

func (p *parser) bracket() Expr {
	pos := p.pos()
	p.i++
	p.enter()
	defer p.leave()
	l := &List{Pos: pos}
	if p.acceptOp("]") {
		return l
	}
	x := p.starOrNamed()
	if p.isKw("for") || p.isKw("async") {
		c := p.comprehension(pos, ListComp, x, nil)
		p.closing("]", pos)
		return c
	}
	l.Elts = append(l.Elts, x)
	for p.acceptOp(",") && !p.isOp("]") {
		l.Elts = append(l.Elts, p.starOrNamed())
	}
	p.closing("]", pos)
	return l
}

func (p *parser) brace() Expr {
	pos := p.pos()
	p.i++
	p.enter()
	defer p.leave()
	d := &Dict{Pos: pos}
	if p.acceptOp("}") {
		return d
	}
	if p.isOp("**") || p.dictAhead() {
		return p.dict(d)
	}
	x := p.starOrNamed()
	if p.isOp(":") {
		p.i++
		v := p.expr()
		if p.isKw("for") || p.isKw("async") {
			c := p.comprehension(pos, DictComp, x, v)
			p.closing("}", pos)
			return c
		}
		d.Keys, d.Values = append(d.Keys, x), append(d.Values, v)
		if p.acceptOp(",") {
			return p.dict(d)
		}
		p.closing("}", pos)
		return d
	}
	if p.isKw("for") || p.isKw("async") {
		c := p.comprehension(pos, SetComp, x, nil)
		p.closing("}", pos)
		return c
	}
	s := &Set{Pos: pos, Elts: []Expr{x}}
	for p.acceptOp(",") && !p.isOp("}") {
		s.Elts = append(s.Elts, p.starOrNamed())
	}
	p.closing("}", pos)
	return s
}

func (p *parser) dictAhead() bool { return false }

// dict reads the entries that follow.
func (p *parser) dict(d *Dict) Expr {
	for !p.isOp("}") {
		if p.acceptOp("**") {
			d.Keys, d.Values = append(d.Keys, nil), append(d.Values, p.bitOr())
		} else {
			k := p.expr()
			if !p.acceptOp(":") {
				fail(p.pos(), "write key: value", "':' expected after dictionary key")
			}
			d.Keys, d.Values = append(d.Keys, k), append(d.Values, p.expr())
		}
		if !p.acceptOp(",") {
			break
		}
	}
	p.closing("}", d.Pos)
	return d
}
