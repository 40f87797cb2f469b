package pylang

import (
	"math"

	"go.starlark.net/starlark"
)

// iterBuiltins are the built-ins that make or use iterators.
func iterBuiltins(fn func(string, helperFunc)) {
	fn("enumerate", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("enumerate", args, kwargs, "iterable", "start?")
		if err != nil {
			return nil, err
		}
		next, err := rt.iterate(a[0])
		if err != nil {
			return nil, err
		}
		n := starlark.MakeInt(0)
		if a[1] != nil {
			i, ok := num(a[1]).(starlark.Int)
			if !ok {
				return nil, Raise("TypeError", "'%s' object cannot be interpreted as an integer", typeName(a[1]))
			}
			n = i
		}
		one := starlark.MakeInt(1)
		return NewIter("enumerate", func() (starlark.Value, bool, error) {
			v, ok, err := next()
			if !ok || err != nil {
				return nil, false, err
			}
			t := starlark.Tuple{n, v}
			n = n.Add(one)
			return t, true, nil
		}), nil
	})
	fn("zip", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("zip", nil, kwargs, "*", "strict?")
		if err != nil {
			return nil, err
		}
		strict := a[0] != nil && bool(a[0].Truth())
		nexts := make([]nextFunc, len(args))
		for i, v := range args {
			if nexts[i], err = rt.iterate(v); err != nil {
				return nil, err
			}
		}
		return NewIter("zip", func() (starlark.Value, bool, error) {
			if len(nexts) == 0 {
				return nil, false, nil
			}
			t := make(starlark.Tuple, len(nexts))
			for i, next := range nexts {
				v, ok, err := next()
				if err != nil {
					return nil, false, err
				}
				if !ok {
					if strict {
						if i > 0 {
							return nil, false, Raise("ValueError", "zip() argument %d is shorter than argument%s", i+1, rangeOf(i))
						}
						for j := 1; j < len(nexts); j++ {
							if _, more, err := nexts[j](); err != nil {
								return nil, false, err
							} else if more {
								return nil, false, Raise("ValueError", "zip() argument %d is longer than argument%s", j+1, rangeOf(j))
							}
						}
					}
					return nil, false, nil
				}
				t[i] = v
			}
			return t, true, nil
		}), nil
	})
	fn("map", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) < 2 {
			return nil, Raise("TypeError", "map() must have at least two arguments.")
		}
		nexts := make([]nextFunc, len(args)-1)
		for i, v := range args[1:] {
			next, err := rt.iterate(v)
			if err != nil {
				return nil, err
			}
			nexts[i] = next
		}
		return NewIter("map", func() (starlark.Value, bool, error) {
			t := make(starlark.Tuple, len(nexts))
			for i, next := range nexts {
				v, ok, err := next()
				if !ok || err != nil {
					return nil, false, err
				}
				t[i] = v
			}
			v, err := rt.call(args[0], t, nil)
			return v, err == nil, err
		}), nil
	})
	fn("filter", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 2 {
			return nil, Raise("TypeError", "filter expected 2 arguments, got %d", len(args))
		}
		next, err := rt.iterate(args[1])
		if err != nil {
			return nil, err
		}
		return NewIter("filter", func() (starlark.Value, bool, error) {
			for {
				v, ok, err := next()
				if !ok || err != nil {
					return nil, false, err
				}
				r := v
				if args[0] != starlark.None {
					if r, err = rt.call(args[0], starlark.Tuple{v}, nil); err != nil {
						return nil, false, err
					}
				}
				keep, err := rt.truth(r)
				if err != nil {
					return nil, false, err
				}
				if keep {
					return v, true, nil
				}
			}
		}), nil
	})
	fn("reversed", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("reversed", args, kwargs, "sequence")
		if err != nil {
			return nil, err
		}
		switch v := a[0].(type) {
		case *Instance:
			if f := v.class.lookup("__reversed__"); f != nil {
				return rt.call(v.bind(f), nil, nil)
			}
		case *Set, *Iter:
			return nil, Raise("TypeError", "'%s' object is not reversible", typeName(v))
		}
		list, err := rt.list(a[0])
		if err != nil {
			if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
				return nil, Raise("TypeError", "'%s' object is not reversible", typeName(a[0]))
			}
			return nil, err
		}
		i := len(list)
		return NewIter("reversed", func() (starlark.Value, bool, error) {
			if i == 0 {
				return nil, false, nil
			}
			i--
			return list[i], true, nil
		}), nil
	})
	fn("aiter", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("aiter", args, kwargs, "async_iterable")
		if err != nil {
			return nil, err
		}
		m, err := rt.getattr(a[0], "__aiter__")
		if err != nil {
			return a[0], nil
		}
		return rt.call(m, nil, nil)
	})
	fn("anext", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("anext", args, kwargs, "async_iterator", "default?")
		if err != nil {
			return nil, err
		}
		return &coroutine{rt: rt, fn: rt.builtin("anext", func(rt *runtime, thread *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			m, err := rt.getattr(a[0], "__anext__")
			if err != nil {
				return nil, Raise("TypeError", "'%s' object is not an async iterator", typeName(a[0]))
			}
			v, err := rt.call(m, nil, nil)
			if err == nil {
				v, err = rt.awaitOn(thread, v)
			}
			if err != nil && a[1] != nil && rt.isClass(err, "StopAsyncIteration") {
				return a[1], nil
			}
			return v, err
		})}, nil
	})
	fn("next", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("next", args, kwargs, "iterator", "default?")
		if err != nil {
			return nil, err
		}
		switch it := a[0].(type) {
		case *Iter:
			v, ok, err := it.Next()
			if err != nil {
				return nil, err
			}
			if ok {
				return v, nil
			}
			if a[1] == nil {
				return nil, it.stop()
			}
		case *Instance:
			f := it.class.lookup("__next__")
			if f == nil {
				return nil, Raise("TypeError", "'%s' object is not an iterator", it.class.name)
			}
			v, err := rt.call(it.bind(f), nil, nil)
			if err == nil || a[1] == nil || !rt.isClass(err, "StopIteration") {
				return v, err
			}
		default:
			e := Raise("TypeError", "'%s' object is not an iterator", typeName(a[0]))
			e.Hint = "next(iter(...)) gives the first element"
			return nil, e
		}
		if a[1] != nil {
			return a[1], nil
		}
		return nil, Raise("StopIteration", "")
	})
}

