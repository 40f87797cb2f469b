package pylang

import (
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/internal/libm"
)

// The operators with Python's meaning. Where Starlark's own agree they are
// used; bools count as ints here, and sizes are checked before allocating.

// num turns a bool into the int it equals.
func num(v starlark.Value) starlark.Value {
	if b, ok := v.(starlark.Bool); ok {
		if b {
			return starlark.MakeInt(1)
		}
		return starlark.MakeInt(0)
	}
	return v
}

func isNumber(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float, starlark.Bool:
		return true
	}
	return false
}

var binaryDunder = map[string][2]string{
	"+": {"__add__", "__radd__"}, "-": {"__sub__", "__rsub__"}, "*": {"__mul__", "__rmul__"}, "/": {"__truediv__", "__rtruediv__"},
	"//": {"__floordiv__", "__rfloordiv__"}, "%": {"__mod__", "__rmod__"}, "**": {"__pow__", "__rpow__"}, "<<": {"__lshift__", "__rlshift__"},
	">>": {"__rshift__", "__rrshift__"}, "&": {"__and__", "__rand__"}, "|": {"__or__", "__ror__"}, "^": {"__xor__", "__rxor__"}, "@": {"__matmul__", "__rmatmul__"},
}

// binary computes x op y.
func (rt *runtime) binary(op string, x, y starlark.Value) (starlark.Value, error) {
	if isNumber(x) && isNumber(y) {
		return rt.arith(op, x, y)
	}
	if v, ok, err := rt.sequenceOp(op, x, y); ok || err != nil {
		return v, err
	}
	if v, err := rt.dunderOp(op, x, y); v != nil || err != nil {
		return v, err
	}
	if _, ok := x.(Awaitable); ok {
		if fx, err := rt.force(x); err != nil {
			return nil, err
		} else if fx != x {
			return rt.binary(op, fx, y)
		}
	}
	if _, ok := y.(Awaitable); ok {
		if fy, err := rt.force(y); err != nil {
			return nil, err
		} else if fy != y {
			return rt.binary(op, x, fy)
		}
	}
	if tok, ok := binaryTokens[op]; ok {
		hx, isX := x.(starlark.HasBinary)
		hy, isY := y.(starlark.HasBinary)
		if isX {
			if v, err := hx.Binary(tok, y, starlark.Left); v != nil || err != nil {
				return v, err
			}
		}
		if isY {
			if v, err := hy.Binary(tok, x, starlark.Right); v != nil || err != nil {
				return v, err
			}
		}
	}
	return nil, binaryTypeError(op, x, y)
}

func binaryTypeError(op string, x, y starlark.Value) error {
	tx, ty := typeName(x), typeName(y)
	switch x.(type) {
	case starlark.String:
		if op == "+" {
			e := Raise("TypeError", "can only concatenate str (not %q) to str", ty)
			e.Hint = "convert with str(...) or use an f-string"
			return e
		}
	case starlark.Bytes:
		if op == "+" {
			return Raise("TypeError", "can't concat %s to bytes", ty)
		}
	case *starlark.List, starlark.Tuple:
		if op == "+" {
			return Raise("TypeError", "can only concatenate %s (not %q) to %s", tx, ty, tx)
		}
	}
	if op == "*" {
		for i, v := range []starlark.Value{x, y} {
			switch v.(type) {
			case starlark.String, *starlark.List, starlark.Tuple, starlark.Bytes:
				o := []starlark.Value{y, x}[i]
				return Raise("TypeError", "can't multiply sequence by non-int of type '%s'", typeName(o))
			}
		}
	}
	name := op
	if op == "**" {
		name = "** or pow()"
	}
	e := Raise("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", name, tx, ty)
	if tx == "coroutine" || ty == "coroutine" {
		e.Hint = "put await before the call"
	}
	return e
}

