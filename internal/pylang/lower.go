package pylang

import (
	"fmt"
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

// Lowering turns the agent's tree into Starlark's. Names that begin with § are
// ours: helpers, temporaries and boxes; no program can spell them.

const mark = "§"

// maxProblems is how many problems are reported.
const maxProblems = 50

type lowerer struct {
	cfg         *Config
	an          *analysis
	scope       *scope
	path        string
	helpers     map[string]bool
	order       []string // helpers in order of first use
	problems    []Problem
	seen        map[string]bool // problems already reported
	tmp         int
	flows       []*flow
	hoisted     []syntax.Stmt
	noHoist     int // inside a lambda or comprehension, where a def cannot be hoisted
	specs       []*fspec
	calls       map[string]bool
	base        pysyntax.Expr // of the member access being lowered
	classes     []*classCtx
	last        bool               // a top-level expression statement gives the result
	stores      map[syntaxPos]bool // places of x[i] = ...
	augs        map[syntaxPos]bool // places of native x += ...
	frees       map[syntaxPos]bool // places that read a variable of an outer function
	handlers    []string           // try states of the enclosing except clauses
	inf         *inference
	annotations bool   // the program looks at them, see annotations.go
	qual        string // prefix of qualified names
	// onFuncs are the names of attributes that the program gives to functions.
	kwOnly   map[string]bool // parameters that must be given by keyword, as "function.name"
	posOnly  map[string]bool // and by position
	required map[string]int  // how many arguments a function needs
	derived  *bool           // see derivedKeys
	listed   bool            // the modules that can be imported have been listed
	onFuncs  map[string]bool
}

type syntaxPos struct{ line, col int32 }

// flow is a loop or a function boundary around the current statement.
type flow struct {
	loop     bool
	closure  bool   // the body of a try or with, a Starlark function of its own
	flag     string // set when break skips the loop's else
	brk, cnt bool   // signals that leave the closure
	ret      bool
}

// classCtx is the class whose body is being lowered.
type classCtx struct {
	node  *pysyntax.Class
	ident string
	scope *scope
}

func (lw *lowerer) pos(p pysyntax.Pos) syntax.Position {
	return syntax.MakePosition(&lw.path, p.Line, p.Col)
}

func (lw *lowerer) problem(p pysyntax.Pos, kind, hint, format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = shortened(s)
		}
	}
	msg := fmt.Sprintf(format, args...)
	found := Problem{Line: int(p.Line), Column: int(p.Col), Kind: kind, Message: msg, Hint: hint}
	if lw.seen[found.key()] || len(lw.problems) >= maxProblems {
		return
	}
	lw.seen[found.key()] = true
	lw.problems = append(lw.problems, found)
}

// key tells problems apart.
func (p Problem) key() string { return fmt.Sprint(p.Line, p.Column, p.Message) }

// maxShown is how many bytes of a name a message shows.
const maxShown = 80

// shortened cuts a long name for a message.
func shortened(name string) string {
	if len(name) <= maxShown {
		return name
	}
	return strings.ToValidUTF8(name[:maxShown-3], "") + "..."
}

func (lw *lowerer) invalid(p pysyntax.Pos, hint, format string, args ...any) {
	lw.problem(p, "validation", hint, format, args...)
}

func (lw *lowerer) temp() string {
	lw.tmp++
	return fmt.Sprintf("%st%d", mark, lw.tmp)
}

// helper refers to a value of the run time by its name.
func (lw *lowerer) helper(p pysyntax.Pos, name string) *syntax.Ident {
	if !lw.helpers[name] {
		lw.helpers[name] = true
		lw.order = append(lw.order, name)
	}
	return lw.ident(p, mark+name)
}

func (lw *lowerer) ident(p pysyntax.Pos, name string) *syntax.Ident {
	return &syntax.Ident{NamePos: lw.pos(p), Name: name}
}

// call makes a call of a helper.
func (lw *lowerer) call(p pysyntax.Pos, name string, args ...syntax.Expr) syntax.Expr {
	return lw.callExpr(p, lw.helper(p, name), args...)
}

func (lw *lowerer) callExpr(p pysyntax.Pos, fn syntax.Expr, args ...syntax.Expr) syntax.Expr {
	at := lw.pos(p)
	return &syntax.CallExpr{Fn: fn, Lparen: at, Args: args, Rparen: at}
}

func (lw *lowerer) dot(p pysyntax.Pos, x syntax.Expr, name string) syntax.Expr {
	at := lw.pos(p)
	return &syntax.DotExpr{X: x, Dot: at, NamePos: at, Name: &syntax.Ident{NamePos: at, Name: name}}
}

func (lw *lowerer) int(p pysyntax.Pos, n int) syntax.Expr {
	return &syntax.Literal{Token: syntax.INT, TokenPos: lw.pos(p), Raw: fmt.Sprint(n), Value: int64(n)}
}

