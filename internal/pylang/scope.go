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
	first   pysyntax.Pos  // the first of them
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
	if v.binds++; v.binds == 1 {
		v.first = pos
	}
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