// sequenceOp handles concatenation, repetition, sets and dicts.
func (rt *runtime) sequenceOp(op string, x, y starlark.Value) (starlark.Value, bool, error) {
	switch op {
	case "+":
		switch a := x.(type) {
		case starlark.String:
			if b, ok := y.(starlark.String); ok {
				if err := rt.alloc(int64(len(a))+int64(len(b)), 1); err != nil {
					return nil, true, err
				}
				return a + b, true, nil
			}
		case starlark.Bytes:
			if b, ok := y.(starlark.Bytes); ok {
				return a + b, true, nil
			}
		case *starlark.List:
			if b, ok := y.(*starlark.List); ok {
				if err := rt.alloc(int64(a.Len()+b.Len()), 16); err != nil {
					return nil, true, err
				}
				v, err := starlark.Binary(syntax.PLUS, a, b)
				return v, true, err
			}
		case starlark.Tuple:
			if b, ok := y.(starlark.Tuple); ok {
				if err := rt.alloc(int64(len(a)+len(b)), 16); err != nil {
					return nil, true, err
				}
				v, err := starlark.Binary(syntax.PLUS, a, b)
				return v, true, err
			}
		}
	case "*":
		if isIndex(y) {
			if v, ok, err := rt.repeat(x, y); ok || err != nil {
				return v, true, err
			}
		}
		if isIndex(x) {
			if v, ok, err := rt.repeat(y, x); ok || err != nil {
				return v, true, err
			}
		}
	case "%":
		switch a := x.(type) {
		case starlark.String:
			s, err := rt.percent(string(a), y)
			return starlark.String(s), true, err
		}
	case "|", "&", "-", "^":
		if op == "|" {
			if a, ok := x.(*starlark.Dict); ok {
				if b, ok := y.(*starlark.Dict); ok {
					d := copyDict(a)
					for _, it := range b.Items() {
						if err := dictSet(d, it[0], it[1]); err != nil {
							return nil, true, err
						}
					}
					return d, true, nil
				}
			}
		}
		return rt.setOp(op, x, y)
	}
	return nil, false, nil
}

func isIndex(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Bool:
		return true
	}
	return false
}

// repeat computes seq * n within the allocation limit.
func (rt *runtime) repeat(seq, n starlark.Value) (starlark.Value, bool, error) {
	size, unit := 0, int64(16)
	switch s := seq.(type) {
	case starlark.String:
		size, unit = len(s), 1
	case starlark.Bytes:
		size, unit = len(s), 1
	case *starlark.List:
		size = s.Len()
	case starlark.Tuple:
		size = len(s)
	default:
		return nil, false, nil
	}
	i, ok := num(n).(starlark.Int)
	if !ok {
		return nil, false, nil // not a number of times: the operator's own error
	}
	count, ok := i.Int64()
	if !ok {
		return nil, true, Raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	}
	if i.Sign() <= 0 || size == 0 {
		count, ok = 0, true
	}
	if !ok || count > math.MaxInt64/int64(max(size, 1)) {
		count = math.MaxInt64 / int64(max(size, 1))
	}
	if err := rt.alloc(count*int64(size), unit); err != nil {
		return nil, true, err
	}
	switch s := seq.(type) {
	case *starlark.List:
		if count == 0 {
			return starlark.NewList(nil), true, nil
		}
		v, err := starlark.Binary(syntax.STAR, s, starlark.MakeInt64(count))
		return v, true, err
	case starlark.Tuple:
		if count == 0 {
			return starlark.Tuple{}, true, nil
		}
	}
	v, err := starlark.Binary(syntax.STAR, seq, starlark.MakeInt64(count))
	return v, true, err
}

// toFloat converts a number; ints beyond the range of floats are an error.
func toFloat(v starlark.Value) (float64, error) {
	switch v := num(v).(type) {
	case starlark.Float:
		return float64(v), nil
	case starlark.Int:
		if i, ok := v.Int64(); ok {
			return float64(i), nil
		}
		f, _ := new(big.Float).SetInt(v.BigInt()).Float64()
		if math.IsInf(f, 0) {
			return 0, Raise("OverflowError", "int too large to convert to float")
		}
		return f, nil
	}
	return 0, Raise("TypeError", "must be real number, not %s", typeName(v))
}

