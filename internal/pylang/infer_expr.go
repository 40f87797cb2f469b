package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
)

// expr visits an expression, for what it stores, and gives its kinds.
func (in *inference) expr(e pysyntax.Expr) kinds {
	if in.frozen {
		if k, ok := in.memo[e]; ok {
			return k
		}
		k := in.visit(e)
		in.memo[e] = k
		return k
	}
	return in.visit(e)
}

func (in *inference) visit(e pysyntax.Expr) kinds {
	switch e := e.(type) {
	case *pysyntax.Num:
		if _, ok := e.Value.(float64); ok {
			return kFloat
		}
		return kInt
	case *pysyntax.Str:
		return kStr
	case *pysyntax.FString:
		children(e, func(x pysyntax.Expr) { in.expr(x) })
		return kStr
	case *pysyntax.Const:
		switch e.Kind {
		case pysyntax.None:
			return kNone
		case pysyntax.True, pysyntax.False:
			return kBool
		}
		return kOther
	case *pysyntax.Name:
		return in.name(e)
	case *pysyntax.List:
		in.contents(e.Elts)
		return kList
	case *pysyntax.Tuple:
		in.contents(e.Elts)
		return kTuple
	case *pysyntax.Set:
		in.contents(e.Elts)
		return kOther
	case *pysyntax.Dict:
		for i, k := range e.Keys {
			v := in.expr(e.Values[i])
			if k == nil {
				in.store(in.elem(v))
				continue
			}
			in.store(v | in.expr(k))
		}
		return kDict
	case *pysyntax.Unary:
		k := in.expr(e.X)
		if e.Op == "not" {
			return kBool
		}
		if k&kOther != 0 {
			return kAny
		}
		if k&kBool != 0 {
			k |= kInt
		}
		return k & kNumber
	case *pysyntax.Binary:
		return in.binaryKind(e.Op, in.expr(e.X), in.expr(e.Y))
	case *pysyntax.BoolOp:
		var k kinds
		for _, v := range e.Values {
			k |= in.expr(v)
		}
		return k
	case *pysyntax.Compare:
		in.expr(e.X)
		for _, y := range e.Ys {
			in.expr(y)
		}
		return kBool
	case *pysyntax.Cond:
		in.expr(e.Test)
		return in.expr(e.Then) | in.expr(e.Else)
	case *pysyntax.Call:
		return in.call(e)
	case *pysyntax.Attr:
		return in.attr(e)
	case *pysyntax.Index:
		return in.index(e)
	case *pysyntax.Slice:
		in.exprOpt(e.Lo)
		in.exprOpt(e.Hi)
		in.exprOpt(e.Step)
		return kOther
	case *pysyntax.Lambda:
		in.lambda(e)
		return kOther
	case *pysyntax.Comp:
		return in.comp(e, true)
	case *pysyntax.Starred:
		return in.expr(e.X)
	case *pysyntax.Await:
		in.expr(e.X)
		return kAny
	case *pysyntax.Yield:
		if e.X != nil {
			k := in.expr(e.X)
			if e.From {
				k = in.elem(k)
			}
			in.store(k)
		}
		if e.From {
			return kAny
		}
		return kNone
	case *pysyntax.Named:
		k := in.expr(e.X)
		in.widen(in.lw.lookup(e.Target.ID), k)
		return k
	}
	return kAny
}

func (in *inference) contents(elts []pysyntax.Expr) {
	for _, x := range elts {
		k := in.expr(x)
		if _, star := x.(*pysyntax.Starred); star {
			k = in.elem(k)
		}
		in.store(k)
	}
}

func (in *inference) name(e *pysyntax.Name) kinds {
	v := in.lw.lookup(e.ID)
	if v == nil {
		if in.lw.isBuiltin(e.ID) || e.ID == "__name__" {
			return kOther | kStr
		}
		in.store(kAny) // the caller's variables and our API may hold anything
		return kAny
	}
	if v.def != nil && !v.escapes {
		v.escapes = true // used as a value
		in.changed = true
	}
	k := v.kinds
	// Names that hide a variable of the environment begin with its value.
	if v.scope.kind == moduleScope {
		_, c := in.lw.cfg.Context[v.name]
		_, p := in.lw.cfg.Predeclared[v.name]
		switch {
		case c || p:
			in.store(kAny)
			k = kAny
		case isBuiltinName(v.name):
			k |= kOther
		}
	}
	if k == 0 && in.frozen {
		return kAny // never reached as far as we see
	}
	return k
}

func (in *inference) lambda(e *pysyntax.Lambda) {
	for _, p := range e.Params {
		in.exprOpt(p.Default)
	}
	in.enter(e, func(s *scope) {
		for _, p := range e.Params {
			if p.Name == "" {
				continue
			}
			switch p.Star {
			case 1:
				in.widen(s.vars[p.Name], kTuple)
				in.store(kAny)
			case 2:
				in.widen(s.vars[p.Name], kDict)
				in.store(kAny)
			default:
				in.widen(s.vars[p.Name], kAny)
			}
		}
		k := in.expr(e.Body)
		in.returns(s, k)
		in.escape(k)
	})
}

