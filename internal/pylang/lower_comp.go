package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// comp lowers a comprehension. Lists, sets and dicts use Starlark's own;
// generator expressions become lazy iterators over lambdas.
func (lw *lowerer) comp(e *pysyntax.Comp) syntax.Expr {
	switch e.Kind {
	case pysyntax.GenExpr:
		return lw.genExpr(e)
	case pysyntax.SetComp:
		return lw.call(e.Pos, "set", lw.nativeComp(e, func() (syntax.Expr, bool) {
			x := lw.expr(e.Elt)
			if lw.kind(e.Elt)&(kList|kTuple|kDict|kOther) != 0 { // each is hashed before the next is computed
				x = lw.call(e.Elt.Position(), "hashable", x)
			}
			return x, false
		}))
	case pysyntax.DictComp:
		return lw.dictComp(e)
	}
	return lw.listComp(e)
}

// listComp lowers any comprehension as a list of its elements.
func (lw *lowerer) listComp(e *pysyntax.Comp) syntax.Expr {
	return lw.nativeComp(e, func() (syntax.Expr, bool) { return lw.expr(e.Elt), false })
}

func (lw *lowerer) dictComp(e *pysyntax.Comp) syntax.Expr {
	outer := lw.scope
	lw.scope = lw.an.scopes[e]
	plain := lw.kind(e.Elt)&(kBool|kOther) == 0
	lw.scope = outer
	if plain && !lw.inf.boolKeys {
		return lw.nativeComp(e, func() (syntax.Expr, bool) {
			return &syntax.DictEntry{Key: lw.expr(e.Elt), Colon: lw.pos(e.Pos), Value: lw.expr(e.Value)}, true
		})
	}
	return lw.call(e.Pos, "dict", lw.nativeComp(e, func() (syntax.Expr, bool) {
		return lw.call(e.Pos, "pair", lw.expr(e.Elt), lw.expr(e.Value)), false
	}))
}

// nativeComp lowers the clauses; body gives the element inside their scope. A
// comprehension whose body makes closures gets a function of its own, so that
// each evaluation has variables of its own, as in Python.
func (lw *lowerer) nativeComp(e *pysyntax.Comp, body func() (syntax.Expr, bool)) syntax.Expr {
	p := e.Pos
	outer := lw.scope
	first, check := lw.clauseIterable(e.Clauses[0])
	iife := lw.noHoist == 0 && makesClosure(e)
	var param string
	if iife {
		param = lw.temp()
	}
	lw.scope = lw.an.scopes[e]
	lw.noHoist++
	c := &syntax.Comprehension{Lbrack: lw.pos(p), Rbrack: lw.pos(p)}
	for i, cl := range e.Clauses {
		iter := first
		if i > 0 {
			var ck bool
			iter, ck = lw.clauseIterable(cl)
			check = check || ck
		} else if iife {
			iter = lw.ident(p, param)
		}
		at := lw.pos(cl.Pos)
		vars := lw.compTarget(flatTarget(cl.Target))
		c.Clauses = append(c.Clauses, &syntax.ForClause{For: at, Vars: vars, In: at, X: iter})
		for _, cond := range cl.Ifs {
			c.Clauses = append(c.Clauses, &syntax.IfClause{If: lw.pos(cond.Position()), Cond: lw.cond(cond)})
		}
	}
	c.Body, c.Curly = body()
	lw.noHoist--
	lw.scope = outer
	var out syntax.Expr = c
	if check {
		out = lw.call(p, "chk", out)
	}
	if iife {
		name := lw.temp()
		lw.hoisted = append(lw.hoisted, lw.defStmt(p, name, []syntax.Expr{lw.ident(p, param)}, []syntax.Stmt{lw.ret(p, out)}))
		return lw.callExpr(p, lw.ident(p, name), first)
	}
	return out
}

// nestedStar says that a star stands inside a nested target, as in a, (b, *c). The
// iterator then takes the values apart: it gives flat tuples.
func nestedStar(t pysyntax.Expr) bool {
	for _, e := range targetElts(t) {
		if elts := targetElts(e); elts != nil && (hasStar(elts) || nestedStar(e)) {
			return true
		}
	}
	return false
}

// clauseIterable is iterable for a clause of a comprehension.
func (lw *lowerer) clauseIterable(c pysyntax.CompFor) (syntax.Expr, bool) {
	if !nestedStar(c.Target) {
		return lw.iterable(c.X, c.Target, c.Async)
	}
	p := c.X.Position()
	low, _ := lw.iterable(c.X, &pysyntax.Name{Pos: p}, c.Async)
	return lw.call(p, "iterpat", low, lw.targetPattern(c.Target)), true
}

// targetPattern describes a target for iterpat: None for a name, and for a sequence
// the number of the starred element, or -1, and its elements.
func (lw *lowerer) targetPattern(t pysyntax.Expr) syntax.Expr {
	p := t.Position()
	elts := targetElts(t)
	if elts == nil {
		return lw.none(p)
	}
	star := -1
	list := []syntax.Expr{nil}
	for i, e := range elts {
		if s, ok := e.(*pysyntax.Starred); ok {
			star, e = i, s.X
		}
		list = append(list, lw.targetPattern(e))
	}
	list[0] = lw.int(p, star)
	return lw.tuple(p, list)
}

