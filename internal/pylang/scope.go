package pylang

import (
	"fmt"

	"github.com/bmcis/bmcis/internal/pysyntax"
)

// This file finds the scopes of a program and where each name lives. Starlark
// resolves plain locals and globals as Python does; a variable needs a box
// when it is assigned from a place that becomes another Starlark function
// (the body of try and with, global and nonlocal) or can become unbound again.

type scopeKind int

const (
	moduleScope scopeKind = iota
	functionScope
	classScope
	compScope
)

// variable is a name in a scope.
type variable struct {
	name    string
	emit    string // the identifier in the lowered program
	scope   *scope
	boxed   bool
	param   bool
	binds   int           // places that bind it
	def     *pysyntax.Def // the only binding is this def
	imp     *importRef    // the only binding is this import
	value   pysyntax.Expr // the only binding is name = value
	class   *pysyntax.Class
	kinds   kinds
	escapes bool // a function used other than by calling it
}

// importRef is what an import bound a name to.
type importRef struct {
	module *Module
	member string // empty for the module itself
	pkg    string // dotted prefix for "import a.b", where a is no module
}

type scope struct {
	kind     scopeKind
	parent   *scope
	vars     map[string]*variable
	order    []*variable
	decl     map[string]string // global, nonlocal
	gen      bool
	async    bool
	closures int // try and with bodies open while analysing
	class    string
	ret      kinds
	def      *pysyntax.Def
	lambda   *pysyntax.Lambda
	hasCalls bool
}

// function returns the nearest scope that is not a comprehension.
func (s *scope) function() *scope {
	for s.kind == compScope {
		s = s.parent
	}
	return s
}

type analysis struct {
	module  *scope
	scopes  map[any]*scope // by *Def, *Lambda, *Comp, *Class
	cur     *scope
	pending []func()
	report  func(pos pysyntax.Pos, kind, msg, hint string)
}

func analyze(f *pysyntax.File, report func(pos pysyntax.Pos, kind, msg, hint string)) *analysis {
	a := &analysis{scopes: map[any]*scope{}, report: report}
	a.module = &scope{kind: moduleScope, vars: map[string]*variable{}, decl: map[string]string{}}
	a.cur = a.module
	a.stmts(f.Body)
	for _, fn := range a.pending {
		fn()
	}
	return a
}

func (a *analysis) push(kind scopeKind, node any) *scope {
	s := &scope{kind: kind, parent: a.cur, vars: map[string]*variable{}, decl: map[string]string{}, class: a.cur.class}
	if kind == compScope {
		s.closures = 0
	}
	a.scopes[node] = s
	a.cur = s
	return s
}

func (a *analysis) pop() { a.cur = a.cur.parent }

func (s *scope) variable(name string) *variable {
	v := s.vars[name]
	if v == nil {
		v = &variable{name: name, emit: name, scope: s}
		s.vars[name] = v
		s.order = append(s.order, v)
	}
	return v
}

// bind records an assignment of name in the current scope.
func (a *analysis) bind(name string, pos pysyntax.Pos) *variable {
	s := a.cur
	inner := s.function()
	if s.kind == compScope {
		// Only a walrus binds through a comprehension; its targets bind in it.
		s = inner
	}
	name = mangle(s.class, name)
	switch s.decl[name] {
	case "global":
		v := a.module.variable(name)
		v.binds++
		if s != a.module {
			v.boxed = true
			v.binds++ // never a constant binding
		}
		return v
	case "nonlocal":
		v := &variable{}
		a.pending = append(a.pending, func() {
			for p := s.parent; p != nil; p = p.parent {
				if p.kind == functionScope {
					if o := p.vars[name]; o != nil {
						o.boxed = true
						o.binds += 2
						return
					}
				}
			}
			a.report(pos, "syntax", fmt.Sprintf("no binding for nonlocal '%s' found", name), "assign it in the enclosing function first, or use global")
		})
		return v
	}
	v := s.variable(name)
	v.binds++
	if s.closures > 0 {
		v.boxed = true
	}
	return v
}

// unshadow gives a global its own identifier where a function around s has a local
// of the same name, which Starlark would find first.
func (a *analysis) unshadow(s *scope, name string) {
	a.pending = append(a.pending, func() {
		v := a.module.vars[name]
		for p := s.parent; p != nil && v != nil; p = p.parent {
			if p.kind == functionScope && p.vars[name] != nil {
				v.emit = name + mark + "global"
			}
		}
	})
}

func (a *analysis) box(name string, pos pysyntax.Pos) {
	v := a.bind(name, pos)
	v.boxed = true
	v.binds++
}

// target binds the names of an assignment target and visits its expressions.
func (a *analysis) target(x pysyntax.Expr) {
	switch x := x.(type) {
	case *pysyntax.Name:
		if a.cur.kind == compScope {
			v := a.cur.variable(x.ID)
			v.binds++
			return
		}
		a.bind(x.ID, x.Pos)
	case *pysyntax.Tuple:
		for _, e := range x.Elts {
			a.target(e)
		}
	case *pysyntax.List:
		for _, e := range x.Elts {
			a.target(e)
		}
	case *pysyntax.Starred:
		a.target(x.X)
	default:
		a.expr(x)
	}
}

func (a *analysis) closure(body []pysyntax.Stmt) {
	s := a.cur
	s.closures++
	a.stmts(body)
	s.closures--
}

