package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

func (lw *lowerer) stmt(s pysyntax.Stmt) []syntax.Stmt {
	switch s := s.(type) {
	case *pysyntax.ExprStmt:
		return lw.exprStmt(s)
	case *pysyntax.Assign:
		return lw.assign(s)
	case *pysyntax.AugAssign:
		return lw.augAssign(s)
	case *pysyntax.AnnAssign:
		return lw.annAssign(s)
	case *pysyntax.If:
		return lw.ifElse(s)
	case *pysyntax.For:
		return lw.forLoop(s)
	case *pysyntax.While:
		return lw.whileLoop(s)
	case *pysyntax.Def:
		return lw.def(s)
	case *pysyntax.Class:
		return lw.class(s)
	case *pysyntax.Return:
		return lw.returnStmt(s)
	case *pysyntax.Raise:
		return lw.raise(s)
	case *pysyntax.Try:
		return lw.try(s)
	case *pysyntax.With:
		return lw.with(s)
	case *pysyntax.Import:
		return lw.importStmt(s)
	case *pysyntax.ImportFrom:
		return lw.importFrom(s)
	case *pysyntax.Global, *pysyntax.Nonlocal:
		return nil
	case *pysyntax.Pass:
		return []syntax.Stmt{lw.pass(s.Pos)}
	case *pysyntax.Break:
		return lw.leaveLoop(s.Pos, true)
	case *pysyntax.Continue:
		return lw.leaveLoop(s.Pos, false)
	case *pysyntax.Del:
		return lw.del(s)
	case *pysyntax.Assert:
		msg := []syntax.Expr{}
		if s.Msg != nil {
			msg = append(msg, lw.expr(s.Msg))
		}
		return []syntax.Stmt{lw.ifStmt(s.Pos, lw.not(s.Pos, lw.cond(s.Test)), []syntax.Stmt{lw.do(lw.call(s.Pos, "assert", msg...))}, nil)}
	case *pysyntax.Match:
		return lw.match(s)
	}
	lw.invalid(s.Position(), "", "this statement is not available")
	return nil
}

func (lw *lowerer) exprStmt(s *pysyntax.ExprStmt) []syntax.Stmt {
	if imp := loadCall(s.X); imp != nil && lw.lookup("load") == nil {
		return lw.importFrom(imp)
	}
	if lw.last {
		return []syntax.Stmt{lw.set(s.Pos, lw.ident(s.Pos, mark+"last"), lw.expr(s.X))}
	}
	if _, ok := s.X.(*pysyntax.Str); ok {
		return nil
	}
	return []syntax.Stmt{lw.do(lw.expr(s.X))}
}

// cond lowers an expression of which only the truth matters.
func (lw *lowerer) cond(e pysyntax.Expr) syntax.Expr {
	if u, ok := e.(*pysyntax.Unary); ok && u.Op == "not" {
		return lw.not(u.Pos, lw.cond(u.X))
	}
	x := lw.expr(e)
	if lw.kind(e)&kOther != 0 {
		// A user's __bool__ may fail, a pending host call must be waited for.
		return lw.call(e.Position(), "truth", x)
	}
	return x
}

func (lw *lowerer) ifElse(s *pysyntax.If) []syntax.Stmt {
	var rest []syntax.Stmt
	if s.Else != nil {
		rest = lw.stmts(s.Else)
	}
	for i := len(s.Tests) - 1; i >= 0; i-- {
		if i == 0 && len(s.Tests) == 1 && isTypeChecking(s.Tests[0]) {
			return rest // only for type checkers; may import what is not here
		}
		body := lw.stmts(s.Bodies[i])
		saved := lw.hoisted
		lw.hoisted = nil
		test := lw.cond(s.Tests[i])
		st := lw.ifStmt(s.Tests[i].Position(), test, body, rest)
		if i > 0 {
			rest = append(lw.hoisted, st)
			lw.hoisted = saved
		} else {
			lw.hoisted = append(saved, lw.hoisted...)
			rest = []syntax.Stmt{st}
		}
	}
	return rest
}

func isTypeChecking(e pysyntax.Expr) bool {
	switch e := e.(type) {
	case *pysyntax.Name:
		return e.ID == "TYPE_CHECKING"
	case *pysyntax.Attr:
		return e.Name == "TYPE_CHECKING"
	}
	return false
}

