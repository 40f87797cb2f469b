package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
)

// The walk over expressions and patterns that finds bindings.

func (a *analysis) pattern(p pysyntax.Pattern) {
	switch p := p.(type) {
	case *pysyntax.ValuePattern:
		a.expr(p.X)
	case *pysyntax.CapturePattern:
		if p.Name != "" {
			v := a.bind(p.Name, p.Pos)
			v.binds++
		}
		if p.Sub != nil {
			a.pattern(p.Sub)
		}
	case *pysyntax.OrPattern:
		for _, q := range p.Alts {
			a.pattern(q)
		}
	case *pysyntax.SequencePattern:
		for _, q := range p.Elts {
			a.pattern(q)
		}
	case *pysyntax.MappingPattern:
		a.exprs(p.Keys...)
		for _, q := range p.Values {
			a.pattern(q)
		}
		if p.Rest != "" {
			v := a.bind(p.Rest, p.Pos)
			v.binds++
		}
	case *pysyntax.ClassPattern:
		a.expr(p.Class)
		for _, q := range p.Args {
			a.pattern(q)
		}
	}
}

func (a *analysis) params(ps []pysyntax.Param) {
	for _, p := range ps {
		a.exprs(p.Default)
	}
}

func (a *analysis) bindParams(ps []pysyntax.Param) {
	for _, p := range ps {
		if p.Name != "" {
			v := a.cur.variable(p.Name)
			v.param = true
			v.emit = paramIdent(p)
			v.binds++
		}
	}
}

func (a *analysis) args(args []pysyntax.Arg) {
	for _, x := range args {
		a.expr(x.X)
	}
}

func (a *analysis) expr(e pysyntax.Expr) {
	switch e := e.(type) {
	case *pysyntax.FString:
		a.fparts(e.Parts)
	case *pysyntax.Tuple:
		a.exprs(e.Elts...)
	case *pysyntax.List:
		a.exprs(e.Elts...)
	case *pysyntax.Set:
		a.exprs(e.Elts...)
	case *pysyntax.Dict:
		for i, k := range e.Keys {
			a.exprs(k, e.Values[i])
		}
	case *pysyntax.Unary:
		a.expr(e.X)
	case *pysyntax.Binary:
		a.expr(e.X)
		a.expr(e.Y)
	case *pysyntax.BoolOp:
		a.exprs(e.Values...)
	case *pysyntax.Compare:
		a.expr(e.X)
		a.exprs(e.Ys...)
	case *pysyntax.Cond:
		a.exprs(e.Test, e.Then, e.Else)
	case *pysyntax.Call:
		a.cur.function().hasCalls = true
		a.expr(e.Fn)
		a.args(e.Args)
	case *pysyntax.Attr:
		a.expr(e.X)
	case *pysyntax.Index:
		a.expr(e.X)
		a.expr(e.Sub)
	case *pysyntax.Slice:
		a.exprs(e.Lo, e.Hi, e.Step)
	case *pysyntax.Lambda:
		a.params(e.Params)
		s := a.push(functionScope, e)
		s.lambda = e
		a.bindParams(e.Params)
		a.expr(e.Body)
		a.pop()
	case *pysyntax.Comp:
		a.expr(e.Clauses[0].X)
		a.push(compScope, e)
		for i, c := range e.Clauses {
			if i > 0 {
				a.expr(c.X)
			}
			a.target(c.Target)
			a.exprs(c.Ifs...)
		}
		a.exprs(e.Elt, e.Value)
		a.pop()
	case *pysyntax.Starred:
		a.expr(e.X)
	case *pysyntax.Await:
		a.expr(e.X)
	case *pysyntax.Yield:
		f := a.cur.function()
		f.gen = true
		a.exprs(e.X)
	case *pysyntax.Named:
		a.expr(e.X)
		a.box(e.Target.ID, e.Pos)
	}
}

func (a *analysis) fparts(parts []pysyntax.FPart) {
	for _, p := range parts {
		if p.X != nil {
			a.expr(p.X)
		}
		a.fparts(p.Spec)
	}
}

// mangle applies Python's renaming of __private names inside a class.
func mangle(class, name string) string {
	if class == "" || len(name) < 3 || name[:2] != "__" || name[len(name)-2:] == "__" {
		return name
	}
	for len(class) > 0 && class[0] == '_' {
		class = class[1:]
	}
	if class == "" {
		return name
	}
	return "_" + class + name
}

func firstPart(dotted string) string {
	for i := 0; i < len(dotted); i++ {
		if dotted[i] == '.' {
			return dotted[:i]
		}
	}
	return dotted
}

// loadCall recognises Starlark's load("module", "name", alias="name").
func loadCall(e pysyntax.Expr) *pysyntax.ImportFrom {
	c, ok := e.(*pysyntax.Call)
	if !ok || len(c.Args) < 2 {
		return nil
	}
	if n, ok := c.Fn.(*pysyntax.Name); !ok || n.ID != "load" {
		return nil
	}
	imp := &pysyntax.ImportFrom{Pos: c.Pos}
	for i, arg := range c.Args {
		s, ok := arg.X.(*pysyntax.Str)
		if !ok || arg.Star != 0 {
			return nil
		}
		if i == 0 {
			imp.Module = s.Value
			continue
		}
		al := pysyntax.Alias{Pos: arg.Pos, Name: s.Value, As: arg.Name}
		if al.As == "" {
			al.As = s.Value
		}
		imp.Names = append(imp.Names, al)
	}
	return imp
}
