package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
)

// Inference finds what kinds of values variables can hold, so that lowering may
// use Starlark's own operators where they mean what Python means. It looks at
// the whole program, without regard to order: each variable, each function's
// result, and all contents of all containers and attributes together (the heap)
// is a set of kinds that only grows until nothing changes. What it cannot know
// is every kind, for which lowering uses helpers; so it may be coarse, never
// wrong.

// kinds is a set of the kinds of value an expression can have.
type kinds uint16

const (
	kNone kinds = 1 << iota
	kBool
	kInt
	kFloat
	kStr
	kList
	kTuple
	kDict
	kRange
	kOther // everything else: instances, iterators, functions, values of modules

	kAny       = kNone | kBool | kInt | kFloat | kStr | kList | kTuple | kDict | kRange | kOther
	kNumber    = kInt | kFloat
	kContainer = kList | kTuple | kDict
)

const maxRounds = 30

type inference struct {
	lw       *lowerer
	heap     kinds // contents of containers, attributes, iterators
	escaped  kinds // results of functions that are called from unknown places
	changed  bool
	frozen   bool // the result stands; kinds may be remembered
	memo     map[pysyntax.Expr]kinds
	boolKeys bool // a dict may have a bool among its keys
}

func infer(lw *lowerer, f *pysyntax.File) *inference {
	in := &inference{lw: lw, memo: map[pysyntax.Expr]kinds{}}
	if lw.path != sourceName { // the library sees containers of the program
		in.heap, in.escaped = kAny, kAny
	}
	lw.inf = in
	for range maxRounds {
		in.changed = false
		in.stmts(f.Body)
		if !in.changed {
			break
		}
	}
	if in.changed { // did not settle: know nothing
		in.heap, in.escaped = kAny, kAny
		for _, s := range lw.an.scopes {
			s.ret = kAny
			for _, v := range s.vars {
				v.kinds = kAny
			}
		}
		for _, v := range lw.an.module.vars {
			v.kinds = kAny
		}
	}
	in.boolKeys = in.heap&kBool != 0
	in.frozen = true
	lw.scope = lw.an.module
	return in
}

func (in *inference) store(k kinds) {
	if in.heap|k != in.heap {
		in.heap |= k
		in.changed = true
	}
}

func (in *inference) escape(k kinds) {
	if in.escaped|k != in.escaped {
		in.escaped |= k
		in.changed = true
	}
}

func (in *inference) widen(v *variable, k kinds) {
	if v == nil {
		return
	}
	if v.scope != nil && v.scope.kind == classScope {
		in.store(k)
	}
	if v.kinds|k != v.kinds {
		v.kinds |= k
		in.changed = true
	}
}

// enter runs body inside the scope of a node.
func (in *inference) enter(node any, body func(s *scope)) {
	lw := in.lw
	outer := lw.scope
	if s := lw.an.scopes[node]; s != nil {
		lw.scope = s
		body(s)
	}
	lw.scope = outer
}

func (in *inference) stmts(list []pysyntax.Stmt) {
	for _, s := range list {
		in.stmt(s)
	}
}