// makeRange is range(...).
func makeRange(_ *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, Raise("TypeError", "range() takes no keyword arguments")
	}
	if len(args) == 0 || len(args) > 3 {
		return nil, Raise("TypeError", "range expected at least 1 argument, got %d", len(args))
	}
	ints := make(starlark.Tuple, len(args))
	for i, v := range args {
		n, ok := num(v).(starlark.Int)
		if !ok {
			e := Raise("TypeError", "'%s' object cannot be interpreted as an integer", typeName(v))
			if _, isFloat := v.(starlark.Float); isFloat {
				e.Hint = "use int(...) or //"
			}
			return nil, e
		}
		x, ok := n.Int64()
		if !ok || x > math.MaxInt64/4 || x < -math.MaxInt64/4 {
			return nil, Raise("OverflowError", "range() with such large numbers is not available; use while")
		}
		ints[i] = n
	}
	if len(ints) == 3 && ints[2].(starlark.Int).Sign() == 0 {
		return nil, Raise("ValueError", "range() arg 3 must not be zero")
	}
	return starlark.Universe["range"].(*starlark.Builtin).CallInternal(nil, ints, nil)
}

func rangeOf(i int) string {
	if i == 1 {
		return " 1"
	}
	return "s 1-" + string(rune('0'+i))
}

