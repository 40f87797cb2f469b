package pylang

import (
	"regexp"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Annotations are not evaluated, since they may name what is not here, except in
// programs that look at them. There, each function and class with annotations keeps a
// function that computes them; it is called when they are asked for.

// reAnnotations finds out whether a program looks at annotations.
var reAnnotations = regexp.MustCompile(`__annotations__|get_type_hints|\.register\b|\bfields\b`)

// annotated is a name with its annotation.
type annotated struct {
	name string
	expr pysyntax.Expr
}

// annotate wraps a lowered function or class so that it knows its annotations.
func (lw *lowerer) annotate(p pysyntax.Pos, value syntax.Expr, list []annotated) syntax.Expr {
	if !lw.annotations || len(list) == 0 {
		return value
	}
	lw.noHoist++
	var entries []syntax.Expr
	for _, a := range list {
		before := len(lw.problems)
		x := lw.expr(a.expr)
		if len(lw.problems) > before { // a name for type checkers alone
			for _, p := range lw.problems[before:] {
				delete(lw.seen, p.key())
			}
			lw.problems = lw.problems[:before]
			continue
		}
		entries = append(entries, lw.tuple(p, []syntax.Expr{lw.str(p, a.name), x}))
	}
	lw.noHoist--
	at := lw.pos(p)
	pairs := &syntax.ListExpr{Lbrack: at, List: entries, Rbrack: at}
	return lw.call(p, "annotate", value, &syntax.LambdaExpr{Lambda: at, Body: pairs})
}

// paramAnnotations lists those of a function.
func paramAnnotations(s *pysyntax.Def) []annotated {
	var list []annotated
	for _, p := range s.Params {
		if p.Annotation != nil {
			list = append(list, annotated{p.Name, p.Annotation})
		}
	}
	if s.Returns != nil {
		list = append(list, annotated{"return", s.Returns})
	}
	return list
}

// classAnnotations lists those of a class body.
func classAnnotations(s *pysyntax.Class) []annotated {
	var list []annotated
	for _, st := range s.Body {
		if a, ok := st.(*pysyntax.AnnAssign); ok {
			if n, ok := a.Target.(*pysyntax.Name); ok {
				list = append(list, annotated{n.ID, a.Annotation})
			}
		}
	}
	return list
}

// annotationsOf is __annotations__ of a function or class, nil when it has none.
func (rt *runtime) annotationsOf(v starlark.Value) (*starlark.Dict, error) {
	if d := rt.annotations[v]; d != nil {
		return d, nil
	}
	compute := rt.annotators[v]
	if compute == nil {
		return nil, nil
	}
	pairs, err := rt.call(compute, nil, nil)
	if err != nil {
		return nil, err
	}
	d := new(starlark.Dict)
	if err := rt.dictUpdate(d, pairs); err != nil {
		return nil, err
	}
	if rt.annotations == nil {
		rt.annotations = map[starlark.Value]*starlark.Dict{}
	}
	rt.annotations[v] = d
	return d, nil
}

// typeHints is typing.get_type_hints: for a class, those of its bases come first.
func (rt *runtime) typeHints(v starlark.Value) (starlark.Value, error) {
	out := new(starlark.Dict)
	from := []starlark.Value{v}
	if c, ok := v.(*Class); ok {
		from = nil
		for i := len(c.mro) - 1; i >= 0; i-- {
			from = append(from, c.mro[i])
		}
	}
	if b, ok := v.(*boundMethod); ok {
		from = []starlark.Value{b.fn}
	}
	for _, x := range from {
		d, err := rt.annotationsOf(x)
		if err != nil {
			return nil, err
		}
		if d != nil {
			if err := rt.dictUpdate(out, d); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