func (in *inference) stmt(s pysyntax.Stmt) {
	switch s := s.(type) {
	case *pysyntax.ExprStmt:
		if imp := loadCall(s.X); imp != nil {
			in.imports(imp)
			return
		}
		in.expr(s.X)
	case *pysyntax.Assign:
		if tup, ok := s.Value.(*pysyntax.Tuple); ok && len(s.Targets) == 1 {
			if elts := targetElts(s.Targets[0]); elts != nil && len(elts) == len(tup.Elts) && !hasStar(elts) && !hasStar(tup.Elts) {
				for i, e := range elts { // a, b = b, a builds no container
					in.target(e, in.expr(tup.Elts[i]), tup.Elts[i])
				}
				return
			}
		}
		k := in.expr(s.Value)
		for _, t := range s.Targets {
			in.target(t, k, s.Value)
		}
	case *pysyntax.AugAssign:
		k := in.binaryKind(s.Op, in.expr(s.Target), in.expr(s.Value))
		in.target(s.Target, k, nil)
		in.store(0)
		if s.Op == "+" {
			in.store(in.elem(in.expr(s.Value))) // list += iterable
		}
	case *pysyntax.AnnAssign:
		if s.Value != nil {
			in.target(s.Target, in.expr(s.Value), s.Value)
		}
	case *pysyntax.For:
		in.loopTarget(s.Target, s.X)
		if s.Async {
			in.target(s.Target, kAny, nil)
		}
		in.stmts(s.Body)
		in.stmts(s.Else)
	case *pysyntax.While:
		in.expr(s.Test)
		in.stmts(s.Body)
		in.stmts(s.Else)
	case *pysyntax.If:
		for i, t := range s.Tests {
			in.expr(t)
			in.stmts(s.Bodies[i])
		}
		in.stmts(s.Else)
	case *pysyntax.Def:
		in.def(s)
	case *pysyntax.Class:
		for _, d := range s.Decorators {
			in.expr(d)
		}
		for _, a := range s.Args {
			in.expr(a.X)
		}
		in.widen(in.lw.owner(s.Name), kOther)
		in.enter(s, func(*scope) { in.stmts(s.Body) })
	case *pysyntax.Return:
		k := kNone
		if s.X != nil {
			k = in.expr(s.X)
		}
		in.returns(in.lw.scope.function(), k)
	case *pysyntax.Raise:
		in.exprOpt(s.X)
		in.exprOpt(s.Cause)
	case *pysyntax.Try:
		in.stmts(s.Body)
		for _, h := range s.Handlers {
			in.exprOpt(h.Type)
			if h.Name != "" {
				in.widen(in.lw.owner(h.Name), kOther)
			}
			in.stmts(h.Body)
		}
		in.stmts(s.Else)
		in.stmts(s.Finally)
	case *pysyntax.With:
		for _, it := range s.Items {
			in.expr(it.X)
			if it.Target != nil {
				in.target(it.Target, kAny, nil)
			}
		}
		in.stmts(s.Body)
	case *pysyntax.Import:
		for _, n := range s.Names {
			name := n.As
			if name == "" {
				name = firstPart(n.Name)
			}
			in.widen(in.lw.owner(name), kOther)
			in.imported(n.Name)
		}
	case *pysyntax.ImportFrom:
		in.imports(s)
	case *pysyntax.Del:
		for _, t := range s.Targets {
			in.expr(t)
		}
	case *pysyntax.Assert:
		in.expr(s.Test)
		in.exprOpt(s.Msg)
	case *pysyntax.Match:
		in.expr(s.Subject)
		for _, c := range s.Cases {
			in.pattern(c.Pattern)
			in.exprOpt(c.Guard)
			in.stmts(c.Body)
		}
	}
}

func (in *inference) exprOpt(e pysyntax.Expr) {
	if e != nil {
		in.expr(e)
	}
}

func (in *inference) pattern(p pysyntax.Pattern) {
	switch p := p.(type) {
	case *pysyntax.ValuePattern:
		in.expr(p.X)
	case *pysyntax.CapturePattern:
		if p.Name != "" {
			in.widen(in.lw.owner(p.Name), kAny)
		}
		if p.Sub != nil {
			in.pattern(p.Sub)
		}
	case *pysyntax.OrPattern:
		for _, q := range p.Alts {
			in.pattern(q)
		}
	case *pysyntax.SequencePattern:
		for _, q := range p.Elts {
			in.pattern(q)
		}
	case *pysyntax.MappingPattern:
		for _, k := range p.Keys {
			in.expr(k)
		}
		for _, q := range p.Values {
			in.pattern(q)
		}
		if p.Rest != "" {
			in.widen(in.lw.owner(p.Rest), kDict)
		}
	case *pysyntax.ClassPattern:
		in.expr(p.Class)
		for _, q := range p.Args {
			in.pattern(q)
		}
	}
}

// contained says what a module's values may put into containers of a program;
// modules that are not listed may put anything there.
var contained = map[string]kinds{
	"math": kNumber | kTuple, "random": kNumber | kOther, "time": kNumber | kOther, "typing": kOther, "dataclasses": kOther, "string": kStr, "abc": kOther, "enum": kAny,
	"__future__": 0, "asyncio": kAny,
	"collections": kNumber | kTuple | kList | kDict | kStr | kNone | kOther, "itertools": kNumber | kTuple | kStr | kNone | kOther, "functools": kOther | kTuple | kDict,
	"heapq": kList | kOther, "bisect": kInt, "textwrap": kStr | kList, "statistics": kNumber | kList | kOther,
}

func (in *inference) imported(module string) {
	k, ok := contained[module]
	if !ok {
		k = kAny
	}
	in.store(k)
}

func (in *inference) imports(s *pysyntax.ImportFrom) {
	in.imported(s.Module)
	for _, n := range s.Names {
		name := n.As
		if name == "" {
			name = n.Name
		}
		in.widen(in.lw.owner(name), kAny)
	}
}

func (in *inference) returns(s *scope, k kinds) {
	if s.ret|k != s.ret {
		s.ret |= k
		in.changed = true
	}
}

// direct says that a function is only ever called by its name, so that all its
// calls are seen.
func direct(v *variable) bool {
	return v != nil && v.def != nil && v.binds == 1 && !v.escapes && len(v.def.Decorators) == 0 && v.scope.kind != classScope
}

