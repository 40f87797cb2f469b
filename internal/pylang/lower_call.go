package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// eager says that a built-in uses up its argument and cannot fail before it has,
// so that a generator expression may be a list.
func (lw *lowerer) eager(fn string, c *pysyntax.Comp) bool {
	outer := lw.scope
	lw.scope = lw.an.scopes[c]
	defer func() { lw.scope = outer }()
	const hashed = kNumber | kStr | kBool | kNone
	switch fn {
	case "list", "tuple", "sorted":
		return true
	case "set", "frozenset":
		return lw.kind(c.Elt)&^hashed == 0
	case "min", "max":
		k := lw.kind(c.Elt)
		return k&^(kNumber|kBool) == 0 || k == kStr
	case "sum":
		return lw.kind(c.Elt)&^(kNumber|kBool) == 0
	case "dict":
		pair, ok := c.Elt.(*pysyntax.Tuple)
		return ok && len(pair.Elts) == 2 && lw.kind(pair.Elts[0])&^hashed == 0
	}
	return false
}

func (lw *lowerer) callNode(e *pysyntax.Call) syntax.Expr {
	lw.checkCall(e)
	switch fn := e.Fn.(type) {
	case *pysyntax.Name:
		if lw.lookup(fn.ID) == nil && lw.isBuiltin(fn.ID) {
			if x := lw.builtinCall(e, fn); x != nil {
				return x
			}
		}
	case *pysyntax.Attr:
		if x := lw.methodCall(e, fn); x != nil {
			return x
		}
	}
	return lw.finishCall(e, lw.expr(e.Fn))
}

// builtinCall lowers calls of built-in functions that profit from being known.
func (lw *lowerer) builtinCall(e *pysyntax.Call, fn *pysyntax.Name) syntax.Expr {
	if fn.ID == "super" && len(e.Args) == 0 {
		return lw.super(e)
	}
	if len(e.Args) == 0 || e.Args[0].Star != 0 || e.Args[0].Name != "" {
		return nil
	}
	if c, ok := e.Args[0].X.(*pysyntax.Comp); ok && c.Kind == pysyntax.GenExpr {
		if x := lw.fold(e, fn, c); x != nil {
			return x
		}
		if lw.eager(fn.ID, c) {
			list := *c
			list.Kind = pysyntax.ListComp
			lw.an.scopes[&list] = lw.an.scopes[c]
			args := []syntax.Expr{lw.listComp(&list)}
			return lw.finishArgs(e, lw.builtin(fn), e.Args[1:], args)
		}
	}
	return nil
}

// fold turns any(...), all(...) and sum(...) over a generator expression into a
// loop in a function of its own: lazy as in Python, and without a list.
func (lw *lowerer) fold(e *pysyntax.Call, fn *pysyntax.Name, c *pysyntax.Comp) syntax.Expr {
	if lw.noHoist > 0 || len(e.Args) != 1 || bindsInside(c) {
		return nil
	}
	if fn.ID != "any" && fn.ID != "all" && fn.ID != "sum" {
		return nil
	}
	p := e.Pos
	first, check := lw.clauseIterable(c.Clauses[0])
	outer := lw.scope
	lw.scope = lw.an.scopes[c]
	flows := lw.flows
	lw.flows = nil
	param, acc := lw.temp(), lw.temp()
	lw.noHoist++
	elt := func() syntax.Expr { return lw.expr(c.Elt) }
	var body []syntax.Stmt
	var result syntax.Expr
	switch fn.ID {
	case "any":
		body = []syntax.Stmt{lw.ifStmt(p, lw.cond(c.Elt), []syntax.Stmt{lw.ret(p, lw.ident(p, "True"))}, nil)}
		result = lw.ident(p, "False")
	case "all":
		body = []syntax.Stmt{lw.ifStmt(p, lw.not(p, lw.cond(c.Elt)), []syntax.Stmt{lw.ret(p, lw.ident(p, "False"))}, nil)}
		result = lw.ident(p, "True")
	case "sum":
		k := lw.kind(c.Elt)
		if k == 0 || k&^kInt != 0 {
			body = []syntax.Stmt{lw.set(p, lw.ident(p, acc), lw.call(p, "add", lw.ident(p, acc), elt()))}
		} else {
			body = []syntax.Stmt{lw.set(p, lw.ident(p, acc), lw.binary(p, syntax.PLUS, lw.ident(p, acc), elt()))}
		}
		result = lw.ident(p, acc)
	}
	for i := len(c.Clauses) - 1; i >= 0; i-- {
		cl := c.Clauses[i]
		for j := len(cl.Ifs) - 1; j >= 0; j-- {
			body = []syntax.Stmt{lw.ifStmt(cl.Pos, lw.cond(cl.Ifs[j]), body, nil)}
		}
		iter, ck := syntax.Expr(lw.ident(p, param)), check
		if i > 0 {
			iter, ck = lw.clauseIterable(cl)
		}
		loop := []syntax.Stmt{&syntax.ForStmt{For: lw.pos(cl.Pos), Vars: lw.compTarget(flatTarget(cl.Target)), X: iter, Body: body}}
		if ck {
			loop = append(loop, lw.do(lw.dot(cl.Pos, lw.helper(p, "rt"), "e")))
		}
		body = loop
	}
	if fn.ID == "sum" {
		body = append([]syntax.Stmt{lw.set(p, lw.ident(p, acc), lw.int(p, 0))}, body...)
	}
	body = append(body, lw.ret(p, result))
	lw.noHoist--
	lw.flows = flows
	lw.scope = outer
	name := lw.temp()
	lw.hoisted = append(lw.hoisted, lw.defStmt(p, name, []syntax.Expr{lw.ident(p, param)}, body))
	return lw.callExpr(p, lw.ident(p, name), first)
}

