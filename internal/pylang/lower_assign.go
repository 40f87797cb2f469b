package pylang

import (
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

func (lw *lowerer) assign(s *pysyntax.Assign) []syntax.Stmt {
	value := lw.expr(s.Value)
	k := lw.kind(s.Value)
	if len(s.Targets) == 1 {
		if lit, ok := s.Value.(*pysyntax.Tuple); ok && !hasStar(lit.Elts) {
			k = kTuple
		}
		return lw.assignTo(s.Targets[0], value, k)
	}
	tmp := lw.temp()
	out := []syntax.Stmt{lw.set(s.Pos, lw.ident(s.Pos, tmp), value)}
	for _, t := range s.Targets {
		out = append(out, lw.assignTo(t, lw.ident(s.Pos, tmp), k)...)
	}
	return out
}

func hasStar(list []pysyntax.Expr) bool {
	for _, e := range list {
		if _, ok := e.(*pysyntax.Starred); ok {
			return true
		}
	}
	return false
}

// nativeTarget lowers a target that Starlark can assign to as it is.
func (lw *lowerer) nativeTarget(t pysyntax.Expr, loop bool) (syntax.Expr, bool) {
	switch t := t.(type) {
	case *pysyntax.Name:
		v := lw.owner(t.ID)
		if v == nil {
			lw.invalid(t.Pos, "", "cannot assign to '%s' here", t.ID)
			return lw.ident(t.Pos, t.ID), true
		}
		return lw.load(t.Pos, v), true
	case *pysyntax.Attr:
		if !lw.attrAllowed(t) || lw.onFuncs[t.Name] {
			return nil, false
		}
		return lw.dot(t.NamePos, lw.expr(t.X), mangle(lw.scope.class, t.Name)), true
	case *pysyntax.Index:
		if _, ok := t.Sub.(*pysyntax.Slice); ok {
			return nil, false
		}
		if lw.nativeIndex(t) {
			lw.stores[syntaxPos{t.Lbrack.Line, t.Lbrack.Col}] = true
			return &syntax.IndexExpr{X: lw.expr(t.X), Lbrack: lw.pos(t.Lbrack), Y: lw.expr(t.Sub), Rbrack: lw.pos(t.Lbrack)}, true
		}
		return nil, false
	}
	elts := targetElts(t)
	if elts == nil || hasStar(elts) {
		return nil, false
	}
	out := make([]syntax.Expr, len(elts))
	for i, e := range elts {
		switch e.(type) {
		case *pysyntax.Tuple, *pysyntax.List:
			if !loop { // elements that are strings need a helper
				return nil, false
			}
		}
		x, ok := lw.nativeTarget(e, loop)
		if !ok {
			return nil, false
		}
		out[i] = x
	}
	return lw.tuple(t.Position(), out), true
}

// assignTo assigns a lowered value, of kinds k, to any target.
func (lw *lowerer) assignTo(t pysyntax.Expr, value syntax.Expr, k kinds) []syntax.Stmt {
	p := t.Position()
	switch t := t.(type) {
	case *pysyntax.Name, *pysyntax.Attr:
		if a, isAttr := t.(*pysyntax.Attr); isAttr && lw.onFuncs[a.Name] {
			return []syntax.Stmt{lw.do(lw.call(a.NamePos, "setattr", value, lw.expr(a.X), lw.str(a.NamePos, a.Name)))}
		}
		lhs, ok := lw.nativeTarget(t, false)
		if !ok {
			return nil
		}
		if a, isAttr := t.(*pysyntax.Attr); isAttr {
			p = a.NamePos
		}
		return []syntax.Stmt{lw.set(p, lhs, value)}
	case *pysyntax.Index:
		if sl, ok := t.Sub.(*pysyntax.Slice); ok {
			args := append([]syntax.Expr{value, lw.expr(t.X)}, lw.sliceArgs(sl)...)
			return []syntax.Stmt{lw.do(lw.call(t.Lbrack, "setslice", args...))}
		}
		if lhs, ok := lw.nativeTarget(t, false); ok {
			return []syntax.Stmt{lw.set(t.Lbrack, lhs, value)}
		}
		return []syntax.Stmt{lw.do(lw.call(t.Lbrack, "setitem", value, lw.expr(t.X), lw.expr(t.Sub)))}
	}
	elts := targetElts(t)
	if len(elts) == 0 {
		return []syntax.Stmt{lw.do(lw.call(p, "unpack", value, lw.int(p, 0), lw.int(p, -1)))}
	}
	if before, after, ok := starIn(t); ok {
		value = lw.call(p, "unpack", value, lw.int(p, before), lw.int(p, after))
	} else if k&^(kList|kTuple|kRange) != 0 {
		value = lw.call(p, "seq", value)
	}
	if lhs, ok := lw.nativeTarget(t, false); ok {
		return []syntax.Stmt{lw.set(p, lhs, value)}
	}
	// Element by element, in order.
	var out []syntax.Stmt
	tmps := make([]syntax.Expr, len(elts))
	for i, e := range elts {
		name := lw.temp()
		tmps[i] = lw.ident(e.Position(), name)
		if s, ok := e.(*pysyntax.Starred); ok {
			e = s.X
		}
		out = append(out, lw.assignTo(e, lw.ident(e.Position(), name), kAny)...)
	}
	return append([]syntax.Stmt{lw.set(p, lw.tuple(p, tmps), value)}, out...)
}

func (lw *lowerer) annAssign(s *pysyntax.AnnAssign) []syntax.Stmt {
	var out []syntax.Stmt
	if n, ok := s.Target.(*pysyntax.Name); ok && lw.scope.kind == classScope {
		cls := lw.classes[len(lw.classes)-1]
		field := "field"
		switch {
		case isAnnotation(s.Annotation, "ClassVar"):
			field = "classvar"
		case isAnnotation(s.Annotation, "InitVar"):
			field = "initvar"
		case isAnnotation(s.Annotation, "KW_ONLY"):
			field = "kwonly"
		}
		out = append(out, lw.do(lw.call(s.Pos, field, lw.ident(s.Pos, cls.ident), lw.str(s.Pos, mangle(lw.scope.class, n.ID)))))
	}
	if s.Value != nil {
		out = append(out, lw.assignTo(s.Target, lw.expr(s.Value), lw.kind(s.Value))...)
	}
	return out
}

// isAnnotation says whether an annotation is the named form of typing or
// dataclasses, subscripted or not.
func isAnnotation(e pysyntax.Expr, name string) bool {
	switch e := e.(type) {
	case *pysyntax.Name:
		return e.ID == name
	case *pysyntax.Attr:
		return e.Name == name
	case *pysyntax.Index:
		return isAnnotation(e.X, name)
	case *pysyntax.Str:
		return strings.HasPrefix(e.Value, name)
	}
	return false
}

// augTokens are the augmented operators for which a native one exists.
var augTokens = map[string]syntax.Token{
	"+": syntax.PLUS_EQ, "-": syntax.MINUS_EQ, "*": syntax.STAR_EQ, "/": syntax.SLASH_EQ, "//": syntax.SLASHSLASH_EQ,
	"%": syntax.PERCENT_EQ, "&": syntax.AMP_EQ, "|": syntax.PIPE_EQ, "^": syntax.CIRCUMFLEX_EQ,
}

func (lw *lowerer) augAssign(s *pysyntax.AugAssign) []syntax.Stmt {
	p := s.Pos
	native := lw.nativeAug(s.Op, s.Target, s.Value)
	if native {
		lw.augs[syntaxPos{p.Line, p.Col}] = true
	}
	if n, ok := s.Target.(*pysyntax.Name); ok {
		v := lw.owner(n.ID)
		if v == nil {
			lw.invalid(n.Pos, "assign it first", "name '%s' is not defined", n.ID)
			return nil
		}
		if native {
			return []syntax.Stmt{&syntax.AssignStmt{OpPos: lw.pos(p), Op: augTokens[s.Op], LHS: lw.load(n.Pos, v), RHS: lw.expr(s.Value)}}
		}
		return []syntax.Stmt{lw.set(p, lw.load(n.Pos, v), lw.call(p, "i"+opName[s.Op], lw.load(n.Pos, v), lw.expr(s.Value)))}
	}
	var out []syntax.Stmt
	keep := func(e pysyntax.Expr) syntax.Expr { // evaluate once
		if simple(e) {
			return lw.expr(e)
		}
		name := lw.temp()
		out = append(out, lw.set(e.Position(), lw.ident(e.Position(), name), lw.expr(e)))
		return lw.ident(e.Position(), name)
	}
	again := func(x syntax.Expr) syntax.Expr { // Starlark trees must not share nodes
		switch x := x.(type) {
		case *syntax.Ident:
			return &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		case *syntax.Literal:
			c := *x
			return &c
		case *syntax.DotExpr:
			if id, ok := x.X.(*syntax.Ident); ok {
				return &syntax.DotExpr{X: &syntax.Ident{NamePos: id.NamePos, Name: id.Name}, Dot: x.Dot, NamePos: x.NamePos, Name: &syntax.Ident{NamePos: x.NamePos, Name: x.Name.Name}}
			}
		}
		return x
	}
	switch t := s.Target.(type) {
	case *pysyntax.Attr:
		if !lw.attrAllowed(t) {
			return nil
		}
		name := mangle(lw.scope.class, t.Name)
		x := keep(t.X)
		if lw.onFuncs[t.Name] {
			read := lw.call(t.NamePos, "getattr", again(x), lw.str(t.NamePos, name))
			return append(out, lw.do(lw.call(t.NamePos, "setattr", lw.call(p, "i"+opName[s.Op], read, lw.expr(s.Value)), x, lw.str(t.NamePos, name))))
		}
		if native {
			return append(out, &syntax.AssignStmt{OpPos: lw.pos(p), Op: augTokens[s.Op], LHS: lw.dot(t.NamePos, x, name), RHS: lw.expr(s.Value)})
		}
		read := lw.dot(t.NamePos, again(x), name)
		return append(out, lw.set(p, lw.dot(t.NamePos, x, name), lw.call(p, "i"+opName[s.Op], read, lw.expr(s.Value))))
	case *pysyntax.Index:
		if sl, ok := t.Sub.(*pysyntax.Slice); ok {
			x := keep(t.X)
			bounds := lw.sliceArgs(sl)
			for i, b := range bounds {
				name := lw.temp()
				out = append(out, lw.set(p, lw.ident(p, name), b))
				bounds[i] = lw.ident(p, name)
			}
			dup := func() []syntax.Expr {
				r := make([]syntax.Expr, 3)
				for i, b := range bounds {
					r[i] = again(b)
				}
				return r
			}
			val := lw.call(p, "i"+opName[s.Op], lw.call(t.Lbrack, "slice", append([]syntax.Expr{again(x)}, dup()...)...), lw.expr(s.Value))
			return append(out, lw.do(lw.call(t.Lbrack, "setslice", append([]syntax.Expr{val, x}, bounds...)...)))
		}
		if native && lw.nativeIndex(t) {
			lhs := &syntax.IndexExpr{X: lw.expr(t.X), Lbrack: lw.pos(t.Lbrack), Y: lw.expr(t.Sub), Rbrack: lw.pos(t.Lbrack)}
			return []syntax.Stmt{&syntax.AssignStmt{OpPos: lw.pos(p), Op: augTokens[s.Op], LHS: lhs, RHS: lw.expr(s.Value)}}
		}
		if simple(s.Value) {
			return []syntax.Stmt{lw.do(lw.call(t.Lbrack, "augitem_"+opName[s.Op], lw.expr(t.X), lw.expr(t.Sub), lw.expr(s.Value)))}
		}
		x, i := keep(t.X), keep(t.Sub)
		val := lw.call(p, "i"+opName[s.Op], lw.call(t.Lbrack, "getitem", again(x), again(i)), lw.expr(s.Value))
		return append(out, lw.do(lw.call(t.Lbrack, "setitem", val, x, i)))
	}
	return nil
}

// simple says that evaluating e twice is the same as once, and that it cannot
// change anything.
func simple(e pysyntax.Expr) bool {
	switch e := e.(type) {
	case *pysyntax.Name, *pysyntax.Num, *pysyntax.Str, *pysyntax.Const:
		return true
	case *pysyntax.Unary:
		_, num := e.X.(*pysyntax.Num)
		return num && e.Op == "-"
	}
	return false
}

var opName = map[string]string{
	"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
	"<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor", "@": "matmul",
}