func (a *analysis) stmts(list []pysyntax.Stmt) {
	for _, s := range list {
		a.stmt(s)
	}
}

func (a *analysis) exprs(list ...pysyntax.Expr) {
	for _, e := range list {
		if e != nil {
			a.expr(e)
		}
	}
}

func (a *analysis) stmt(s pysyntax.Stmt) {
	switch s := s.(type) {
	case *pysyntax.ExprStmt:
		a.expr(s.X)
		if imp := loadCall(s.X); imp != nil {
			for _, n := range imp.Names {
				a.bind(n.As, n.Pos)
			}
		}
	case *pysyntax.Assign:
		a.expr(s.Value)
		for _, t := range s.Targets {
			a.target(t)
		}
		if len(s.Targets) == 1 {
			if n, ok := s.Targets[0].(*pysyntax.Name); ok && a.cur.decl[n.ID] == "" {
				v := a.cur.variable(mangle(a.cur.class, n.ID))
				if v.binds == 1 {
					v.value = s.Value
				}
			}
		}
	case *pysyntax.AugAssign:
		a.expr(s.Value)
		if n, ok := s.Target.(*pysyntax.Name); ok {
			v := a.bind(n.ID, n.Pos)
			v.binds++
		} else {
			a.expr(s.Target)
		}
	case *pysyntax.AnnAssign:
		if s.Value != nil {
			a.expr(s.Value)
			a.target(s.Target)
		} else if n, ok := s.Target.(*pysyntax.Name); ok && a.cur.kind == functionScope {
			v := a.cur.variable(n.ID) // a bare annotation makes the name local
			v.binds += 2
		}
	case *pysyntax.For:
		a.expr(s.X)
		a.target(s.Target)
		a.stmts(s.Body)
		a.stmts(s.Else)
	case *pysyntax.While:
		a.expr(s.Test)
		a.stmts(s.Body)
		a.stmts(s.Else)
	case *pysyntax.If:
		for i, t := range s.Tests {
			a.expr(t)
			a.stmts(s.Bodies[i])
		}
		a.stmts(s.Else)
	case *pysyntax.Def:
		a.def(s)
	case *pysyntax.Class:
		a.exprs(s.Decorators...)
		a.args(s.Args)
		v := a.bind(s.Name, s.NamePos)
		if v.binds == 1 {
			v.class = s
		}
		inner := a.push(classScope, s)
		inner.class = s.Name
		a.stmts(s.Body)
		a.pop()
	case *pysyntax.Return:
		a.exprs(s.X)
	case *pysyntax.Raise:
		a.exprs(s.X, s.Cause)
	case *pysyntax.Try:
		if s.Finally != nil && len(s.Handlers) > 0 {
			a.cur.closures++
		}
		a.closure(s.Body)
		for _, h := range s.Handlers {
			a.exprs(h.Type)
			if h.Name != "" {
				a.box(h.Name, h.Pos)
			}
			a.stmts(h.Body)
		}
		a.stmts(s.Else)
		if s.Finally != nil && len(s.Handlers) > 0 {
			a.cur.closures--
		}
		a.stmts(s.Finally)
	case *pysyntax.With:
		n := 0
		for _, it := range s.Items {
			a.expr(it.X)
			if it.Target != nil {
				a.target(it.Target)
			}
			a.cur.closures++
			n++
		}
		a.stmts(s.Body)
		a.cur.closures -= n
	case *pysyntax.Import:
		for _, n := range s.Names {
			name := n.As
			if name == "" {
				name = firstPart(n.Name)
			}
			a.bind(name, n.Pos)
		}
	case *pysyntax.ImportFrom:
		for _, n := range s.Names {
			if n.Name == "*" {
				continue
			}
			name := n.As
			if name == "" {
				name = n.Name
			}
			a.bind(name, n.Pos)
		}
	case *pysyntax.Global:
		for _, n := range s.Names {
			if a.cur != a.module {
				if v := a.cur.vars[n]; v != nil {
					a.report(s.Pos, "syntax", fmt.Sprintf("name '%s' is used prior to global declaration", n), "move the global line to the top of the function")
				}
				a.cur.decl[n] = "global"
				a.unshadow(a.cur, n)
			}
		}
	case *pysyntax.Nonlocal:
		for _, n := range s.Names {
			if a.cur == a.module {
				a.report(s.Pos, "syntax", "nonlocal declaration not allowed at module level", "")
				continue
			}
			a.cur.decl[n] = "nonlocal"
		}
	case *pysyntax.Del:
		for _, t := range s.Targets {
			if n, ok := t.(*pysyntax.Name); ok {
				a.box(n.ID, n.Pos)
			} else {
				a.expr(t)
			}
		}
	case *pysyntax.Assert:
		a.exprs(s.Test, s.Msg)
	case *pysyntax.Match:
		a.expr(s.Subject)
		for _, c := range s.Cases {
			a.pattern(c.Pattern)
			a.exprs(c.Guard)
			a.stmts(c.Body)
		}
	}
}

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

func (a *analysis) def(s *pysyntax.Def) {
	a.exprs(s.Decorators...)
	v := a.bind(s.Name, s.NamePos)
	if v.binds == 1 {
		v.def = s
	}
	a.params(s.Params)
	inner := a.push(functionScope, s)
	inner.async, inner.def = s.Async, s
	a.bindParams(s.Params)
	a.stmts(s.Body)
	a.pop()
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