// comp visits a comprehension; keep says that its elements land in a container.
func (in *inference) comp(e *pysyntax.Comp, keep bool) kinds {
	in.compElt(e, keep)
	switch e.Kind {
	case pysyntax.ListComp:
		return kList
	case pysyntax.DictComp:
		return kDict
	}
	return kOther
}

func (in *inference) compElt(e *pysyntax.Comp, keep bool) kinds {
	outerScope := in.lw.scope
	inner := in.lw.an.scopes[e]
	first := in.expr(e.Clauses[0].X)
	_ = first
	var k kinds
	for i, c := range e.Clauses {
		if i == 0 {
			// the first iterable belongs to the outer scope, its target to ours
			in.compTarget(inner, c)
			in.lw.scope = inner
		} else {
			in.loopTarget(c.Target, c.X)
		}
		for _, cond := range c.Ifs {
			in.expr(cond)
		}
		if c.Async {
			in.target(c.Target, kAny, nil)
		}
	}
	k = in.expr(e.Elt)
	if keep {
		in.store(k)
	}
	if e.Value != nil {
		in.store(in.expr(e.Value))
	}
	in.lw.scope = outerScope
	return k
}

// compTarget binds the first clause's target, evaluating its iterable outside.
func (in *inference) compTarget(inner *scope, c pysyntax.CompFor) {
	lw := in.lw
	outer := lw.scope
	elts := targetElts(c.Target)
	bind := func(t pysyntax.Expr, k kinds) {
		lw.scope = inner
		in.target(t, k, nil)
		lw.scope = outer
	}
	k := in.expr(c.X)
	if call, ok := c.X.(*pysyntax.Call); ok && !hasStar(elts) && len(call.Args) > 0 && plainArgs(call) {
		if n, ok := call.Fn.(*pysyntax.Name); ok && lw.lookup(n.ID) == nil && lw.isBuiltin(n.ID) {
			switch {
			case n.ID == "enumerate" && len(elts) == 2:
				e := in.elem(in.expr(call.Args[0].X))
				bind(elts[0], kInt)
				bind(elts[1], e)
				return
			case n.ID == "zip" && len(elts) == len(call.Args):
				for i, a := range call.Args {
					e := in.elem(in.expr(a.X))
					bind(elts[i], e)
				}
				return
			}
		}
	}
	bind(c.Target, in.elem(k))
}

func (in *inference) attr(e *pysyntax.Attr) kinds {
	if m := in.lw.moduleOf(e.X); m != nil {
		return moduleAttr(m.Name, e.Name)
	}
	in.expr(e.X)
	return in.heap | in.escaped | kOther
}

func moduleAttr(module, name string) kinds {
	if module == "math" {
		switch name {
		case "pi", "e", "tau", "inf", "nan":
			return kFloat
		}
	}
	return kAny
}

func (in *inference) index(e *pysyntax.Index) kinds {
	k := in.expr(e.X)
	if s, ok := e.Sub.(*pysyntax.Slice); ok {
		in.expr(s)
		if k&kOther != 0 {
			return kAny
		}
		return k & (kStr | kList | kTuple | kRange)
	}
	in.expr(e.Sub)
	if k&kOther != 0 {
		return kAny
	}
	var out kinds
	if k&kStr != 0 {
		out |= kStr
	}
	if k&kRange != 0 {
		out |= kInt
	}
	if k&kContainer != 0 {
		out |= in.heap
	}
	return out
}

// binaryKind gives the kinds of x op y.
func (in *inference) binaryKind(op string, x, y kinds) kinds {
	if (x|y)&kOther != 0 {
		return kAny
	}
	var out kinds
	if x&kBool != 0 {
		x |= kInt
	}
	if y&kBool != 0 {
		y |= kInt
	}
	nx, ny := x&kNumber, y&kNumber
	if nx != 0 && ny != 0 {
		switch op {
		case "/":
			out |= kFloat
		case "<<", ">>":
			out |= kInt
		case "&", "|", "^":
			out |= kInt
			if x&kBool != 0 && y&kBool != 0 {
				out |= kBool
			}
		default:
			if nx&kInt != 0 && ny&kInt != 0 {
				out |= kInt
				if op == "**" {
					out |= kFloat
				}
			}
			if (nx|ny)&kFloat != 0 {
				out |= kFloat
			}
		}
	}
	switch op {
	case "+":
		out |= x & y & (kStr | kList | kTuple)
		if x&kList != 0 {
			out |= kList // list += iterable
		}
	case "*":
		if y&kInt != 0 {
			out |= x & (kStr | kList | kTuple)
		}
		if x&kInt != 0 {
			out |= y & (kStr | kList | kTuple)
		}
	case "%":
		out |= x & kStr
	case "|":
		out |= x & kDict
	}
	return out
}
