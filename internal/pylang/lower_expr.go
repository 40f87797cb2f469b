package pylang

import (
	"math"
	"math/big"

	"github.com/bmcis/bmcis/internal/pysyntax"
	"go.starlark.net/syntax"
)

func (lw *lowerer) expr(e pysyntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *pysyntax.Name:
		return lw.name(e)
	case *pysyntax.Num:
		return lw.num(e)
	case *pysyntax.Str:
		return lw.str(e.Pos, e.Value)
	case *pysyntax.Bytes:
		return &syntax.Literal{Token: syntax.BYTES, TokenPos: lw.pos(e.Pos), Raw: `""`, Value: e.Value}
	case *pysyntax.FString:
		return lw.fstring(e)
	case *pysyntax.Const:
		switch e.Kind {
		case pysyntax.None:
			return lw.none(e.Pos)
		case pysyntax.True:
			return lw.ident(e.Pos, "True")
		case pysyntax.False:
			return lw.ident(e.Pos, "False")
		}
		return lw.helper(e.Pos, "ellipsis")
	case *pysyntax.Tuple:
		if hasStar(e.Elts) {
			return lw.call(e.Pos, "b_tuple", lw.starList(e.Pos, e.Elts))
		}
		return lw.tuple(e.Pos, lw.exprs(e.Elts))
	case *pysyntax.List:
		return lw.starList(e.Pos, e.Elts)
	case *pysyntax.Set:
		if len(e.Elts) >= 3 && allConst(e.Elts) {
			return lw.call(e.Pos, "setconst", lw.starList(e.Pos, e.Elts))
		}
		return lw.call(e.Pos, "set", lw.starList(e.Pos, e.Elts))
	case *pysyntax.Dict:
		return lw.dict(e)
	case *pysyntax.Unary:
		return lw.unary(e)
	case *pysyntax.Binary:
		return lw.binaryExpr(e)
	case *pysyntax.BoolOp:
		tok := syntax.AND
		if e.Op == "or" {
			tok = syntax.OR
		}
		return lw.balance(e.Pos, tok, e.Values)
	case *pysyntax.Compare:
		return lw.compare(e)
	case *pysyntax.Cond:
		at := lw.pos(e.Pos)
		return &syntax.CondExpr{If: at, Cond: lw.cond(e.Test), True: lw.expr(e.Then), ElsePos: at, False: lw.expr(e.Else)}
	case *pysyntax.Call:
		return lw.callNode(e)
	case *pysyntax.Attr:
		return lw.attr(e)
	case *pysyntax.Index:
		return lw.index(e)
	case *pysyntax.Lambda:
		return lw.lambda(e)
	case *pysyntax.Comp:
		return lw.comp(e)
	case *pysyntax.Starred:
		lw.problem(e.Pos, "syntax", "", "can't use starred expression here")
		return lw.none(e.Pos)
	case *pysyntax.Await:
		return lw.await(e)
	case *pysyntax.Yield:
		return lw.yield(e)
	case *pysyntax.Named:
		v := lw.lookup(e.Target.ID)
		if v == nil || v.scope.kind == classScope {
			lw.invalid(e.Pos, "assign on its own line", ":= is not available here")
			return lw.none(e.Pos)
		}
		return lw.call(e.Pos, "setbox", lw.ident(e.Pos, v.emit), lw.expr(e.X))
	case *pysyntax.Slice:
		return lw.call(e.Pos, "b_slice", lw.sliceArgs(e)...)
	}
	lw.invalid(e.Position(), "", "this expression is not available")
	return lw.none(e.Position())
}

