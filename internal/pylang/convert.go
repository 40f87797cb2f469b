package pylang

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"go.starlark.net/starlark"
)

// int(...), float(...) and round(...).

// makeInt is int(x, base).
func makeInt(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("int", args, kwargs, "x?", "base?")
	if err != nil {
		return nil, err
	}
	if a[0] == nil {
		return starlark.MakeInt(0), nil
	}
	if i, ok := a[0].(*Instance); ok {
		for _, n := range []string{"__int__", "__index__", "__trunc__"} {
			if fn := i.class.lookup(n); fn != nil {
				return rt.call(i.bind(fn), nil, nil)
			}
		}
	}
	switch v := num(a[0]).(type) {
	case starlark.Int:
		if a[1] != nil {
			return nil, Raise("TypeError", "int() can't convert non-string with explicit base")
		}
		return v, nil
	case starlark.Float:
		f := float64(v)
		if math.IsNaN(f) {
			return nil, Raise("ValueError", "cannot convert float NaN to integer")
		}
		if math.IsInf(f, 0) {
			return nil, Raise("OverflowError", "cannot convert float infinity to integer")
		}
		return starlark.NumberToInt(v)
	case starlark.String:
		base, err := intArg(a[1], 10)
		if err != nil {
			return nil, err
		}
		return parseInt(rt, string(v), int(base))
	case starlark.Bytes:
		base, err := intArg(a[1], 10)
		if err != nil {
			return nil, err
		}
		n, err := parseInt(rt, string(v), int(base))
		if e, ok := err.(*Exception); ok && e.Class == "ValueError" {
			e.Message = fmt.Sprintf("invalid literal for int() with base %d: %s", base, bytesRepr(string(v)))
		}
		return n, err
	case *Instance:
		if v.base != nil {
			return makeInt(rt, append(starlark.Tuple{v.base}, args[1:]...), kwargs)
		}
	}
	return nil, Raise("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '%s'", typeName(a[0]))
}

func parseInt(rt *runtime, s string, base int) (starlark.Value, error) {
	bad := func() (starlark.Value, error) {
		r, err := rt.repr(starlark.String(s))
		if err != nil {
			return nil, err
		}
		if len(r) > 220 {
			r = r[:200]
		}
		return nil, Raise("ValueError", "invalid literal for int() with base %d: %s", base, r)
	}
	if base != 0 && (base < 2 || base > 36) {
		return nil, Raise("ValueError", "int() base must be >= 2 and <= 36, or 0")
	}
	t := strings.TrimFunc(s, pySpace)
	neg := false
	if t != "" && (t[0] == '-' || t[0] == '+') {
		neg = t[0] == '-'
		t = t[1:]
	}
	b := base
	if len(t) > 1 && t[0] == '0' {
		p := 0
		switch t[1] {
		case 'x', 'X':
			p = 16
		case 'o', 'O':
			p = 8
		case 'b', 'B':
			p = 2
		}
		if p != 0 && (base == p || base == 0) {
			b, t = p, t[2:]
			t = strings.TrimPrefix(t, "_")
		}
	}
	if b == 0 {
		b = 10
		if len(t) > 1 && t[0] == '0' && strings.Trim(t, "0_") != "" {
			return bad()
		}
	}
	var digits strings.Builder
	prev := byte('_')
	for _, r := range t {
		if r == '_' {
			if prev == '_' {
				return bad()
			}
			prev = '_'
			continue
		}
		if r >= 0x80 && unicode.IsDigit(r) {
			r = '0' + digitValue(r)
		}
		if r >= 0x80 {
			return bad()
		}
		prev = byte(r)
		digits.WriteByte(prev)
	}
	d := digits.String()
	if d == "" || prev == '_' || d[0] == '-' || d[0] == '+' {
		return bad()
	}
	if len(d) > 4300 && b&(b-1) != 0 {
		return nil, Raise("ValueError", "Exceeds the limit (4300 digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", len(d))
	}
	if v, err := strconv.ParseInt(d, b, 64); err == nil {
		if neg {
			v = -v
		}
		return starlark.MakeInt64(v), nil
	}
	i, ok := new(big.Int).SetString(d, b)
	if !ok {
		return bad()
	}
	if neg {
		i.Neg(i)
	}
	return starlark.MakeBigInt(i), nil
}

