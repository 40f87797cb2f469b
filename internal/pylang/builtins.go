package pylang

import (
	"math/big"
	"strings"
	"sync"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

type builtinMaker func(rt *runtime) starlark.Value

var (
	builtinOnce  sync.Once
	builtinTable map[string]builtinMaker
)

func builtins() map[string]builtinMaker {
	builtinOnce.Do(func() { builtinTable = makeBuiltins() })
	return builtinTable
}

func isBuiltinName(name string) bool {
	_, ok := builtins()[name]
	return ok
}

func builtinNames() []string {
	var out []string
	for n := range builtins() {
		out = append(out, n)
	}
	return out
}

// builtinValue gives the one value of a built-in in a run.
func builtinValue(rt *runtime, name string) starlark.Value {
	v := rt.builtinValues[name]
	if v == nil {
		if rt.builtinValues == nil {
			rt.builtinValues = map[string]starlark.Value{}
		}
		v = builtins()[name](rt)
		rt.builtinValues[name] = v
	}
	return v
}

// makeBuiltins lists Python's built-in functions and types.
func makeBuiltins() map[string]builtinMaker {
	t := map[string]builtinMaker{}
	fn := func(name string, f helperFunc) {
		t[name] = func(rt *runtime) starlark.Value { return rt.builtin(mark+"b_"+name, f) }
	}
	typ := func(name string, make func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) {
		t[name] = func(rt *runtime) starlark.Value { return &TypeObj{rt: rt, name: name, make: make} }
	}
	one := func(name string, f func(rt *runtime, v starlark.Value) (starlark.Value, error)) {
		fn(name, func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				if len(kwargs) > 0 {
					return nil, Raise("TypeError", "%s() takes no keyword arguments", name)
				}
				return nil, Raise("TypeError", "%s() takes exactly one argument (%d given)", name, len(args))
			}
			return f(rt, args[0])
		})
	}
	for _, n := range exceptionNames {
		t[n] = func(*runtime) starlark.Value { return builtinException(n) }
	}
	t["NotImplemented"] = func(*runtime) starlark.Value { return notImplemented }
	t["Ellipsis"] = func(*runtime) starlark.Value { return ellipsisType{} }
	t["__debug__"] = func(*runtime) starlark.Value { return starlark.True }

	one("len", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		n, err := rt.length(v)
		return starlark.MakeInt(n), err
	})
	one("repr", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		s, err := rt.repr(v)
		return starlark.String(s), err
	})
	one("ascii", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		s, err := rt.asciiRepr(v)
		return starlark.String(s), err
	})
	one("abs", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		if i, ok := v.(*Instance); ok {
			if f := i.class.lookup("__abs__"); f != nil {
				return rt.call(i.bind(f), nil, nil)
			}
		}
		switch x := num(v).(type) {
		case starlark.Int:
			if x.Sign() < 0 {
				return starlark.MakeInt(0).Sub(x), nil
			}
			return x, nil
		case starlark.Float:
			if x < 0 || x == 0 {
				return 0 - x + 0, nil
			}
			return x, nil
		case interface {
			PyAbs() (starlark.Value, error)
		}:
			return x.PyAbs()
		}
		return nil, Raise("TypeError", "bad operand type for abs(): '%s'", typeName(v))
	})
	one("callable", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		if i, ok := v.(*Instance); ok {
			return starlark.Bool(i.class.lookup("__call__") != nil), nil
		}
		if _, ok := v.(*moduleValue); ok {
			return starlark.False, nil
		}
		_, ok := v.(starlark.Callable)
		return starlark.Bool(ok), nil
	})
	one("chr", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		n, err := intArg(v, 0)
		if err != nil {
			return nil, err
		}
		if n < 0 || n > utf8.MaxRune {
			return nil, Raise("ValueError", "chr() arg not in range(0x110000)")
		}
		if n >= 0xd800 && n < 0xe000 {
			return nil, Raise("ValueError", "chr(0x%x) is half of a surrogate pair, which is no text", n)
		}
		return starlark.String(string(rune(n))), nil
	})
	one("ord", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		s, ok := plain(v).(starlark.String)
		if !ok {
			return nil, Raise("TypeError", "ord() expected string of length 1, but %s found", typeName(v))
		}
		if n := runeLen(string(s)); n != 1 {
			return nil, Raise("TypeError", "ord() expected a character, but string of length %d found", n)
		}
		r, _ := utf8.DecodeRuneInString(string(s))
		return starlark.MakeInt(int(r)), nil
	})
	for name, base := range map[string]int{"bin": 2, "oct": 8, "hex": 16} {
		one(name, func(rt *runtime, v starlark.Value) (starlark.Value, error) {
			i, err := rt.asIndex(v)
			if err != nil {
				return nil, err
			}
			b := i.BigInt()
			sign := ""
			if b.Sign() < 0 {
				sign = "-"
			}
			prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[base]
			return starlark.String(sign + prefix + new(big.Int).Abs(b).Text(base)), nil
		})
	}
	one("id", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		e := Raise("TypeError", "id() is not available")
		e.Hint = "compare with 'is', or give each value a number of its own"
		return nil, e
	})
	one("hash", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		h, _, err := pyHash(v)
		return starlark.MakeInt64(int64(h)), err
	})
	fn("iter", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("iter", args, kwargs, "object", "sentinel?")
		if err != nil {
			return nil, err
		}
		if a[1] == nil {
			return rt.iterValue(a[0])
		}
		if _, ok := a[0].(starlark.Callable); !ok {
			return nil, Raise("TypeError", "iter(v, w): v must be callable")
		}
		return NewIter("callable_iterator", rt.counted(func() (starlark.Value, bool, error) {
			v, err := rt.call(a[0], nil, nil)
			if err != nil {
				if rt.isClass(err, "StopIteration") {
					return nil, false, nil
				}
				return nil, false, err
			}
			end, err := rt.equal(v, a[1])
			return v, err == nil && !end, err
		})), nil
	})
	for _, name := range []string{"any", "all"} {
		one(name, func(rt *runtime, v starlark.Value) (starlark.Value, error) {
			next, err := rt.iterate(v)
			if err != nil {
				return nil, err
			}
			for {
				x, ok, err := next()
				if err != nil {
					return nil, err
				}
				if !ok {
					return starlark.Bool(name == "all"), nil
				}
				truth, err := rt.truth(x)
				if err != nil {
					return nil, err
				}
				if truth == (name == "any") {
					return starlark.Bool(name == "any"), nil
				}
			}
		})
	}
	one("dir", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		var names []string
		if k := kindName(v); k != "" {
			for n := range methodTables()[k] {
				names = append(names, n)
			}
		} else if h, ok := v.(starlark.HasAttrs); ok {
			names = h.AttrNames()
		}
		out := strList(names).(*starlark.List)
		elems := listElems(out)
		if err := rt.sort(elems, nil, nil); err != nil {
			return nil, err
		}
		return starlark.NewList(elems), nil
	})
	one("vars", func(rt *runtime, v starlark.Value) (starlark.Value, error) { return rt.getattr(v, "__dict__") })

	fn("print", builtinPrint)
	fn("sum", builtinSum)
	fn("min", func(rt *runtime, th *starlark.Thread, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		return rt.minmax("min", args, kw)
	})
	fn("max", func(rt *runtime, th *starlark.Thread, args starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
		return rt.minmax("max", args, kw)
	})
	fn("sorted", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("sorted", args, kwargs, "iterable", "*", "key?", "reverse?")
		if err != nil {
			return nil, err
		}
		list, err := rt.list(a[0])
		if err != nil {
			return nil, err
		}
		if err := rt.sort(list, a[1], a[2]); err != nil {
			return nil, err
		}
		return starlark.NewList(list), nil
	})
	fn("round", round)
	fn("pow", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("pow", args, kwargs, "base", "exp", "mod?")
		if err != nil {
			return nil, err
		}
		if a[2] == nil || a[2] == starlark.None {
			return rt.binary("**", a[0], a[1])
		}
		b, ok1 := num(a[0]).(starlark.Int)
		e, ok2 := num(a[1]).(starlark.Int)
		m, ok3 := num(a[2]).(starlark.Int)
		if !ok1 || !ok2 || !ok3 {
			return nil, Raise("TypeError", "pow() 3rd argument not allowed unless all arguments are integers")
		}
		if m.Sign() == 0 {
			return nil, Raise("ValueError", "pow() 3rd argument cannot be 0")
		}
		if max(bitLen(b), bitLen(e), bitLen(m)) > 20000 {
			return nil, tooBig("pow()")
		}
		mod := new(big.Int).Abs(m.BigInt())
		exp := e.BigInt()
		base := b.BigInt()
		if exp.Sign() < 0 {
			if base = new(big.Int).ModInverse(base, mod); base == nil {
				return nil, Raise("ValueError", "base is not invertible for the given modulus")
			}
			exp = new(big.Int).Neg(exp)
		}
		r := new(big.Int).Exp(base, exp, mod)
		if m.Sign() < 0 && r.Sign() != 0 {
			r.Add(r, m.BigInt())
		}
		if mod.IsInt64() && mod.Int64() == 1 {
			r.SetInt64(0)
		}
		return starlark.MakeBigInt(r), nil
	})
	fn("divmod", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("divmod", args, kwargs, "x", "y")
		if err != nil {
			return nil, err
		}
		if isNumber(a[0]) && isNumber(a[1]) && !bool(num(a[1]).Truth()) {
			if _, ok := num(a[0]).(starlark.Int); ok {
				if _, ok := num(a[1]).(starlark.Int); ok {
					return nil, Raise("ZeroDivisionError", "integer division or modulo by zero")
				}
			}
			return nil, Raise("ZeroDivisionError", "float divmod()")
		}
		for i, v := range a {
			if inst, ok := v.(*Instance); ok {
				if fn := inst.class.lookup([]string{"__divmod__", "__rdivmod__"}[i]); fn != nil {
					if r, err := rt.call(inst.bind(fn), starlark.Tuple{a[1-i]}, nil); r != notImplemented {
						return r, err
					}
				}
			}
		}
		q, err := rt.binary("//", a[0], a[1])
		if err != nil {
			if e, ok := err.(*Exception); ok {
				e.Message = strings.Replace(e.Message, "for //:", "for divmod():", 1)
			}
			return nil, err
		}
		r, err := rt.binary("%", a[0], a[1])
		return starlark.Tuple{q, r}, err
	})
	fn("format", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("format", args, kwargs, "value", "spec?")
		if err != nil {
			return nil, err
		}
		spec := ""
		if a[1] != nil {
			if spec, err = strArg("format", a[1]); err != nil {
				return nil, err
			}
		}
		s, err := rt.format(a[0], spec)
		return starlark.String(s), err
	})
	fn("isinstance", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("isinstance", args, kwargs, "obj", "class")
		if err != nil {
			return nil, err
		}
		ok, err := rt.isInstance(a[0], a[1])
		return starlark.Bool(ok), err
	})
	fn("issubclass", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("issubclass", args, kwargs, "class", "classinfo")
		if err != nil {
			return nil, err
		}
		ok, err := issubclass(a[0], a[1])
		return starlark.Bool(ok), err
	})
	fn("getattr", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("getattr", args, kwargs, "obj", "name", "default?")
		if err != nil {
			return nil, err
		}
		name, err := attrName(a[1])
		if err != nil {
			return nil, err
		}
		v, err := rt.getattr(a[0], name)
		if err != nil && a[2] != nil && rt.isClass(err, "AttributeError") {
			return a[2], nil
		}
		return v, err
	})
	fn("hasattr", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("hasattr", args, kwargs, "obj", "name")
		if err != nil {
			return nil, err
		}
		name, err := attrName(a[1])
		if err != nil {
			return nil, err
		}
		_, err = rt.getattr(a[0], name)
		if err != nil {
			if rt.isClass(err, "AttributeError") {
				return starlark.False, nil
			}
			return nil, err
		}
		return starlark.True, nil
	})
	fn("setattr", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("setattr", args, kwargs, "obj", "name", "value")
		if err != nil {
			return nil, err
		}
		name, err := attrName(a[1])
		if err != nil {
			return nil, err
		}
		return starlark.None, rt.setattr(a[0], name, a[2])
	})
	fn("delattr", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("delattr", args, kwargs, "obj", "name")
		if err != nil {
			return nil, err
		}
		name, err := attrName(a[1])
		if err != nil {
			return nil, err
		}
		return starlark.None, rt.delattr(a[0], name)
	})
	iterBuiltins(fn)
	typeBuiltins(typ, t)
	return t
}