// allConst says that CPython would build the elements while compiling.
func allConst(elts []pysyntax.Expr) bool {
	for _, e := range elts {
		switch e := e.(type) {
		case *pysyntax.Num, *pysyntax.Str, *pysyntax.Const, *pysyntax.Bytes:
		case *pysyntax.Unary:
			if _, ok := e.X.(*pysyntax.Num); !ok || e.Op == "not" {
				return false
			}
		case *pysyntax.Tuple:
			if !allConst(e.Elts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// balance joins operands as a balanced tree, so that long chains stay shallow.
func (lw *lowerer) balance(p pysyntax.Pos, tok syntax.Token, list []pysyntax.Expr) syntax.Expr {
	if len(list) == 1 {
		return lw.expr(list[0])
	}
	m := len(list) / 2
	return lw.binary(p, tok, lw.balance(p, tok, list[:m]), lw.balance(p, tok, list[m:]))
}

func (lw *lowerer) num(e *pysyntax.Num) syntax.Expr {
	l := &syntax.Literal{TokenPos: lw.pos(e.Pos), Raw: "0", Value: e.Value}
	switch e.Value.(type) {
	case int64, *big.Int:
		l.Token = syntax.INT
	default:
		l.Token = syntax.FLOAT
	}
	return l
}

func (lw *lowerer) name(e *pysyntax.Name) syntax.Expr {
	lw.nameUsed(e)
	v := lw.lookup(e.ID)
	if v == nil {
		return lw.environment(e)
	}
	if v.scope.kind == classScope {
		outer := lw.beyondClass(e, v.scope)
		if outer == nil {
			outer = lw.call(e.Pos, "noname", lw.str(e.Pos, e.ID))
		}
		has := lw.call(e.Pos, "classhas", lw.ident(e.Pos, lw.classIdent(v.scope)), lw.str(e.Pos, v.name))
		return &syntax.CondExpr{If: lw.pos(e.Pos), Cond: has, True: lw.load(e.Pos, v), ElsePos: lw.pos(e.Pos), False: outer}
	}
	return lw.load(e.Pos, v)
}

// beyondClass is what a name in the body of a class means before the class binds it, as in
// date: date = date(2020, 1, 1); nil when it means nothing else.
func (lw *lowerer) beyondClass(e *pysyntax.Name, class *scope) syntax.Expr {
	here := lw.scope
	defer func() { lw.scope = here }()
	for lw.scope = class.parent; lw.scope.kind == classScope; {
		lw.scope = lw.scope.parent
	}
	if v := lw.lookup(e.ID); v != nil {
		if !v.param && (v.first.Line == 0 || v.first.Line > e.Pos.Line) {
			return nil // bound behind this place, if at all
		}
		return lw.load(e.Pos, v)
	}
	_, context := lw.cfg.Context[e.ID]
	_, predeclared := lw.cfg.Predeclared[e.ID]
	if context || predeclared || isBuiltinName(e.ID) {
		return lw.environment(e)
	}
	return nil
}

// starList builds a list from elements of which some may be starred.
func (lw *lowerer) starList(p pysyntax.Pos, elts []pysyntax.Expr) syntax.Expr {
	if !hasStar(elts) {
		return &syntax.ListExpr{Lbrack: lw.pos(p), List: lw.exprs(elts), Rbrack: lw.pos(p)}
	}
	var parts []syntax.Expr
	var run []syntax.Expr
	flush := func() {
		if run != nil {
			parts = append(parts, &syntax.ListExpr{Lbrack: lw.pos(p), List: run, Rbrack: lw.pos(p)})
			run = nil
		}
	}
	for _, e := range elts {
		if s, ok := e.(*pysyntax.Starred); ok {
			flush()
			parts = append(parts, lw.call(s.Pos, "spread", lw.expr(s.X)))
			continue
		}
		run = append(run, lw.expr(e))
	}
	flush()
	return lw.call(p, "concat", &syntax.ListExpr{Lbrack: lw.pos(p), List: parts, Rbrack: lw.pos(p)})
}

// dict lowers a display. Distinct string keys make it Starlark's own; others
// go through a helper, since Starlark refuses keys that occur twice.
func (lw *lowerer) dict(e *pysyntax.Dict) syntax.Expr {
	native := true
	seen := map[string]bool{}
	for _, k := range e.Keys {
		s, ok := k.(*pysyntax.Str)
		if !ok || seen[s.Value] {
			native = false
			break
		}
		seen[s.Value] = true
	}
	at := lw.pos(e.Pos)
	if native {
		d := &syntax.DictExpr{Lbrace: at, Rbrace: at}
		for i, k := range e.Keys {
			d.List = append(d.List, &syntax.DictEntry{Key: lw.expr(k), Colon: at, Value: lw.expr(e.Values[i])})
		}
		return d
	}
	list := &syntax.ListExpr{Lbrack: at, Rbrack: at}
	for i, k := range e.Keys {
		if k == nil {
			list.List = append(list.List, lw.tuple(e.Pos, []syntax.Expr{lw.call(e.Values[i].Position(), "mapping", lw.expr(e.Values[i]))}))
			continue
		}
		list.List = append(list.List, lw.tuple(e.Pos, []syntax.Expr{lw.expr(k), lw.expr(e.Values[i])}))
	}
	return lw.call(e.Pos, "dict", list)
}

func (lw *lowerer) unary(e *pysyntax.Unary) syntax.Expr {
	switch e.Op {
	case "not":
		return lw.not(e.Pos, lw.cond(e.X))
	case "-":
		if n, ok := e.X.(*pysyntax.Num); ok {
			switch v := n.Value.(type) {
			case int64:
				return &syntax.Literal{Token: syntax.INT, TokenPos: lw.pos(e.Pos), Raw: "0", Value: -v}
			case float64:
				if v == 0 { // the constant pool does not tell -0.0 from 0.0
					return &syntax.UnaryExpr{OpPos: lw.pos(e.Pos), Op: syntax.MINUS, X: lw.expr(e.X)}
				}
				return &syntax.Literal{Token: syntax.FLOAT, TokenPos: lw.pos(e.Pos), Raw: "0", Value: -v}
			}
		}
		if lw.kind(e.X)&^(kInt|kFloat) == 0 {
			return &syntax.UnaryExpr{OpPos: lw.pos(e.Pos), Op: syntax.MINUS, X: lw.expr(e.X)}
		}
		return lw.call(e.Pos, "neg", lw.expr(e.X))
	case "+":
		return lw.call(e.Pos, "pos", lw.expr(e.X))
	}
	return lw.call(e.Pos, "invert", lw.expr(e.X))
}

var binaryTokens = map[string]syntax.Token{
	"+": syntax.PLUS, "-": syntax.MINUS, "*": syntax.STAR, "/": syntax.SLASH, "//": syntax.SLASHSLASH,
	"%": syntax.PERCENT, "&": syntax.AMP, "|": syntax.PIPE, "^": syntax.CIRCUMFLEX,
}

func (lw *lowerer) binaryExpr(e *pysyntax.Binary) syntax.Expr {
	x, y := lw.expr(e.X), lw.expr(e.Y)
	if lw.nativeBinary(e.Op, e.X, e.Y) {
		return lw.binary(e.OpPos, binaryTokens[e.Op], x, y)
	}
	return lw.call(e.OpPos, opName[e.Op], x, y)
}

var compareName = map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "in": "in", "not in": "notin", "is": "is", "is not": "isnot"}
var compareTokens = map[string]syntax.Token{"==": syntax.EQL, "!=": syntax.NEQ, "<": syntax.LT, "<=": syntax.LE, ">": syntax.GT, ">=": syntax.GE, "in": syntax.IN, "not in": syntax.NOT_IN}

func (lw *lowerer) compare(e *pysyntax.Compare) syntax.Expr {
	if len(e.Ops) == 1 {
		return lw.compareOne(e.Pos, e.Ops[0], e.X, e.Ys[0], lw.expr(e.X), lw.expr(e.Ys[0]))
	}
	// a < b < c: b is kept in a box between its two uses, which follow each
	// other at once, so one box serves the whole program.
	var parts []syntax.Expr
	left := lw.expr(e.X)
	leftX := e.X
	for i, op := range e.Ops {
		y := e.Ys[i]
		right := lw.expr(y)
		next := right
		if i+1 < len(e.Ops) {
			if simple(y) {
				next = lw.expr(y)
			} else {
				right = lw.call(y.Position(), "setbox", lw.helper(y.Position(), "cmp"), right)
				next = lw.dot(y.Position(), lw.helper(y.Position(), "cmp"), "v")
			}
		}
		parts = append(parts, lw.compareOne(y.Position(), op, leftX, y, left, right))
		left, leftX = next, y
	}
	out := parts[0]
	for _, x := range parts[1:] {
		out = lw.binary(e.Pos, syntax.AND, out, x)
	}
	return out
}

func (lw *lowerer) compareOne(p pysyntax.Pos, op string, xe, ye pysyntax.Expr, x, y syntax.Expr) syntax.Expr {
	if op == "is" || op == "is not" {
		tok := syntax.EQL
		if op == "is not" {
			tok = syntax.NEQ
		}
		if c, ok := ye.(*pysyntax.Const); ok && c.Kind != pysyntax.Ellipsis {
			if lw.kind(xe)&kOther == 0 || c.Kind != pysyntax.None {
				return lw.binary(p, tok, x, y)
			}
			return lw.binary(p, tok, x, y)
		}
		return lw.call(p, compareName[op], x, y)
	}
	if lw.nativeCompare(op, xe, ye) {
		return lw.binary(p, compareTokens[op], x, y)
	}
	if lw.finiteCompare(op, xe, ye) {
		// Starlark orders NaN above all else: the larger side must not be one.
		tok, low, high, large := compareTokens[op], x, y, ye
		if op == ">" || op == ">=" {
			tok, low, high, large = map[string]syntax.Token{">": syntax.LT, ">=": syntax.LE}[op], y, x, xe
		}
		cmp := lw.binary(p, tok, low, high)
		if lw.kind(large)&kFloat == 0 {
			return cmp
		}
		inf := &syntax.Literal{Token: syntax.FLOAT, TokenPos: lw.pos(p), Raw: "0", Value: math.Inf(1)}
		return lw.binary(p, syntax.AND, cmp, lw.binary(p, syntax.LE, lw.expr(large), inf))
	}
	return lw.call(p, compareName[op], x, y)
}

func (lw *lowerer) sliceArgs(s *pysyntax.Slice) []syntax.Expr {
	opt := func(e pysyntax.Expr) syntax.Expr {
		if e == nil {
			return lw.none(s.Pos)
		}
		return lw.expr(e)
	}
	return []syntax.Expr{opt(s.Lo), opt(s.Hi), opt(s.Step)}
}

func (lw *lowerer) index(e *pysyntax.Index) syntax.Expr {
	if s, ok := e.Sub.(*pysyntax.Slice); ok {
		x := lw.expr(e.X)
		args := lw.sliceArgs(s)
		if lw.kind(e.X)&^(kList|kTuple|kRange) == 0 && lw.smallInt(s.Lo) && lw.smallInt(s.Hi) && s.Step == nil {
			at := lw.pos(e.Lbrack)
			sl := &syntax.SliceExpr{X: x, Lbrack: at, Rbrack: at}
			if s.Lo != nil {
				sl.Lo = args[0]
			}
			if s.Hi != nil {
				sl.Hi = args[1]
			}
			return sl
		}
		return lw.call(e.Lbrack, "slice", append([]syntax.Expr{x}, args...)...)
	}
	if lw.nativeIndex(e) {
		return &syntax.IndexExpr{X: lw.expr(e.X), Lbrack: lw.pos(e.Lbrack), Y: lw.expr(e.Sub), Rbrack: lw.pos(e.Lbrack)}
	}
	return lw.call(e.Lbrack, "getitem", lw.expr(e.X), lw.expr(e.Sub))
}

// smallInt accepts a missing bound, or one that is surely an int.
func (lw *lowerer) smallInt(e pysyntax.Expr) bool {
	return e == nil || lw.kind(e) == kInt
}

func (lw *lowerer) lambda(e *pysyntax.Lambda) syntax.Expr {
	params := lw.params(e.Params)
	outer := lw.scope
	lw.scope = lw.an.scopes[e]
	lw.noHoist++
	flows := lw.flows
	lw.flows = nil
	body := lw.expr(e.Body)
	lw.flows = flows
	lw.noHoist--
	// A walrus or nested binding may need boxes, which only a def can make.
	boxes := lw.boxes(e.Pos, lw.scope)
	gen := lw.scope.gen
	lw.scope = outer
	if len(boxes) > 0 || gen {
		if lw.noHoist > 0 {
			lw.invalid(e.Pos, "write a def", "':=' and 'yield' are not available in a lambda inside a lambda or comprehension")
		}
		name := "lambda" + mark + lw.temp()
		lw.hoisted = append(lw.hoisted, lw.defStmt(e.Pos, name, params, append(boxes, lw.ret(e.Pos, body))))
		if gen {
			return lw.call(e.Pos, "genfn", lw.ident(e.Pos, name))
		}
		return lw.ident(e.Pos, name)
	}
	return &syntax.LambdaExpr{Lambda: lw.pos(e.Pos), Params: params, Body: body}
}

func (lw *lowerer) await(e *pysyntax.Await) syntax.Expr {
	f := lw.scope.function()
	if f.kind == functionScope && !f.async {
		lw.problem(e.Pos, "syntax", "write 'async def', or leave await out", "'await' outside async function")
	}
	return lw.call(e.Pos, "await", lw.expr(e.X))
}

func (lw *lowerer) yield(e *pysyntax.Yield) syntax.Expr {
	if f := lw.scope.function(); f.kind != functionScope {
		lw.problem(e.Pos, "syntax", "", "'yield' outside function")
		return lw.none(e.Pos)
	}
	x := syntax.Expr(lw.none(e.Pos))
	if e.X != nil {
		x = lw.expr(e.X)
	}
	if e.From {
		return lw.call(e.Pos, "yieldfrom", x)
	}
	return lw.call(e.Pos, "yield", x)
}