// digitValue gives the value of a decimal digit of any script: its block of
// ten begins at a zero.
func digitValue(r rune) rune {
	z := r
	for unicode.IsDigit(z-1) && r-z < 9 {
		z--
	}
	return r - z
}

// makeFloat is float(x).
func makeFloat(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("float", args, kwargs, "x?")
	if err != nil {
		return nil, err
	}
	switch v := a[0].(type) {
	case nil:
		return starlark.Float(0), nil
	case starlark.Int, starlark.Float, starlark.Bool:
		f, err := toFloat(v)
		return starlark.Float(f), err
	case starlark.String:
		s := strings.TrimFunc(string(v), pySpace)
		t := strings.ToLower(strings.TrimLeft(s, "+-"))
		ok := len(s)-len(t) <= 1 && t != ""
		for i := 0; i < len(t) && ok; i++ {
			if c := t[i]; c == '_' {
				ok = i > 0 && i+1 < len(t) && t[i-1] >= '0' && t[i-1] <= '9' && t[i+1] >= '0' && t[i+1] <= '9'
			} else if c == 'x' || c == 'p' {
				ok = false
			}
		}
		if t == "inf" || t == "infinity" || t == "nan" {
			s = strings.TrimRight(s, "") // ParseFloat knows these
		}
		f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
		if !ok || err != nil && !errors.Is(err, strconv.ErrRange) {
			r, err := rt.repr(v)
			if err != nil {
				return nil, err
			}
			return nil, Raise("ValueError", "could not convert string to float: %s", r)
		}
		return starlark.Float(f), nil
	case *Instance:
		if fn := v.class.lookup("__float__"); fn != nil {
			return rt.call(v.bind(fn), nil, nil)
		}
		if v.base != nil {
			return makeFloat(rt, starlark.Tuple{v.base}, nil)
		}
	}
	return nil, Raise("TypeError", "float() argument must be a string or a real number, not '%s'", typeName(a[0]))
}

// round is Python's round: to even, and exact on decimals.
func round(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("round", args, kwargs, "number", "ndigits?")
	if err != nil {
		return nil, err
	}
	given := a[1] != nil && a[1] != starlark.None
	n, err := intArg(a[1], 0)
	if err != nil {
		return nil, err
	}
	if i, ok := a[0].(*Instance); ok {
		if fn := i.class.lookup("__round__"); fn != nil {
			return rt.call(i.bind(fn), args[1:], nil)
		}
	}
	switch v := num(a[0]).(type) {
	case starlark.Int:
		if n >= 0 {
			return v, nil
		}
		if n < -20000 {
			return starlark.MakeInt(0), nil
		}
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil)
		i := v.BigInt()
		q, r := new(big.Int).DivMod(i, p, new(big.Int))
		twice := new(big.Int).Lsh(r, 1)
		if c := twice.Cmp(p); c > 0 || c == 0 && q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
		return starlark.MakeBigInt(q.Mul(q, p)), nil
	case starlark.Float:
		f := float64(v)
		if !given {
			if math.IsNaN(f) {
				return nil, Raise("ValueError", "cannot convert float NaN to integer")
			}
			if math.IsInf(f, 0) {
				return nil, Raise("OverflowError", "cannot convert float infinity to integer")
			}
			return starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
		}
		if math.IsNaN(f) || math.IsInf(f, 0) || n > 330 {
			return v, nil
		}
		if n < -330 {
			return starlark.Float(math.Copysign(0, f)), nil
		}
		if n >= 0 {
			r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(n), 64), 64)
			return starlark.Float(r), nil
		}
		r := new(big.Rat).SetFloat64(f)
		p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil))
		r.Quo(r, p)
		q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
		if c := new(big.Int).Lsh(m, 1).Cmp(r.Denom()); c > 0 || c == 0 && q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
		x, _ := new(big.Rat).Mul(new(big.Rat).SetInt(q), p).Float64()
		if x == 0 {
			x = math.Copysign(0, f)
		}
		return starlark.Float(x), nil
	case interface {
		PyRound(n int64, given bool) (starlark.Value, error)
	}:
		return v.PyRound(n, given)
	}
	return nil, Raise("TypeError", "type %s doesn't define __round__ method", typeName(a[0]))
}