func (lw *lowerer) inLoop(f *flow, body func()) {
	last := lw.last
	lw.last = false
	lw.flows = append(lw.flows, f)
	body()
	lw.flows = lw.flows[:len(lw.flows)-1]
	lw.last = last
}

// loopElse wraps a loop whose else clause must not run after a break.
func (lw *lowerer) loopElse(p pysyntax.Pos, f *flow, loop []syntax.Stmt, orelse []pysyntax.Stmt) []syntax.Stmt {
	if orelse == nil {
		return loop
	}
	flag := lw.ident(p, f.flag)
	out := []syntax.Stmt{lw.set(p, flag, lw.ident(p, "False"))}
	out = append(out, loop...)
	return append(out, lw.ifStmt(p, lw.not(p, lw.flagRead(p, f)), lw.stmts(orelse), nil))
}

func (lw *lowerer) flagRead(p pysyntax.Pos, f *flow) syntax.Expr { return lw.ident(p, f.flag) }

func (lw *lowerer) whileLoop(s *pysyntax.While) []syntax.Stmt {
	f := &flow{loop: true}
	if s.Else != nil {
		f.flag = lw.temp()
	}
	var body []syntax.Stmt
	test := lw.cond(s.Test)
	lw.inLoop(f, func() { body = lw.stmts(s.Body) })
	loop := &syntax.WhileStmt{While: lw.pos(s.Pos), Cond: test, Body: body}
	return lw.loopElse(s.Pos, f, []syntax.Stmt{loop}, s.Else)
}

func (lw *lowerer) forLoop(s *pysyntax.For) []syntax.Stmt {
	f := &flow{loop: true}
	if s.Else != nil {
		f.flag = lw.temp()
	}
	iter, check := lw.iterable(s.X, s.Target, s.Async)
	vars, prologue := lw.loopTarget(s.Target)
	var body []syntax.Stmt
	lw.inLoop(f, func() { body = append(prologue, lw.stmts(s.Body)...) })
	loop := []syntax.Stmt{&syntax.ForStmt{For: lw.pos(s.Pos), Vars: vars, X: iter, Body: body}}
	if check {
		loop = append(loop, lw.do(lw.dot(s.X.Position(), lw.helper(s.Pos, "rt"), "e")))
	}
	return lw.loopElse(s.Pos, f, loop, s.Else)
}

// iterable lowers what a loop runs over; check says that an error may be
// pending when the loop has ended.
func (lw *lowerer) iterable(x, target pysyntax.Expr, async bool) (syntax.Expr, bool) {
	p := x.Position()
	k := lw.kind(x)
	var low syntax.Expr
	if set, ok := x.(*pysyntax.Set); ok && allConst(set.Elts) {
		low = lw.call(p, "set", lw.starList(p, set.Elts)) // CPython loops over a constant here
	} else {
		low = lw.expr(x)
	}
	if async {
		low, k = lw.call(p, "aiter", low), kOther
	}
	if before, after, ok := starIn(target); ok {
		return lw.call(p, "iterstar", low, lw.int(p, before), lw.int(p, after)), true
	}
	if k == kRange {
		return low, false
	}
	name := "iter"
	switch target.(type) {
	case *pysyntax.Tuple, *pysyntax.List:
		name = "iterseq"
	}
	if _, ok := x.(*pysyntax.Call); ok && k&kOther != 0 {
		// Nobody else holds what a call has just made: see loop.owned.
		return lw.call(p, name, low, lw.ident(p, "True")), true
	}
	return lw.call(p, name, low), k&(kOther|kDict) != 0
}

// starIn reports the position of a starred name among flat targets.
func starIn(t pysyntax.Expr) (before, after int, ok bool) {
	elts := targetElts(t)
	for i, e := range elts {
		if _, star := e.(*pysyntax.Starred); star {
			return i, len(elts) - i - 1, true
		}
	}
	return 0, 0, false
}

func targetElts(t pysyntax.Expr) []pysyntax.Expr {
	switch t := t.(type) {
	case *pysyntax.Tuple:
		return t.Elts
	case *pysyntax.List:
		return t.Elts
	}
	return nil
}