func (in *inference) def(s *pysyntax.Def) {
	v := in.lw.owner(s.Name)
	for _, d := range s.Decorators {
		in.expr(d)
	}
	in.widen(v, kOther)
	known := direct(v)
	defaults := map[string]kinds{}
	for _, p := range s.Params {
		if p.Default != nil {
			defaults[p.Name] = in.expr(p.Default)
		}
	}
	in.enter(s, func(sc *scope) {
		for i, p := range s.Params {
			if p.Name == "" {
				continue
			}
			pv := sc.vars[p.Name]
			switch {
			case p.Star == 1:
				in.widen(pv, kTuple)
				if !known {
					in.store(kAny)
				}
			case p.Star == 2:
				in.widen(pv, kDict)
				if !known {
					in.store(kAny)
				}
			case known:
				in.widen(pv, defaults[p.Name])
			case i == 0 && v != nil && v.scope.kind == classScope && len(s.Decorators) == 0:
				in.widen(pv, kOther) // self
				if v.escapes {
					in.widen(pv, kAny)
				}
			default:
				in.widen(pv, kAny)
			}
		}
		in.stmts(s.Body)
		if fallsThrough(s.Body) {
			in.returns(sc, kNone)
		}
		if !known {
			in.escape(sc.ret)
		}
	})
}

// fallsThrough says whether the end of a body can be reached, as far as its
// last statement tells.
func fallsThrough(body []pysyntax.Stmt) bool {
	if len(body) == 0 {
		return true
	}
	switch s := body[len(body)-1].(type) {
	case *pysyntax.Return, *pysyntax.Raise:
		return false
	case *pysyntax.If:
		if s.Else == nil || fallsThrough(s.Else) {
			return true
		}
		for _, b := range s.Bodies {
			if fallsThrough(b) {
				return true
			}
		}
		return false
	}
	return true
}

// target gives the kinds k to an assignment target; value is what is assigned,
// where it is known.
func (in *inference) target(t pysyntax.Expr, k kinds, value pysyntax.Expr) {
	switch t := t.(type) {
	case *pysyntax.Name:
		in.widen(in.lw.owner(t.ID), k)
	case *pysyntax.Starred:
		in.store(k)
		in.target(t.X, kList, nil)
	case *pysyntax.Attr:
		if n, ok := t.X.(*pysyntax.Name); ok {
			if v := in.lw.lookup(n.ID); v != nil && (v.def != nil || v.param && returnsName(v.scope.def, n.ID)) {
				in.lw.onFuncs[t.Name] = true
			}
		}
		in.expr(t.X)
		in.store(k)
	case *pysyntax.Index:
		in.expr(t.X)
		if s, ok := t.Sub.(*pysyntax.Slice); ok {
			in.expr(s)
			in.store(in.elem(k))
			return
		}
		in.store(k | in.expr(t.Sub))
	default:
		for _, e := range targetElts(t) {
			in.target(e, in.elem(k), nil)
		}
	}
}

// loopTarget gives the elements of x to a loop's target.
func (in *inference) loopTarget(t, x pysyntax.Expr) {
	k := in.expr(x)
	elts := targetElts(t)
	if c, ok := x.(*pysyntax.Call); ok && !hasStar(elts) && len(c.Args) > 0 {
		if n, ok := c.Fn.(*pysyntax.Name); ok && in.lw.lookup(n.ID) == nil && in.lw.isBuiltin(n.ID) && plainArgs(c) {
			switch {
			case n.ID == "enumerate" && len(elts) == 2:
				in.target(elts[0], kInt|in.startKind(c), nil)
				in.nested(elts[1], in.elem(in.expr(c.Args[0].X)))
				return
			case n.ID == "zip" && len(elts) == len(c.Args):
				for i, a := range c.Args {
					in.nested(elts[i], in.elem(in.expr(a.X)))
				}
				return
			}
		}
	}
	in.target(t, in.elem(k), nil)
}

// startKind is what enumerate counts with: ints, also from a bool.
func (in *inference) startKind(c *pysyntax.Call) kinds { return kInt }

func (in *inference) nested(t pysyntax.Expr, k kinds) { in.target(t, k, nil) }

func plainArgs(c *pysyntax.Call) bool {
	for _, a := range c.Args {
		if a.Star != 0 || a.Name != "" {
			return false
		}
	}
	return true
}

// elem gives the kinds of the elements of a value of kinds k.
func (in *inference) elem(k kinds) kinds {
	var out kinds
	if k&kRange != 0 {
		out |= kInt
	}
	if k&kStr != 0 {
		out |= kStr
	}
	if k&kContainer != 0 {
		out |= in.heap
	}
	if k&kOther != 0 {
		out |= in.heap | in.escaped | kInt | kStr | kTuple
	}
	return out
}

// returnsName says whether a function, as a decorator may, returns a variable.
func returnsName(def *pysyntax.Def, name string) bool {
	if def == nil {
		return false
	}
	for _, s := range def.Body {
		if r, ok := s.(*pysyntax.Return); ok {
			n, ok := r.X.(*pysyntax.Name)
			return ok && n.ID == name
		}
	}
	return false
}
