package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// match lowers to a chain of ifs. A pattern becomes a helper's call that gives
// a tuple of what it binds, or None; captures are assigned from the tuple.
func (lw *lowerer) match(s *pysyntax.Match) []syntax.Stmt {
	p := s.Pos
	subject := lw.temp()
	done := lw.temp()
	out := []syntax.Stmt{lw.set(p, lw.ident(p, subject), lw.expr(s.Subject)), lw.set(p, lw.ident(p, done), lw.ident(p, "False"))}
	for _, c := range s.Cases {
		var caps []capture
		pat := lw.pattern(c.Pattern, &caps)
		saved := lw.hoisted
		lw.hoisted = nil
		got := lw.temp()
		body := []syntax.Stmt{}
		for i, cp := range caps {
			v := lw.owner(cp.name)
			if v == nil {
				continue
			}
			at := lw.pos(cp.pos)
			body = append(body, lw.set(cp.pos, lw.load(cp.pos, v), &syntax.IndexExpr{X: lw.ident(cp.pos, got), Lbrack: at, Y: lw.int(cp.pos, i), Rbrack: at}))
		}
		inner := append([]syntax.Stmt{lw.set(c.Pos, lw.ident(c.Pos, done), lw.ident(c.Pos, "True"))}, lw.stmts(c.Body)...)
		if c.Guard != nil {
			guard := lw.cond(c.Guard)
			body = append(body, lw.hoisted...)
			inner = []syntax.Stmt{lw.ifStmt(c.Pos, guard, inner, nil)}
		}
		lw.hoisted = saved
		body = append(body, inner...)
		test := []syntax.Stmt{
			lw.set(c.Pos, lw.ident(c.Pos, got), lw.call(c.Pos, "match", lw.ident(c.Pos, subject), pat)),
			lw.ifStmt(c.Pos, lw.binary(c.Pos, syntax.NEQ, lw.ident(c.Pos, got), lw.none(c.Pos)), body, nil),
		}
		out = append(out, lw.ifStmt(c.Pos, lw.not(c.Pos, lw.ident(c.Pos, done)), test, nil))
	}
	return out
}

type capture struct {
	name string
	pos  pysyntax.Pos
}

// pattern lowers a pattern to nested tuples that the helper interprets. The
// captures are numbered in the order in which they stand.
func (lw *lowerer) pattern(p pysyntax.Pattern, caps *[]capture) syntax.Expr {
	pos := p.Position()
	node := func(kind string, parts ...syntax.Expr) syntax.Expr {
		return lw.tuple(pos, append([]syntax.Expr{lw.str(pos, kind)}, parts...))
	}
	capt := func(name string) syntax.Expr {
		if name == "" {
			return lw.int(pos, -1)
		}
		for i, c := range *caps {
			if c.name == name {
				return lw.int(pos, i)
			}
		}
		*caps = append(*caps, capture{name, pos})
		return lw.int(pos, len(*caps)-1)
	}
	many := func(ps []pysyntax.Pattern) []syntax.Expr {
		out := make([]syntax.Expr, len(ps))
		for i, q := range ps {
			out[i] = lw.pattern(q, caps)
		}
		return out
	}
	switch p := p.(type) {
	case *pysyntax.ValuePattern:
		if _, ok := p.X.(*pysyntax.Const); ok {
			return node("is", lw.expr(p.X))
		}
		return node("value", lw.expr(p.X))
	case *pysyntax.CapturePattern:
		if p.Sub != nil {
			sub := lw.pattern(p.Sub, caps)
			return node("as", capt(p.Name), sub)
		}
		return node("capture", capt(p.Name))
	case *pysyntax.OrPattern:
		return node("or", many(p.Alts)...)
	case *pysyntax.SequencePattern:
		return node("seq", append([]syntax.Expr{lw.int(pos, p.Star)}, many(p.Elts)...)...)
	case *pysyntax.MappingPattern:
		return node("map", lw.tuple(pos, lw.exprs(p.Keys)), lw.tuple(pos, many(p.Values)), capt(p.Rest))
	case *pysyntax.ClassPattern:
		var names []syntax.Expr
		for _, n := range p.Names {
			names = append(names, lw.str(pos, n))
		}
		return node("class", lw.expr(p.Class), lw.tuple(pos, names), lw.tuple(pos, many(p.Args)))
	}
	lw.invalid(pos, "use if and elif", "this pattern is not available")
	return node("capture", lw.int(pos, -1))
}