// arith computes on numbers.
func (rt *runtime) arith(op string, x, y starlark.Value) (starlark.Value, error) {
	_, bx := x.(starlark.Bool)
	_, by := y.(starlark.Bool)
	if bx && by {
		a, b := bool(x.(starlark.Bool)), bool(y.(starlark.Bool))
		switch op {
		case "&":
			return starlark.Bool(a && b), nil
		case "|":
			return starlark.Bool(a || b), nil
		case "^":
			return starlark.Bool(a != b), nil
		}
	}
	typeErr := func() error {
		return Raise("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(x), typeName(y))
	}
	ox, oy := x, y
	x, y = num(x), num(y)
	a, ok1 := x.(starlark.Int)
	b, ok2 := y.(starlark.Int)
	if ok1 && ok2 {
		return rt.intArith(op, a, b)
	}
	f, err := toFloat(x)
	if err != nil {
		return nil, err
	}
	g, err := toFloat(y)
	if err != nil {
		return nil, err
	}
	switch op {
	case "+":
		return starlark.Float(f + g), nil
	case "-":
		return starlark.Float(f - g), nil
	case "*":
		return starlark.Float(f * g), nil
	case "/":
		if g == 0 {
			return nil, Raise("ZeroDivisionError", "float division by zero")
		}
		return starlark.Float(f / g), nil
	case "//", "%":
		if g == 0 {
			if op == "//" {
				return nil, Raise("ZeroDivisionError", "float floor division by zero")
			}
			return nil, Raise("ZeroDivisionError", "float modulo")
		}
		q, m := floatDivMod(f, g)
		if op == "//" {
			return starlark.Float(q), nil
		}
		return starlark.Float(m), nil
	case "**":
		return floatPow(f, g)
	}
	x, y = ox, oy
	return nil, typeErr()
}

// floatDivMod follows CPython's float_divmod, rounding included.
func floatDivMod(x, y float64) (q, m float64) {
	m = math.Mod(x, y)
	div := (x - m) / y
	if m != 0 {
		if (y < 0) != (m < 0) {
			m += y
			div--
		}
	} else {
		m = math.Copysign(0, y)
	}
	if div != 0 {
		q = math.Floor(div)
		if div-q > 0.5 {
			q++
		}
	} else {
		q = math.Copysign(0, x/y)
	}
	return q, m
}

func floatPow(x, y float64) (starlark.Value, error) {
	if x == 0 && y < 0 {
		return nil, Raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	}
	if x < 0 && y != math.Floor(y) && !math.IsInf(x, 0) && !math.IsInf(y, 0) && !math.IsNaN(y) {
		return nil, Raise("ValueError", "a negative number to a fractional power is complex, which is not available")
	}
	r := libm.Pow(x, y)
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return nil, Raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return starlark.Float(r), nil
}

// maxBits bounds the ints a program may build: about 600,000 decimal digits.
const maxBits = 2_000_000

func bitLen(i starlark.Int) int64 {
	if v, ok := i.Int64(); ok {
		n := int64(0)
		if v < 0 {
			v = -v
		}
		for u := uint64(v); u > 0; u >>= 1 {
			n++
		}
		return n
	}
	return int64(i.BigInt().BitLen())
}

func tooBig(what string) error {
	return &Fatal{Kind: "memory", Message: "the int that " + what + " gives is too large (more than " + "600,000 digits)"}
}

func (rt *runtime) intArith(op string, a, b starlark.Int) (starlark.Value, error) {
	switch op {
	case "+":
		return a.Add(b), nil
	case "-":
		return a.Sub(b), nil
	case "*":
		r, small := smallMul(a, b)
		if small {
			return r, nil
		}
		if bitLen(a)+bitLen(b) > maxBits {
			return nil, tooBig("*")
		}
		return a.Mul(b), nil
	case "/":
		return trueDiv(a, b)
	case "//":
		if b.Sign() == 0 {
			return nil, Raise("ZeroDivisionError", "integer division or modulo by zero")
		}
		return a.Div(b), nil
	case "%":
		if b.Sign() == 0 {
			return nil, Raise("ZeroDivisionError", "integer modulo by zero")
		}
		return a.Mod(b), nil
	case "**":
		return intPow(a, b)
	case "&":
		return a.And(b), nil
	case "|":
		return a.Or(b), nil
	case "^":
		return a.Xor(b), nil
	case "<<", ">>":
		if b.Sign() < 0 {
			return nil, Raise("ValueError", "negative shift count")
		}
		n, ok := b.Int64()
		if op == ">>" {
			if !ok || n > maxBits {
				n = maxBits + 64
			}
			return a.Rsh(uint(n)), nil
		}
		if a.Sign() == 0 {
			return a, nil
		}
		if !ok || n+bitLen(a) > maxBits {
			return nil, tooBig("<<")
		}
		return a.Lsh(uint(n)), nil
	}
	return nil, Raise("TypeError", "unsupported operand type(s) for %s: 'int' and 'int'", op)
}

func smallMul(a, b starlark.Int) (starlark.Int, bool) {
	x, ok := a.Int64()
	y, ok2 := b.Int64()
	if ok && ok2 && x > -(1<<31) && x < 1<<31 && y > -(1<<31) && y < 1<<31 {
		return starlark.MakeInt64(x * y), true
	}
	return starlark.Int{}, false
}

// trueDiv is int / int, correctly rounded also beyond 2**53.
func trueDiv(a, b starlark.Int) (starlark.Value, error) {
	if b.Sign() == 0 {
		return nil, Raise("ZeroDivisionError", "division by zero")
	}
	x, ok1 := a.Int64()
	y, ok2 := b.Int64()
	if ok1 && ok2 && x > -(1<<53) && x < 1<<53 && y > -(1<<53) && y < 1<<53 {
		return starlark.Float(float64(x) / float64(y)), nil
	}
	f, _ := new(big.Rat).SetFrac(a.BigInt(), b.BigInt()).Float64()
	if math.IsInf(f, 0) {
		return nil, Raise("OverflowError", "integer division result too large for a float")
	}
	return starlark.Float(f), nil
}

func intPow(a, b starlark.Int) (starlark.Value, error) {
	if b.Sign() < 0 {
		if a.Sign() == 0 {
			return nil, Raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
		}
		f, err := toFloat(a)
		if err != nil {
			return nil, err
		}
		g, err := toFloat(b)
		if err != nil {
			return nil, err
		}
		return floatPow(f, g)
	}
	if v, ok := a.Int64(); ok && (v == 0 || v == 1 || v == -1) {
		if b.Sign() == 0 {
			return starlark.MakeInt(1), nil
		}
		if v == -1 && b.BigInt().Bit(0) == 0 {
			return starlark.MakeInt(1), nil
		}
		return a, nil
	}
	n, ok := b.Int64()
	if !ok || n > maxBits || bitLen(a)*n > maxBits+bitLen(a) {
		return nil, tooBig("**")
	}
	return starlark.MakeBigInt(new(big.Int).Exp(a.BigInt(), b.BigInt(), nil)), nil
}

// unary computes -x, +x and ~x.
func (rt *runtime) unary(op string, x starlark.Value) (starlark.Value, error) {
	switch v := num(x).(type) {
	case starlark.Int:
		switch op {
		case "-":
			return starlark.MakeInt(0).Sub(v), nil
		case "+":
			return v, nil
		}
		return v.Not(), nil
	case starlark.Float:
		switch op {
		case "-":
			return -v, nil
		case "+":
			return v, nil
		}
	case *Instance:
		name := map[string]string{"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op]
		if fn := v.class.lookup(name); fn != nil {
			return rt.call(v.bind(fn), nil, nil)
		}
	case Awaitable:
		f, err := rt.force(v)
		if err != nil {
			return nil, err
		}
		return rt.unary(op, f)
	case starlark.HasUnary:
		tok := map[string]syntax.Token{"-": syntax.MINUS, "+": syntax.PLUS, "~": syntax.TILDE}[op]
		if r, err := v.Unary(tok); r != nil || err != nil {
			return r, err
		}
	}
	return nil, Raise("TypeError", "bad operand type for unary %s: '%s'", op, typeName(x))
}

// inplace computes x op= y.
func (rt *runtime) inplace(op string, x, y starlark.Value) (starlark.Value, error) {
	switch a := x.(type) {
	case *starlark.List:
		switch op {
		case "+":
			if err := rt.extend(a, y); err != nil {
				return nil, err
			}
			return a, nil
		case "*":
			v, _, err := rt.repeat(a, y)
			if err != nil {
				return nil, err
			}
			if l, ok := v.(*starlark.List); ok {
				setList(a, listElems(l))
				return a, nil
			}
		}
	case *starlark.Dict:
		if op == "|" {
			return a, rt.dictUpdate(a, y)
		}
	case *Set:
		if !a.frozen {
			if b, ok := asSet(y); ok {
				v, _, err := rt.setOp(op, a, b)
				if r, ok := v.(*Set); ok && err == nil {
					a.replace(r)
					return a, nil
				}
				if err != nil {
					return nil, err
				}
			}
		}
	case *Instance:
		if d, ok := binaryDunder[op]; ok {
			if fn := a.class.lookup("__i" + d[0][2:]); fn != nil {
				return rt.call(a.bind(fn), starlark.Tuple{y}, nil)
			}
		}
	}
	v, err := rt.binary(op, x, y)
	if e, ok := err.(*Exception); ok && op == "*" && strings.HasPrefix(e.Message, "can't multiply sequence") {
		switch x.(type) {
		case *starlark.Dict, *Set, *dictView:
			e.Message = Raise("", "unsupported operand type(s) for *=: '%s' and '%s'", typeName(x), typeName(y)).Message
		}
		return nil, e
	}
	if e, ok := err.(*Exception); ok && e.Class == "TypeError" && op != "+" {
		if len(e.Message) > 30 && e.Message[:30] == "unsupported operand type(s) for" {
			return nil, err
		}
	}
	if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
		want := Raise("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", opText(op), typeName(x), typeName(y))
		if e.Message == want.Message {
			e.Message = Raise("", "unsupported operand type(s) for %s=: '%s' and '%s'", op, typeName(x), typeName(y)).Message
		}
	}
	return v, err
}

func opText(op string) string {
	if op == "**" {
		return "** or pow()"
	}
	return op
}