// typeBuiltins are the built-in types.
func typeBuiltins(typ func(string, func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)), t map[string]builtinMaker) {
	typ("int", makeInt)
	typ("range", makeRange)
	typ("float", makeFloat)
	typ("str", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 1 && len(kwargs) == 0 {
			s, err := rt.str(args[0])
			return starlark.String(s), err
		}
		a, err := bind("str", args, kwargs, "object?", "encoding?", "errors?")
		if err != nil {
			return nil, err
		}
		if a[0] == nil {
			return starlark.String(""), nil
		}
		if a[1] != nil || a[2] != nil {
			b, ok := rawBytes(a[0])
			if !ok {
				return nil, Raise("TypeError", "decoding to str: need a bytes-like object, %s found", typeName(a[0]))
			}
			return decodeBytes(rt, starlark.Bytes(b), a[1], a[2])
		}
		s, err := rt.str(a[0])
		return starlark.String(s), err
	})
	typ("bool", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("bool", args, kwargs, "x?")
		if err != nil || a[0] == nil {
			return starlark.False, err
		}
		ok, err := rt.truth(a[0])
		return starlark.Bool(ok), err
	})
	collect := func(name string, build func(rt *runtime, v starlark.Value) (starlark.Value, error)) {
		typ(name, func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind(name, args, kwargs, "iterable?")
			if err != nil {
				return nil, err
			}
			if a[0] == nil {
				return build(rt, starlark.Tuple{})
			}
			if s, ok := a[0].(*Set); ok && (name == "set" || name == "frozenset") {
				if s.frozen && name == "frozenset" {
					return s, nil
				}
				c := s.clone()
				c.frozen = name == "frozenset"
				return c, nil
			}
			return build(rt, a[0])
		})
	}
	collect("list", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		list, err := rt.list(v)
		return starlark.NewList(list), err
	})
	collect("tuple", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		list, err := rt.list(v)
		return starlark.Tuple(list), err
	})
	collect("set", func(rt *runtime, v starlark.Value) (starlark.Value, error) { return rt.newSet(v) })
	collect("frozenset", func(rt *runtime, v starlark.Value) (starlark.Value, error) {
		s, err := rt.newSet(v)
		s.frozen = true
		return s, err
	})
	typ("dict", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 1 {
			return nil, Raise("TypeError", "dict expected at most 1 argument, got %d", len(args))
		}
		d := new(starlark.Dict)
		if len(args) == 1 {
			if err := rt.dictUpdate(d, args[0]); err != nil {
				return nil, err
			}
		}
		for _, kv := range kwargs {
			if err := dictSet(d, kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		return d, nil
	})
	typ("bytes", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		b, err := makeBytes(rt, "bytes", args, kwargs)
		return starlark.Bytes(b), err
	})
	typ("bytearray", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		b, err := makeBytes(rt, "bytearray", args, kwargs)
		return &bytearray{[]byte(b)}, err
	})
	typ("object", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		c := &Class{rt: rt, name: "object", attrs: starlark.StringDict{}}
		c.mro = []*Class{c}
		return &Instance{class: c}, nil
	})
	typ("type", makeType)
	typ("property", makeProperty)
	typ("slice", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		s := &sliceValue{starlark.None, starlark.None, starlark.None}
		switch len(args) {
		case 1:
			s.hi = args[0]
		case 2:
			s.lo, s.hi = args[0], args[1]
		case 3:
			s.lo, s.hi, s.step = args[0], args[1], args[2]
		}
		return s, nil
	})
	typ("super", func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 2 {
			if c, ok := args[0].(*Class); ok {
				return &superObject{rt: rt, after: c, self: args[1]}, nil
			}
		}
		return nil, Raise("RuntimeError", "super(): no arguments")
	})
	wrap := func(name string, build func(fn starlark.Value) starlark.Value) {
		t[name] = func(rt *runtime) starlark.Value {
			return &TypeObj{rt: rt, name: name, make: func(rt *runtime, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				if len(args) < 1 {
					return nil, Raise("TypeError", "%s expected 1 argument, got 0", name)
				}
				return build(args[0]), nil
			}}
		}
	}
	wrap("staticmethod", func(f starlark.Value) starlark.Value { return &staticMethod{wrapper{"staticmethod", f}} })
	wrap("classmethod", func(f starlark.Value) starlark.Value { return &classMethod{wrapper{"classmethod", f}} })
}
