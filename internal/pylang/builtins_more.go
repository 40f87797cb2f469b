package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// The longer built-in functions.

// attrName reads an attribute's name at run time, and keeps programs from
// looking behind their values.
func attrName(v starlark.Value) (string, error) {
	s, ok := v.(starlark.String)
	if !ok {
		return "", Raise("TypeError", "attribute name must be string, not '%s'", typeName(v))
	}
	if isDunder(string(s)) && !dunderOK[string(s)] {
		return "", Raise("AttributeError", "attribute %s is not available in this sandbox", string(s))
	}
	return string(s), nil
}

func issubclass(c, t starlark.Value) (bool, error) {
	if tup, ok := t.(starlark.Tuple); ok {
		for _, x := range tup {
			if ok, err := issubclass(c, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	switch c := c.(type) {
	case *Class:
		switch t := t.(type) {
		case *Class:
			return c.subclassOf(t), nil
		case *TypeObj:
			if t.name == "object" || c.enumOf(t.name) {
				return true, nil
			}
		}
		if c.native != nil {
			return issubclass(c.native, t)
		}
		return false, nil
	case *TypeObj:
		if o, ok := t.(*TypeObj); ok {
			return c.name == o.name || o.name == "object" || c.name == "bool" && o.name == "int", nil
		}
		return false, nil
	}
	return false, Raise("TypeError", "issubclass() arg 1 must be a class")
}

func builtinPrint(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("print", nil, kwargs, "*", "sep?", "end?", "file?", "flush?")
	if err != nil {
		return nil, err
	}
	opt := func(v starlark.Value, name, dflt string) (string, error) {
		if v == nil || v == starlark.None {
			return dflt, nil
		}
		s, ok := v.(starlark.String)
		if !ok {
			return "", Raise("TypeError", "%s must be None or a string, not %s", name, typeName(v))
		}
		return string(s), nil
	}
	sep, err := opt(a[0], "sep", " ")
	if err != nil {
		return nil, err
	}
	end, err := opt(a[1], "end", "\n")
	if err != nil {
		return nil, err
	}
	var sb strings.Builder
	for i, v := range args {
		if i > 0 {
			sb.WriteString(sep)
		}
		s, err := rt.str(v)
		if err != nil {
			return nil, err
		}
		sb.WriteString(s)
	}
	sb.WriteString(end)
	if a[2] == starlark.None {
		a[2] = nil
	}
	if a[2] == nil && len(rt.redirected) > 0 {
		a[2] = rt.redirected[len(rt.redirected)-1]
	}
	if a[2] != nil && a[2] != starlark.None {
		write, err := rt.getattr(a[2], "write")
		if err != nil {
			return nil, err
		}
		_, err = rt.call(write, starlark.Tuple{starlark.String(sb.String())}, nil)
		return starlark.None, err
	}
	if rt.cfg.Print != nil && sb.Len() > 0 {
		rt.cfg.Print(sb.String())
	}
	return starlark.None, nil
}

func builtinSum(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("sum", args, kwargs, "iterable", "start?")
	if err != nil {
		return nil, err
	}
	total := a[1]
	if total == nil {
		total = starlark.MakeInt(0)
	}
	if _, ok := total.(starlark.String); ok {
		return nil, Raise("TypeError", "sum() can't sum strings [use ''.join(seq) instead]")
	}
	next, err := rt.iterate(a[0])
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		v, ok, err := next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return total, nil
		}
		if total, err = rt.binary("+", total, v); err != nil {
			return nil, err
		}
		if n&0xfff == 0 {
			if err := rt.work(); err != nil {
				return nil, err
			}
		}
	}
}

func (rt *runtime) minmax(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind(name, nil, kwargs, "*", "key?", "default?")
	if err != nil {
		return nil, err
	}
	var src starlark.Value = args
	switch {
	case len(args) == 0:
		return nil, Raise("TypeError", "%s expected at least 1 argument, got 0", name)
	case len(args) == 1:
		src = args[0]
	case a[1] != nil:
		return nil, Raise("TypeError", "Cannot specify a default for %s() with multiple positional arguments", name)
	}
	next, err := rt.iterate(src)
	if err != nil {
		return nil, err
	}
	op := "<"
	if name == "max" {
		op = ">"
	}
	var best, bestKey starlark.Value
	for n := 1; ; n++ {
		v, ok, err := next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		k := v
		if a[0] != nil && a[0] != starlark.None {
			if k, err = rt.call(a[0], starlark.Tuple{v}, nil); err != nil {
				return nil, err
			}
		}
		if best != nil {
			better, err := rt.compare(op, k, bestKey)
			if err != nil {
				return nil, err
			}
			if !better {
				continue
			}
		}
		best, bestKey = v, k
		if n&0xfff == 0 {
			if err := rt.work(); err != nil {
				return nil, err
			}
		}
	}
	if best == nil {
		if a[1] != nil {
			return a[1], nil
		}
		return nil, Raise("ValueError", "%s() arg is an empty sequence", name)
	}
	return best, nil
}

// iterValue is iter(v).
func (rt *runtime) iterValue(v starlark.Value) (starlark.Value, error) {
	switch x := v.(type) {
	case *Iter:
		return x, nil
	case *Instance:
		if f := x.class.lookup("__iter__"); f != nil {
			return rt.call(x.bind(f), nil, nil)
		}
		if x.base != nil {
			return rt.iterValue(x.base)
		}
	}
	next, err := rt.iterate(v)
	if err != nil {
		return nil, err
	}
	return NewIter(typeName(v)+"_iterator", next), nil
}
