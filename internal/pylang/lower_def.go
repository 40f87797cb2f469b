package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// params lowers parameters; their defaults belong to the enclosing scope.
func (lw *lowerer) params(ps []pysyntax.Param) []syntax.Expr {
	var out []syntax.Expr
	for _, p := range ps {
		at := lw.pos(p.Pos)
		switch {
		case p.Star == 1 && p.Name == "":
			out = append(out, &syntax.UnaryExpr{OpPos: at, Op: syntax.STAR})
		case p.Star == 1:
			out = append(out, &syntax.UnaryExpr{OpPos: at, Op: syntax.STAR, X: lw.ident(p.Pos, paramIdent(p))})
		case p.Star == 2:
			out = append(out, &syntax.UnaryExpr{OpPos: at, Op: syntax.STARSTAR, X: lw.ident(p.Pos, paramIdent(p))})
		case p.Default != nil:
			out = append(out, lw.binary(p.Pos, syntax.EQ, lw.ident(p.Pos, paramIdent(p)), lw.expr(p.Default)))
		default:
			out = append(out, lw.ident(p.Pos, paramIdent(p)))
		}
	}
	return out
}

// paramIdent is a parameter's identifier: no keyword can name one that is given by
// position only.
func paramIdent(p pysyntax.Param) string {
	if p.PosOnly {
		return p.Name + mark
	}
	return p.Name
}

// keywordOnly notes what messages about calls of a function must know: the parameters
// that are given by keyword only, or by position only, and how many must be given.
func (lw *lowerer) keywordOnly(fn string, ps []pysyntax.Param) {
	star := false
	for _, p := range ps {
		if p.PosOnly {
			lw.posOnly[fn+"."+p.Name] = true
		}
		if !star && p.Star == 0 && p.Default == nil {
			lw.required[fn]++
		}
		if p.Star == 1 {
			star = true
		} else if star && p.Star == 0 && p.Default == nil {
			lw.kwOnly[fn+"."+p.Name] = true
		}
	}
}

// boxes makes the boxes of a scope's variables.
func (lw *lowerer) boxes(p pysyntax.Pos, s *scope) []syntax.Stmt {
	var out []syntax.Stmt
	for _, v := range s.order {
		if !v.boxed || s.decl[v.name] != "" {
			continue
		}
		id := lw.ident(p, v.emit)
		scope := lw.str(p, v.name)
		if v.param {
			out = append(out, lw.set(p, id, lw.call(p, "lbox", scope, lw.ident(p, v.emit))))
		} else {
			out = append(out, lw.set(p, id, lw.call(p, "lbox", scope)))
		}
	}
	return out
}

func (lw *lowerer) def(s *pysyntax.Def) []syntax.Stmt {
	sc := lw.an.scopes[s]
	decorators := lw.exprs(s.Decorators)
	params := lw.params(s.Params)
	outer, flows, noHoist, last, handlers, qual := lw.scope, lw.flows, lw.noHoist, lw.last, lw.handlers, lw.qual
	name := lw.qual + s.Name
	lw.keywordOnly(name, s.Params)
	lw.qual = name + ".<locals>."
	lw.scope, lw.flows, lw.noHoist, lw.last, lw.handlers = sc, nil, 0, false, nil
	body := lw.boxes(s.Pos, sc)
	if sc.hasCalls {
		body = append([]syntax.Stmt{lw.do(lw.dot(s.Pos, lw.helper(s.Pos, "rt"), "d"))}, body...)
	}
	if s.Doc != "" {
		body = append([]syntax.Stmt{lw.do(lw.str(s.Pos, s.Doc))}, body...)
	}
	body = append(body, lw.stmts(s.Body)...)
	lw.scope, lw.flows, lw.noHoist, lw.last, lw.handlers, lw.qual = outer, flows, noHoist, last, handlers, qual

	v := lw.owner(s.Name)
	if v == nil {
		return nil
	}
	wrap := ""
	switch {
	case sc.async && sc.gen:
		wrap = "agenfn"
	case sc.async:
		wrap = "asyncfn"
	case sc.gen:
		wrap = "genfn"
	}
	notes := paramAnnotations(s)
	if wrap == "" && len(decorators) == 0 && !v.boxed && v.scope.kind == moduleScope && (!lw.annotations || notes == nil) {
		return []syntax.Stmt{lw.defStmt(s.Pos, v.emit, params, body)}
	}
	raw := name + mark + lw.temp() // errors show the qualified name
	out := []syntax.Stmt{lw.defStmt(s.Pos, raw, params, body)}
	var value syntax.Expr = lw.ident(s.Pos, raw)
	if wrap != "" {
		value = lw.call(s.Pos, wrap, value)
	}
	value = lw.annotate(s.Pos, value, notes)
	for i := len(decorators) - 1; i >= 0; i-- {
		value = lw.callExpr(s.Decorators[i].Position(), decorators[i], value)
	}
	return append(out, lw.set(s.NamePos, lw.load(s.NamePos, v), value))
}

func (lw *lowerer) class(s *pysyntax.Class) []syntax.Stmt {
	lw.checkClass(s)
	sc := lw.an.scopes[s]
	decorators := lw.exprs(s.Decorators)
	ident := s.Name + mark + lw.temp()
	var bases []syntax.Expr
	var kw []syntax.Expr
	for _, a := range s.Args {
		switch {
		case a.Name != "":
			kw = append(kw, lw.binary(a.Pos, syntax.EQ, lw.ident(a.Pos, a.Name), lw.expr(a.X)))
		default:
			bases = append(bases, lw.expr(a.X))
		}
	}
	args := []syntax.Expr{lw.str(s.Pos, s.Name), lw.tuple(s.Pos, bases), lw.str(s.Pos, s.Doc)}
	out := []syntax.Stmt{lw.set(s.Pos, lw.ident(s.Pos, ident), lw.call(s.Pos, "class", append(args, kw...)...))}

	outer, flows, last, qual := lw.scope, lw.flows, lw.last, lw.qual
	lw.scope, lw.flows, lw.last, lw.qual = sc, nil, false, lw.qual+s.Name+"."
	lw.classes = append(lw.classes, &classCtx{node: s, ident: ident, scope: sc})
	out = append(out, lw.stmts(s.Body)...)
	if lw.annotations {
		if notes := classAnnotations(s); notes != nil {
			out = append(out, lw.do(lw.annotate(s.Pos, lw.ident(s.Pos, ident), notes)))
		}
	}
	lw.classes = lw.classes[:len(lw.classes)-1]
	lw.scope, lw.flows, lw.last, lw.qual = outer, flows, last, qual

	var value syntax.Expr = lw.call(s.Pos, "endclass", lw.ident(s.Pos, ident))
	for i := len(decorators) - 1; i >= 0; i-- {
		value = lw.callExpr(s.Decorators[i].Position(), decorators[i], value)
	}
	v := lw.owner(s.Name)
	if v == nil {
		return out
	}
	return append(out, lw.set(s.NamePos, lw.load(s.NamePos, v), value))
}