// bindsInside says whether names of a clause shadow one another, which a
// function body cannot express as a comprehension does.
func bindsInside(c *pysyntax.Comp) bool {
	seen := map[string]bool{}
	dup := false
	var names func(pysyntax.Expr)
	names = func(t pysyntax.Expr) {
		switch t := t.(type) {
		case *pysyntax.Name:
			dup = dup || seen[t.ID]
			seen[t.ID] = true
		case *pysyntax.Starred:
			names(t.X)
		default:
			for _, e := range targetElts(t) {
				names(e)
			}
		}
	}
	for _, cl := range c.Clauses {
		names(cl.Target)
	}
	return dup
}

// methodCall lowers x.name(...) where name is a method of some built-in type:
// one helper per name, which chooses by the receiver.
func (lw *lowerer) methodCall(e *pysyntax.Call, fn *pysyntax.Attr) syntax.Expr {
	if !lw.attrAllowed(fn) {
		return lw.none(e.Pos)
	}
	if !isMethodName(fn.Name) || lw.isModule(fn.X) || lw.onFuncs[fn.Name] {
		return nil
	}
	recv := lw.expr(fn.X)
	if fn.Name == "join" && len(e.Args) == 1 && e.Args[0].Star == 0 && e.Args[0].Name == "" {
		if c, ok := e.Args[0].X.(*pysyntax.Comp); ok && c.Kind == pysyntax.GenExpr {
			return lw.callExpr(fn.NamePos, lw.helper(fn.NamePos, "m_join"), recv, lw.listComp(c))
		}
	}
	if !lw.surelyHas(lw.kind(fn.X), fn.Name) && !simpleArgs(e.Args) {
		// Python looks for the method before it evaluates the arguments.
		recv = lw.call(fn.NamePos, "hasmethod", recv, lw.str(fn.NamePos, fn.Name))
	}
	return lw.finishArgsAt(fn.NamePos, lw.helper(fn.NamePos, "m_"+fn.Name), e.Args, []syntax.Expr{recv})
}

// surelyHas says that every kind in k has the method.
func (lw *lowerer) surelyHas(k kinds, name string) bool {
	if k == 0 {
		return false
	}
	t := methodTables()
	for kind, typ := range map[kinds]string{kStr: "str", kList: "list", kTuple: "tuple", kDict: "dict", kInt: "int", kBool: "bool", kFloat: "float", kRange: "range"} {
		if k&kind != 0 && t[typ][name] == nil {
			return false
		}
	}
	return k&(kNone|kOther) == 0
}

