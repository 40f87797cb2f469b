package pylang

import "github.com/bmcis/bmcis/internal/pysyntax"

// children calls visit for each direct sub-expression of x; nil ones too.
func children(x pysyntax.Expr, visit func(pysyntax.Expr)) {
	list := func(xs []pysyntax.Expr) {
		for _, e := range xs {
			visit(e)
		}
	}
	switch x := x.(type) {
	case *pysyntax.FString:
		var parts func([]pysyntax.FPart)
		parts = func(ps []pysyntax.FPart) {
			for _, p := range ps {
				if p.X != nil {
					visit(p.X)
				}
				parts(p.Spec)
			}
		}
		parts(x.Parts)
	case *pysyntax.Tuple:
		list(x.Elts)
	case *pysyntax.List:
		list(x.Elts)
	case *pysyntax.Set:
		list(x.Elts)
	case *pysyntax.Dict:
		for i, k := range x.Keys {
			if k != nil {
				visit(k)
			}
			visit(x.Values[i])
		}
	case *pysyntax.Unary:
		visit(x.X)
	case *pysyntax.Binary:
		visit(x.X)
		visit(x.Y)
	case *pysyntax.BoolOp:
		list(x.Values)
	case *pysyntax.Compare:
		visit(x.X)
		list(x.Ys)
	case *pysyntax.Cond:
		visit(x.Test)
		visit(x.Then)
		visit(x.Else)
	case *pysyntax.Call:
		visit(x.Fn)
		for _, a := range x.Args {
			visit(a.X)
		}
	case *pysyntax.Attr:
		visit(x.X)
	case *pysyntax.Index:
		visit(x.X)
		visit(x.Sub)
	case *pysyntax.Slice:
		for _, e := range []pysyntax.Expr{x.Lo, x.Hi, x.Step} {
			if e != nil {
				visit(e)
			}
		}
	case *pysyntax.Lambda:
		for _, p := range x.Params {
			if p.Default != nil {
				visit(p.Default)
			}
		}
		visit(x.Body)
	case *pysyntax.Comp:
		for _, c := range x.Clauses {
			visit(c.X)
			visit(c.Target)
			list(c.Ifs)
		}
		visit(x.Elt)
		if x.Value != nil {
			visit(x.Value)
		}
	case *pysyntax.Starred:
		visit(x.X)
	case *pysyntax.Await:
		visit(x.X)
	case *pysyntax.Yield:
		if x.X != nil {
			visit(x.X)
		}
	case *pysyntax.Named:
		visit(x.X)
	}
}
