package pylang

import (
	"math"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Membership and truth.

// contains is Python's x in y.
func (rt *runtime) contains(x, y starlark.Value) (bool, error) {
	switch c := y.(type) {
	case starlark.String:
		s, ok := plain(x).(starlark.String)
		if !ok {
			return false, Raise("TypeError", "'in <string>' requires string as left operand, not %s", typeName(x))
		}
		return c.Has(s)
	case *starlark.Dict:
		_, found, err := dictGet(c, x)
		return found, err
	case *Set:
		return c.has(searched(x))
	case *starlark.List, starlark.Tuple:
		seq := c.(starlark.Indexable)
		for i := 0; i < seq.Len(); i++ {
			if ok, err := rt.same(seq.Index(i), x, 0); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *Instance:
		if fn := c.class.lookup("__contains__"); fn != nil {
			v, err := rt.call(c.bind(fn), starlark.Tuple{x}, nil)
			if err != nil {
				return false, err
			}
			return rt.truth(v)
		}
		if c.base != nil && c.class.lookup("__iter__") == nil {
			return rt.contains(x, c.base)
		}
		return rt.containsByIteration(x, c)
	case *dictView:
		return c.contains(rt, x)
	case *TypeObj, *typingForm:
		return false, Raise("TypeError", "argument of type '%s' is not iterable", typeName(y))
	case *Class:
		if c.enum {
			if m, ok := x.(*Instance); ok {
				return m.class == c, nil
			}
			return false, Raise("TypeError", "unsupported operand type(s) for 'in': '%s' and 'EnumType'", typeName(x))
		}
		return false, Raise("TypeError", "argument of type 'type' is not iterable")
	case *genericAlias:
		return false, Raise("NotImplementedError", "looking into %s is not available in this sandbox", c)
	case Awaitable:
		f, err := rt.force(c)
		if err != nil {
			return false, err
		}
		if f != starlark.Value(c) {
			return rt.contains(x, f)
		}
	case *bytearray:
		return rt.contains(x, starlark.Bytes(c.b))
	case starlark.Bytes:
		if b, ok := rawBytes(x); ok {
			return strings.Contains(string(c), b), nil
		}
		ok, err := c.Has(num(x))
		if err != nil {
			if _, isInt := num(x).(starlark.Int); isInt {
				return false, Raise("ValueError", "byte must be in range(0, 256)")
			}
			return false, Raise("TypeError", "a bytes-like object is required, not '%s'", typeName(x))
		}
		return ok, nil
	}
	if rangeLike(y) {
		if !isNumber(x) {
			return false, nil
		}
		if f, ok := x.(starlark.Float); ok {
			if float64(f) != math.Trunc(float64(f)) || math.IsInf(float64(f), 0) {
				return false, nil
			}
			i, err := starlark.NumberToInt(f)
			if err != nil {
				return false, nil
			}
			x = i
		}
		v, err := starlark.Binary(syntax.IN, num(x), y)
		if err != nil {
			return false, err
		}
		return bool(v.Truth()), nil
	}
	if c, ok := y.(starlark.Container); ok {
		return c.Has(x)
	}
	if m, ok := y.(starlark.Mapping); ok {
		_, found, err := m.Get(x)
		return found && err == nil, nil
	}
	return rt.containsByIteration(x, y)
}

func (rt *runtime) containsByIteration(x, y starlark.Value) (bool, error) {
	next, err := rt.iterate(y)
	if err != nil {
		if e, ok := err.(*Exception); ok && e.Class == "TypeError" && strings.HasSuffix(e.Message, "is not iterable") {
			return false, Raise("TypeError", "argument of type '%s' is not iterable", typeName(y))
		}
		return false, err
	}
	for {
		v, ok, err := next()
		if !ok || err != nil {
			return false, err
		}
		if eq, err := rt.same(v, x, 0); eq || err != nil {
			return eq, err
		}
	}
}

func rangeLike(v starlark.Value) bool { return v.Type() == "range" }

// truth is Python's bool(v).
func (rt *runtime) truth(v starlark.Value) (bool, error) {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v), nil
	case *Instance:
		if fn := v.class.lookup("__bool__"); fn != nil {
			r, err := rt.call(v.bind(fn), nil, nil)
			if err != nil {
				return false, err
			}
			return bool(r.Truth()), nil
		}
		if fn := v.class.lookup("__len__"); fn != nil {
			r, err := rt.call(v.bind(fn), nil, nil)
			if err != nil {
				return false, err
			}
			return bool(r.Truth()), nil
		}
		if v.base != nil {
			return rt.truth(v.base)
		}
		return true, nil
	case Awaitable:
		f, err := rt.force(v)
		if err != nil {
			return false, err
		}
		return bool(f.Truth()), nil
	}
	return bool(v.Truth()), nil
}