// flatTarget is what iterpat's tuples are bound to: the names of a nested target in a
// row.
func flatTarget(t pysyntax.Expr) pysyntax.Expr {
	if !nestedStar(t) {
		return t
	}
	flat := &pysyntax.Tuple{Pos: t.Position()}
	var walk func(pysyntax.Expr)
	walk = func(e pysyntax.Expr) {
		if s, ok := e.(*pysyntax.Starred); ok {
			e = s.X
		}
		if elts := targetElts(e); elts != nil {
			for _, x := range elts {
				walk(x)
			}
			return
		}
		flat.Elts = append(flat.Elts, e)
	}
	walk(t)
	return flat
}

// compTarget lowers a comprehension's target; only names can be bound there.
func (lw *lowerer) compTarget(t pysyntax.Expr) syntax.Expr {
	switch t := t.(type) {
	case *pysyntax.Name:
		return lw.ident(t.Pos, t.ID)
	case *pysyntax.Starred:
		return lw.compTarget(t.X)
	case *pysyntax.Tuple, *pysyntax.List:
		var list []syntax.Expr
		for _, e := range targetElts(t) {
			list = append(list, lw.compTarget(e))
		}
		return lw.tuple(t.Position(), list)
	}
	lw.invalid(t.Position(), "use a plain name", "this target is not available in a comprehension")
	return lw.ident(t.Position(), mark+"bad")
}

// makesClosure says whether evaluating the comprehension creates functions
// that may outlive it.
func makesClosure(e *pysyntax.Comp) bool {
	found := false
	var visit func(pysyntax.Expr)
	visit = func(x pysyntax.Expr) {
		if found || x == nil {
			return
		}
		switch x := x.(type) {
		case *pysyntax.Lambda:
			found = true
			return
		case *pysyntax.Comp:
			if x.Kind == pysyntax.GenExpr {
				found = true
				return
			}
		}
		children(x, visit)
	}
	visit(e.Elt)
	visit(e.Value)
	return found
}

// genExpr lowers (elt for target in x if cond ...) to nested lazy iterators,
// one lambda per clause.
func (lw *lowerer) genExpr(e *pysyntax.Comp) syntax.Expr {
	outer := lw.scope
	first, _ := lw.iterableLazy(e.Clauses[0].X)
	lw.scope = lw.an.scopes[e]
	lw.noHoist++
	out := lw.genClause(e, 0, first)
	lw.noHoist--
	lw.scope = outer
	return out
}

func (lw *lowerer) iterableLazy(x pysyntax.Expr) (syntax.Expr, bool) { return lw.expr(x), false }

func (lw *lowerer) genClause(e *pysyntax.Comp, i int, iter syntax.Expr) syntax.Expr {
	cl := e.Clauses[i]
	p := cl.Pos
	if nestedStar(cl.Target) {
		iter = lw.call(p, "iterpat", iter, lw.targetPattern(cl.Target))
		cl.Target = flatTarget(cl.Target)
	}
	var body syntax.Expr
	name := "genmap"
	if i+1 < len(e.Clauses) {
		inner, _ := lw.iterableLazy(e.Clauses[i+1].X)
		body = lw.genClause(e, i+1, inner)
		name = "genflat"
	} else {
		body = lw.expr(e.Elt)
	}
	if len(cl.Ifs) > 0 {
		conds := make([]syntax.Expr, len(cl.Ifs))
		for j, c := range cl.Ifs {
			conds[j] = lw.cond(c)
		}
		test := conds[0]
		for _, c := range conds[1:] {
			test = lw.binary(p, syntax.AND, test, c)
		}
		at := lw.pos(p)
		body = &syntax.CondExpr{If: at, Cond: test, True: body, ElsePos: at, False: lw.helper(p, "skip")}
	}
	arity := -1
	if elts := targetElts(cl.Target); elts != nil {
		arity = len(elts)
	}
	if before, after, ok := starIn(cl.Target); ok {
		iter = lw.call(p, "iterstar", iter, lw.int(p, before), lw.int(p, after))
	}
	return lw.call(p, name, iter, lw.int(p, arity), lw.targetLambda(p, cl.Target, body))
}

// targetLambda makes a lambda whose parameters are the names of a target;
// nested tuples become nested lambdas.
func (lw *lowerer) targetLambda(p pysyntax.Pos, target pysyntax.Expr, body syntax.Expr) syntax.Expr {
	elts := targetElts(target)
	if elts == nil {
		elts = []pysyntax.Expr{target}
	}
	var params []syntax.Expr
	seen := map[string]bool{} // of a name that stands twice, the last one counts
	for i := len(elts) - 1; i >= 0; i-- {
		e := elts[i]
		if s, ok := e.(*pysyntax.Starred); ok {
			e = s.X
		}
		switch e := e.(type) {
		case *pysyntax.Name:
			name := e.ID
			if seen[name] {
				name = lw.temp()
			}
			seen[name] = true
			params = append([]syntax.Expr{lw.ident(e.Pos, name)}, params...)
		case *pysyntax.Tuple, *pysyntax.List:
			name := lw.temp()
			params = append([]syntax.Expr{lw.ident(p, name)}, params...)
			inner := lw.targetLambda(p, e, body)
			at := lw.pos(p)
			body = &syntax.CallExpr{Fn: inner, Lparen: at, Rparen: at, Args: []syntax.Expr{&syntax.UnaryExpr{OpPos: at, Op: syntax.STAR, X: lw.call(p, "seq", lw.ident(p, name))}}}
		default:
			lw.invalid(e.Position(), "use a plain name", "this target is not available in a generator expression")
		}
	}
	return &syntax.LambdaExpr{Lambda: lw.pos(p), Params: params, Body: body}
}