func (lw *lowerer) str(p pysyntax.Pos, s string) syntax.Expr {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: lw.pos(p), Raw: `""`, Value: s}
}

func (lw *lowerer) none(p pysyntax.Pos) syntax.Expr { return lw.ident(p, "None") }

func (lw *lowerer) binary(p pysyntax.Pos, op syntax.Token, x, y syntax.Expr) syntax.Expr {
	return &syntax.BinaryExpr{X: x, OpPos: lw.pos(p), Op: op, Y: y}
}

func (lw *lowerer) not(p pysyntax.Pos, x syntax.Expr) syntax.Expr {
	return &syntax.UnaryExpr{OpPos: lw.pos(p), Op: syntax.NOT, X: x}
}

func (lw *lowerer) tuple(p pysyntax.Pos, list []syntax.Expr) syntax.Expr {
	return &syntax.TupleExpr{Lparen: lw.pos(p), List: list, Rparen: lw.pos(p)}
}

func (lw *lowerer) set(p pysyntax.Pos, lhs, rhs syntax.Expr) syntax.Stmt {
	return &syntax.AssignStmt{OpPos: lw.pos(p), Op: syntax.EQ, LHS: lhs, RHS: rhs}
}

func (lw *lowerer) do(x syntax.Expr) syntax.Stmt { return &syntax.ExprStmt{X: x} }

func (lw *lowerer) ifStmt(p pysyntax.Pos, cond syntax.Expr, yes, no []syntax.Stmt) syntax.Stmt {
	if len(yes) == 0 {
		yes = []syntax.Stmt{lw.pass(p)}
	}
	return &syntax.IfStmt{If: lw.pos(p), Cond: cond, True: yes, ElsePos: lw.pos(p), False: no}
}

func (lw *lowerer) pass(p pysyntax.Pos) syntax.Stmt {
	return &syntax.BranchStmt{Token: syntax.PASS, TokenPos: lw.pos(p)}
}

func (lw *lowerer) ret(p pysyntax.Pos, x syntax.Expr) syntax.Stmt {
	return &syntax.ReturnStmt{Return: lw.pos(p), Result: x}
}

func (lw *lowerer) defStmt(p pysyntax.Pos, name string, params []syntax.Expr, body []syntax.Stmt) syntax.Stmt {
	if len(body) == 0 {
		body = []syntax.Stmt{lw.pass(p)}
	}
	at := lw.pos(p)
	return &syntax.DefStmt{Def: at, Name: lw.ident(p, name), Lparen: at, Params: params, Rparen: at, Body: body}
}

// lookup finds the variable a name means in the current scope, or nil for a
// name of the environment.
func (lw *lowerer) lookup(name string) *variable {
	name = mangle(lw.scope.class, name)
	first := true
	for s := lw.scope; s != nil; s = s.parent {
		if s.kind == classScope && !first {
			continue
		}
		if s.kind != compScope {
			first = false
		}
		switch s.decl[name] {
		case "global":
			return lw.an.module.vars[name]
		case "nonlocal":
			continue
		}
		if v := s.vars[name]; v != nil {
			if s.kind == classScope && v.binds == 0 {
				continue
			}
			return v
		}
	}
	return nil
}

// owner says in which scope an assignment of name in the current scope lands.
func (lw *lowerer) owner(name string) *variable {
	s := lw.scope
	if s.kind == compScope {
		if v := s.vars[name]; v != nil {
			return v
		}
	}
	return lw.lookup(name)
}

// load reads a variable.
func (lw *lowerer) load(p pysyntax.Pos, v *variable) syntax.Expr {
	if v.scope.kind == classScope {
		return lw.dot(p, lw.ident(p, lw.classIdent(v.scope)), v.name)
	}
	if v.scope.kind == functionScope && lw.scope != v.scope {
		lw.frees[syntaxPos{p.Line, p.Col}] = true
	}
	id := lw.ident(p, v.emit)
	if v.boxed {
		return lw.dot(p, id, "v")
	}
	return id
}

func (lw *lowerer) classIdent(s *scope) string {
	for i := len(lw.classes) - 1; i >= 0; i-- {
		if lw.classes[i].scope == s {
			return lw.classes[i].ident
		}
	}
	return mark + "lost"
}

// stmts lowers a list of statements.
func (lw *lowerer) stmts(list []pysyntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range list {
		saved := lw.hoisted
		lw.hoisted = nil
		low := lw.stmt(s)
		out = append(out, lw.hoisted...)
		out = append(out, low...)
		lw.hoisted = saved
	}
	if len(out) == 0 {
		p := pysyntax.Pos{Line: 1, Col: 1}
		if len(list) > 0 {
			p = list[0].Position()
		}
		out = append(out, lw.pass(p))
	}
	return out
}

func (lw *lowerer) exprs(list []pysyntax.Expr) []syntax.Expr {
	out := make([]syntax.Expr, len(list))
	for i, e := range list {
		out[i] = lw.expr(e)
	}
	return out
}