// loopTarget gives the Starlark loop variable and, where the target is more
// than that can express, the assignments that begin the body.
func (lw *lowerer) loopTarget(t pysyntax.Expr) (syntax.Expr, []syntax.Stmt) {
	if lhs, ok := lw.nativeTarget(t, true); ok {
		return lhs, nil
	}
	tmp := lw.temp()
	id := lw.ident(t.Position(), tmp)
	if _, _, star := starIn(t); star {
		// the iterator has already built the tuple with a list in it
		flat := &pysyntax.Tuple{Pos: t.Position()}
		for _, e := range targetElts(t) {
			if s, ok := e.(*pysyntax.Starred); ok {
				e = s.X
			}
			flat.Elts = append(flat.Elts, e)
		}
		return id, lw.assignTo(flat, lw.ident(t.Position(), tmp), kTuple)
	}
	return id, lw.assignTo(t, lw.ident(t.Position(), tmp), kAny)
}

// leaveLoop lowers break and continue, across try bodies where need be.
func (lw *lowerer) leaveLoop(p pysyntax.Pos, brk bool) []syntax.Stmt {
	word := "continue"
	tok := syntax.CONTINUE
	if brk {
		word, tok = "break", syntax.BREAK
	}
	if i := len(lw.flows) - 1; i >= 0 {
		f := lw.flows[i]
		switch {
		case f.closure && lw.loopAround(i):
			code := 2
			if brk {
				f.brk = true
				code = 1
			} else {
				f.cnt = true
			}
			return []syntax.Stmt{lw.ret(p, lw.int(p, code))}
		case !f.closure && f.loop:
			st := &syntax.BranchStmt{Token: tok, TokenPos: lw.pos(p)}
			if brk && f.flag != "" {
				return []syntax.Stmt{lw.set(p, lw.ident(p, f.flag), lw.ident(p, "True")), st}
			}
			return []syntax.Stmt{st}
		}
	}
	lw.problem(p, "syntax", "", "'%s' outside loop", word)
	return nil
}

func (lw *lowerer) loopAround(i int) bool {
	for i--; i >= 0; i-- {
		if lw.flows[i].loop {
			return true
		}
		if !lw.flows[i].closure {
			return false
		}
	}
	return false
}

func (lw *lowerer) returnStmt(s *pysyntax.Return) []syntax.Stmt {
	if f := lw.scope.function(); f.kind != functionScope {
		lw.problem(s.Pos, "syntax", "assign the answer instead: result = ...", "'return' outside function")
		return nil
	}
	var x syntax.Expr
	if s.X != nil {
		x = lw.expr(s.X)
	} else {
		x = lw.none(s.Pos)
	}
	return lw.leave(s.Pos, x)
}

// leave returns x from the agent's function.
func (lw *lowerer) leave(p pysyntax.Pos, x syntax.Expr) []syntax.Stmt {
	if n := len(lw.flows); n > 0 {
		for i := n - 1; i >= 0; i-- {
			f := lw.flows[i]
			if f.closure {
				f.ret = true
				return []syntax.Stmt{lw.ret(p, lw.tuple(p, []syntax.Expr{x}))}
			}
			if !f.loop {
				break
			}
		}
	}
	return []syntax.Stmt{lw.ret(p, x)}
}

func (lw *lowerer) del(s *pysyntax.Del) []syntax.Stmt {
	var out []syntax.Stmt
	for _, t := range s.Targets {
		switch t := t.(type) {
		case *pysyntax.Name:
			v := lw.owner(t.ID)
			if v == nil {
				continue
			}
			if v.scope.kind == classScope {
				out = append(out, lw.do(lw.call(s.Pos, "delattr", lw.ident(s.Pos, lw.classIdent(v.scope)), lw.str(s.Pos, v.name))))
				continue
			}
			out = append(out, lw.do(lw.call(t.Pos, "unset", lw.ident(t.Pos, v.emit))))
		case *pysyntax.Attr:
			out = append(out, lw.do(lw.call(t.NamePos, "delattr", lw.expr(t.X), lw.str(t.Pos, t.Name))))
		case *pysyntax.Index:
			if sl, ok := t.Sub.(*pysyntax.Slice); ok {
				out = append(out, lw.do(lw.call(t.Lbrack, "delslice", append([]syntax.Expr{lw.expr(t.X)}, lw.sliceArgs(sl)...)...)))
				continue
			}
			out = append(out, lw.do(lw.call(t.Lbrack, "delitem", lw.expr(t.X), lw.expr(t.Sub))))
		}
	}
	return out
}
