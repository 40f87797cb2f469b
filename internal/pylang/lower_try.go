package pylang

import (
	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// Starlark has no exceptions, but an error stops at the Go function that called
// into Starlark. So the body of try becomes a function, called by the helper
// §try, which gives None when the body ran through and otherwise a state: the
// exception, or the return, break or continue that left the body. Handlers,
// else and finally stay in the agent's own function.

// closure lowers statements as the body of a function of their own and returns
// the definition, the name, and how control may leave it.
func (lw *lowerer) closure(p pysyntax.Pos, body func() []syntax.Stmt) (syntax.Stmt, string, *flow) {
	f := &flow{closure: true}
	lw.flows = append(lw.flows, f)
	last := lw.last
	lw.last = false
	stmts := body()
	lw.last = last
	lw.flows = lw.flows[:len(lw.flows)-1]
	name := lw.temp() + mark + "try"
	return lw.defStmt(p, name, nil, stmts), name, f
}

// signals passes on a return, break or continue that left a closure.
func (lw *lowerer) signals(p pysyntax.Pos, state string, f *flow) []syntax.Stmt {
	var out []syntax.Stmt
	id := func() syntax.Expr { return lw.ident(p, state) }
	if f.ret {
		out = append(out, lw.ifStmt(p, lw.dot(p, id(), "ret"), lw.leave(p, lw.dot(p, id(), "value")), nil))
	}
	if f.brk {
		out = append(out, lw.ifStmt(p, lw.dot(p, id(), "brk"), lw.leaveLoop(p, true), nil))
	}
	if f.cnt {
		out = append(out, lw.ifStmt(p, lw.dot(p, id(), "cnt"), lw.leaveLoop(p, false), nil))
	}
	return out
}

func (lw *lowerer) try(s *pysyntax.Try) []syntax.Stmt {
	if s.Finally != nil && len(s.Handlers) > 0 {
		inner := *s
		inner.Finally = nil
		return lw.finally(s, func() []syntax.Stmt { return lw.stmts([]pysyntax.Stmt{&inner}) })
	}
	if s.Finally != nil {
		return lw.finally(s, func() []syntax.Stmt { return lw.stmts(s.Body) })
	}
	p := s.Pos
	def, name, f := lw.closure(p, func() []syntax.Stmt { return lw.stmts(s.Body) })
	state := lw.temp()
	id := func() syntax.Expr { return lw.ident(p, state) }
	out := []syntax.Stmt{def, lw.set(p, lw.ident(p, state), lw.call(p, "try", lw.ident(p, name)))}

	if s.Group {
		return append(out, lw.groupHandlers(s, state, f))
	}
	lw.handlers = append(lw.handlers, state)
	chain := []syntax.Stmt{lw.do(lw.call(p, "reraise", id()))}
	for i := len(s.Handlers) - 1; i >= 0; i-- {
		h := s.Handlers[i]
		var body []syntax.Stmt
		var v *variable
		if h.Name != "" {
			if v = lw.owner(h.Name); v != nil {
				body = append(body, lw.set(h.Pos, lw.load(h.Pos, v), lw.dot(h.Pos, id(), "exc")))
			}
		}
		body = append(body, lw.stmts(h.Body)...)
		if v != nil && v.boxed && v.scope.kind != classScope {
			body = append(body, lw.do(lw.call(h.Pos, "unset_", lw.ident(h.Pos, v.emit))))
		}
		if h.Type == nil {
			chain = body
			continue
		}
		// The types are judged when the handler is tried, in order.
		saved := lw.hoisted
		lw.hoisted = nil
		cond := lw.call(h.Pos, "catches", id(), lw.expr(h.Type))
		hoisted := lw.hoisted
		lw.hoisted = saved
		chain = append(hoisted, lw.ifStmt(h.Pos, cond, body, chain))
	}
	lw.handlers = lw.handlers[:len(lw.handlers)-1]

	failed := lw.ifStmt(p, lw.dot(p, id(), "failed"), chain, lw.signals(p, state, f))
	var orelse []syntax.Stmt
	if s.Else != nil {
		orelse = lw.stmts(s.Else)
	}
	return append(out, lw.ifStmt(p, id(), []syntax.Stmt{failed}, orelse))
}

// groupHandlers lowers except*: each clause gets the part of the exception group that it
// takes, and what nobody has taken goes on.
func (lw *lowerer) groupHandlers(s *pysyntax.Try, state string, f *flow) syntax.Stmt {
	p := s.Pos
	id := func() syntax.Expr { return lw.ident(p, state) }
	var body []syntax.Stmt
	lw.handlers = append(lw.handlers, state)
	for _, h := range s.Handlers {
		part := lw.temp()
		saved := lw.hoisted
		lw.hoisted = nil
		split := lw.set(h.Pos, lw.ident(h.Pos, part), lw.call(h.Pos, "exsplit", id(), lw.expr(h.Type)))
		body = append(append(body, lw.hoisted...), split)
		lw.hoisted = saved
		var inner []syntax.Stmt
		if v := lw.owner(h.Name); h.Name != "" && v != nil {
			inner = append(inner, lw.set(h.Pos, lw.load(h.Pos, v), lw.ident(h.Pos, part)))
		}
		inner = append(inner, lw.stmts(h.Body)...)
		taken := lw.binary(h.Pos, syntax.NEQ, lw.ident(h.Pos, part), lw.none(h.Pos))
		body = append(body, lw.ifStmt(h.Pos, taken, inner, nil))
	}
	lw.handlers = lw.handlers[:len(lw.handlers)-1]
	body = append(body, lw.do(lw.call(p, "exrest", id())))
	failed := lw.ifStmt(p, lw.dot(p, id(), "failed"), body, lw.signals(p, state, f))
	var orelse []syntax.Stmt
	if s.Else != nil {
		orelse = lw.stmts(s.Else)
	}
	return lw.ifStmt(p, id(), []syntax.Stmt{failed}, orelse)
}

// finally lowers try: body finally: s.Finally.
func (lw *lowerer) finally(s *pysyntax.Try, body func() []syntax.Stmt) []syntax.Stmt {
	p := s.Pos
	def, name, f := lw.closure(p, body)
	state := lw.temp()
	id := func() syntax.Expr { return lw.ident(p, state) }
	out := []syntax.Stmt{def, lw.set(p, lw.ident(p, state), lw.call(p, "try", lw.ident(p, name)))}
	out = append(out, lw.stmts(s.Finally)...)
	failed := lw.ifStmt(p, lw.dot(p, id(), "failed"), []syntax.Stmt{lw.do(lw.call(p, "reraise", id()))}, lw.signals(p, state, f))
	return append(out, lw.ifStmt(p, id(), []syntax.Stmt{failed}, nil))
}

func (lw *lowerer) with(s *pysyntax.With) []syntax.Stmt {
	return lw.withItems(s, s.Items)
}

func (lw *lowerer) withItems(s *pysyntax.With, items []pysyntax.WithItem) []syntax.Stmt {
	p := s.Pos
	it := items[0]
	mgr := lw.temp()
	out := []syntax.Stmt{lw.set(p, lw.ident(p, mgr), lw.expr(it.X))}
	enterName, exitName := "enter", "exit"
	if s.Async {
		enterName, exitName = "aenter", "aexit"
	}
	enter := lw.call(it.X.Position(), enterName, lw.ident(p, mgr))
	if it.Target != nil {
		out = append(out, lw.assignTo(it.Target, enter, kAny)...)
	} else {
		out = append(out, lw.do(enter))
	}
	def, name, f := lw.closure(p, func() []syntax.Stmt {
		if len(items) > 1 {
			return lw.withItems(s, items[1:])
		}
		return lw.stmts(s.Body)
	})
	state := lw.temp()
	out = append(out, def, lw.set(p, lw.ident(p, state), lw.call(p, "try", lw.ident(p, name))),
		lw.do(lw.call(p, exitName, lw.ident(p, mgr), lw.ident(p, state))))
	if sig := lw.signals(p, state, f); sig != nil {
		out = append(out, lw.ifStmt(p, lw.ident(p, state), sig, nil))
	}
	return out
}

func (lw *lowerer) raise(s *pysyntax.Raise) []syntax.Stmt {
	if s.X == nil {
		if n := len(lw.handlers); n > 0 {
			return []syntax.Stmt{lw.do(lw.call(s.Pos, "reraise", lw.ident(s.Pos, lw.handlers[n-1])))}
		}
		return []syntax.Stmt{lw.do(lw.call(s.Pos, "raise"))}
	}
	args := []syntax.Expr{lw.expr(s.X)}
	if s.Cause != nil {
		args = append(args, lw.expr(s.Cause))
	}
	if n := len(lw.handlers); n > 0 {
		args = append([]syntax.Expr{lw.ident(s.Pos, lw.handlers[n-1])}, args...)
		return []syntax.Stmt{lw.do(lw.call(s.Pos, "raisein", args...))}
	}
	return []syntax.Stmt{lw.do(lw.call(s.Pos, "raise", args...))}
}
