package pylang

import (
	"math"
	"math/big"

	"github.com/bmcis/bmcis/internal/libm"
	"go.starlark.net/starlark"
)

// Arithmetic on numbers.

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
