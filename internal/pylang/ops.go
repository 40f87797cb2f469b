package pylang

import (
	"math"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The operators with Python's meaning. Where Starlark's own agree they are
// used; bools count as ints here, and sizes are checked before allocating.

// num turns a bool into the int it equals, and an instance of a class derived from a
// number into that.
func num(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			return starlark.MakeInt(1)
		}
		return starlark.MakeInt(0)
	case *Instance:
		if v.base != nil && isNumber(v.base) {
			return num(v.base)
		}
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
	if _, isStr := x.(starlark.String); op != "%" || !isStr { // "%s" % x takes any x
		if v, err := rt.instanceOp(op, x, y); v != nil || err != nil {
			return v, err
		}
	}
	if v, ok, err := rt.sequenceOp(op, x, y); ok || err != nil {
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
			if b, ok := rawBytes(y); ok {
				return a + starlark.Bytes(b), true, nil
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
		case starlark.Bytes:
			s, err := rt.percentBytes(string(a), y)
			return starlark.Bytes(s), true, err
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
		count = 0
	}
	if count > math.MaxInt64/int64(max(size, 1)) {
		switch seq.(type) {
		case starlark.String:
			return nil, true, Raise("OverflowError", "repeated string is too long")
		case starlark.Bytes:
			return nil, true, Raise("OverflowError", "repeated bytes are too long")
		}
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

// unary computes -x, +x and ~x.
func (rt *runtime) unary(op string, x starlark.Value) (starlark.Value, error) {
	if i, ok := x.(*Instance); ok {
		name := map[string]string{"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op]
		if fn := i.class.lookup(name); fn != nil {
			return rt.call(i.bind(fn), nil, nil)
		}
	}
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
	case *bytearray:
		if b, ok := rawBytes(y); ok && op == "+" {
			a.b = append(a.b, b...)
			return a, nil
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
			if changed, err := rt.inplaceNative(op, a, y); changed || err != nil {
				return a, err
			}
		}
	}
	v, err := rt.binary(op, x, y)
	if e, ok := err.(*Exception); ok && op == "*" && strings.HasPrefix(e.Message, "can't multiply sequence") {
		switch x.(type) {
		case *starlark.Dict, *Set, *dictView:
			e.Message = Raise("", "unsupported operand type(s) for *=: '%s' and '%s'", typeName(x), typeName(y)).Message
		default:
			if rangeLike(x) {
				e.Message = Raise("", "unsupported operand type(s) for *=: '%s' and '%s'", typeName(x), typeName(y)).Message
			}
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