// simpleArgs says that evaluating the arguments can neither fail nor do anything.
func simpleArgs(args []pysyntax.Arg) bool {
	for _, a := range args {
		if !simple(a.X) {
			switch x := a.X.(type) {
			case *pysyntax.Lambda:
			case *pysyntax.List:
				if len(x.Elts) > 0 {
					return false
				}
			case *pysyntax.Dict:
				if len(x.Keys) > 0 {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

func (lw *lowerer) finishCall(e *pysyntax.Call, fn syntax.Expr) syntax.Expr {
	return lw.finishArgs(e, fn, e.Args, nil)
}

func (lw *lowerer) finishArgs(e *pysyntax.Call, fn syntax.Expr, args []pysyntax.Arg, first []syntax.Expr) syntax.Expr {
	return lw.finishArgsAt(e.Lparen, fn, args, first)
}

// finishArgsAt lowers the arguments after those already lowered. Starlark
// takes one *args and one **kwargs, at the end; other mixtures are joined first.
func (lw *lowerer) finishArgsAt(p pysyntax.Pos, fn syntax.Expr, args []pysyntax.Arg, first []syntax.Expr) syntax.Expr {
	at := lw.pos(p)
	var pos []pysyntax.Expr
	var named []pysyntax.Arg
	var dstars []pysyntax.Expr
	names := map[string]bool{}
	stars, late := 0, false
	for _, a := range args {
		switch {
		case a.Star == 1:
			stars++
			late = late || len(named) > 0 || len(dstars) > 0
			pos = append(pos, &pysyntax.Starred{Pos: a.Pos, X: a.X})
		case a.Star == 2:
			dstars = append(dstars, a.X)
		case a.Name != "":
			if names[a.Name] {
				lw.problem(a.Pos, "syntax", "", "keyword argument repeated: %s", a.Name)
			}
			names[a.Name] = true
			named = append(named, a)
		default:
			pos = append(pos, a.X)
		}
	}
	call := &syntax.CallExpr{Fn: fn, Lparen: at, Rparen: at, Args: first}
	var star syntax.Expr
	if stars == 0 && len(pos)+len(first) <= 250 {
		call.Args = append(call.Args, lw.exprs(pos)...)
	} else {
		i := 0
		for i < len(pos) && i < 200 {
			if _, ok := pos[i].(*pysyntax.Starred); ok {
				break
			}
			call.Args = append(call.Args, lw.expr(pos[i]))
			i++
		}
		rest := pos[i:]
		if len(rest) == 1 {
			star = lw.call(p, "args", lw.expr(rest[0].(*pysyntax.Starred).X))
		} else {
			star = lw.starList(p, rest)
		}
	}
	for _, a := range named {
		if len(named) > 200 {
			lw.invalid(p, "pass a dict", "too many keyword arguments")
			break
		}
		call.Args = append(call.Args, lw.binary(a.Pos, syntax.EQ, lw.ident(a.Pos, a.Name), lw.expr(a.X)))
	}
	if star != nil {
		call.Args = append(call.Args, &syntax.UnaryExpr{OpPos: at, Op: syntax.STAR, X: star})
	}
	if len(dstars) > 0 {
		call.Args = append(call.Args, &syntax.UnaryExpr{OpPos: at, Op: syntax.STARSTAR, X: lw.call(p, "kwargs", lw.exprs(dstars)...)})
	}
	return call
}

func (lw *lowerer) super(e *pysyntax.Call) syntax.Expr {
	f := lw.scope.function()
	for f != nil && f.kind == functionScope && (f.parent == nil || f.parent.kind != classScope) {
		f = f.parent
	}
	if f == nil || f.kind != functionScope || f.def == nil || len(f.def.Params) == 0 || len(lw.classes) == 0 {
		lw.invalid(e.Pos, "call it inside a method", "super(): no arguments")
		return lw.none(e.Pos)
	}
	self := f.vars[f.def.Params[0].Name]
	return lw.call(e.Pos, "super", lw.ident(e.Pos, lw.classIdent(f.parent)), lw.load(e.Pos, self))
}

func (lw *lowerer) attr(e *pysyntax.Attr) syntax.Expr {
	if !lw.attrAllowed(e) {
		return lw.none(e.Pos)
	}
	name := mangle(lw.scope.class, e.Name)
	x := lw.expr(e.X)
	if isMethodName(name) || isDunder(name) || lw.onFuncs[name] {
		if !lw.isModule(e.X) {
			return lw.call(e.NamePos, "getattr", x, lw.str(e.NamePos, name))
		}
	}
	return lw.dot(e.NamePos, x, name)
}

func isDunder(name string) bool {
	return len(name) > 4 && name[:2] == "__" && name[len(name)-2:] == "__"
}
