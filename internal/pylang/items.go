package pylang

import (
	"unicode/utf8"

	"go.starlark.net/starlark"
)

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// runeLen is len(s) in code points.
func runeLen(s string) int { return utf8.RuneCountInString(s) }

// length is Python's len.
func (rt *runtime) length(v starlark.Value) (int, error) {
	switch v := v.(type) {
	case starlark.String:
		return runeLen(string(v)), nil
	case *Set:
		return v.used, nil
	case *Instance:
		if fn := v.class.lookup("__len__"); fn != nil {
			r, err := rt.call(v.bind(fn), nil, nil)
			if err != nil {
				return 0, err
			}
			n, ok := num(r).(starlark.Int)
			if !ok {
				return 0, Raise("TypeError", "'%s' object cannot be interpreted as an integer", typeName(r))
			}
			if n.Sign() < 0 {
				return 0, Raise("ValueError", "__len__() should return >= 0")
			}
			return smallInt(n), nil
		}
		if v.base != nil {
			return rt.length(v.base)
		}
	case *Class:
		if v.enum {
			return len(v.members), nil
		}
	case Awaitable:
		f, err := rt.force(v)
		if err != nil {
			return 0, err
		}
		if f != starlark.Value(v) {
			return rt.length(f)
		}
	}
	if n := starlark.Len(v); n >= 0 {
		return n, nil
	}
	e := Raise("TypeError", "object of type '%s' has no len()", typeName(v))
	switch typeName(v) {
	case "generator", "map", "filter", "zip", "enumerate":
		e.Hint = "make a list of it first: list(...)"
	case "coroutine":
		e.Hint = "put await before the call"
	}
	return 0, e
}

// index turns a key into a position, for sequences of length n.
func (rt *runtime) index(key starlark.Value, n int, seq string, store bool) (int, error) {
	var i starlark.Int
	switch k := key.(type) {
	case starlark.Int:
		i = k
	case starlark.Bool:
		i = num(k).(starlark.Int)
	case *Instance:
		n, err := rt.asIndex(k)
		if err != nil {
			if rt.isClass(err, "TypeError") {
				err = indexTypeError(seq, typeName(key))
			}
			return 0, err
		}
		i = n
	default:
		return 0, indexTypeError(seq, typeName(key))
	}
	x, ok := i.Int64()
	if !ok {
		if seq == "range" {
			return 0, Raise("IndexError", "range object index out of range")
		}
		return 0, Raise("IndexError", "cannot fit 'int' into an index-sized integer")
	}
	if x < 0 {
		x += int64(n)
	}
	if x < 0 || x >= int64(n) {
		msg := rangeMessage(seq)
		if store {
			msg = seq + " assignment index out of range"
		}
		return 0, Raise("IndexError", "%s", msg)
	}
	return int(x), nil
}

// asIndex is __index__: the int that an instance counts as where one is needed.
func (rt *runtime) asIndex(v starlark.Value) (starlark.Int, error) {
	if n, ok := num(v).(starlark.Int); ok {
		return n, nil
	}
	if i, ok := v.(*Instance); ok {
		if fn := i.class.lookup("__index__"); fn != nil {
			r, err := rt.call(i.bind(fn), nil, nil)
			if err != nil {
				return starlark.Int{}, err
			}
			if n, ok := num(r).(starlark.Int); ok {
				return n, nil
			}
			return starlark.Int{}, Raise("TypeError", "__index__ returned non-int (type %s)", typeName(r))
		}
	}
	return starlark.Int{}, Raise("TypeError", "'%s' object cannot be interpreted as an integer", typeName(v))
}

// getitem is Python's x[key].
func (rt *runtime) getitem(x, key starlark.Value) (starlark.Value, error) {
	if s, ok := key.(*sliceValue); ok {
		if _, isInst := x.(*Instance); !isInst {
			return rt.slice(x, s.lo, s.hi, s.step)
		}
	}
	switch c := x.(type) {
	case *starlark.List:
		if i, ok := key.(starlark.Int); ok {
			if n, ok := i.Int64(); ok && n >= 0 && n < int64(c.Len()) {
				return c.Index(int(n)), nil
			}
		}
		i, err := rt.index(key, c.Len(), "list", false)
		if err != nil {
			return nil, err
		}
		return c.Index(i), nil
	case *starlark.Dict:
		v, found, err := dictGet(c, key)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, newKeyError(key)
		}
		return v, nil
	case starlark.Tuple:
		i, err := rt.index(key, len(c), "tuple", false)
		if err != nil {
			return nil, err
		}
		return c[i], nil
	case starlark.String:
		s := string(c)
		if isASCII(s) {
			i, err := rt.index(key, len(s), "str", false)
			if err != nil {
				return nil, err
			}
			return c[i : i+1], nil
		}
		i, err := rt.index(key, runeLen(s), "str", false)
		if err != nil {
			return nil, err
		}
		for off := range s {
			if i == 0 {
				_, n := utf8.DecodeRuneInString(s[off:])
				return starlark.String(s[off : off+n]), nil
			}
			i--
		}
	case starlark.Bytes:
		i, err := rt.index(key, len(c), "bytes", false)
		if err != nil {
			return nil, err
		}
		return starlark.MakeInt(int(c[i])), nil
	case *TypeObj:
		return c.subscript(key)
	case *genericAlias:
		v, _, err := c.Get(key)
		return v, err
	case *typingForm:
		return x, nil
	case *Instance:
		v, _, err := c.Get(key)
		return v, err
	case Awaitable:
		f, err := rt.force(c)
		if err != nil {
			return nil, err
		}
		if f != x {
			return rt.getitem(f, key)
		}
	}
	if m, ok := x.(starlark.Mapping); ok {
		v, found, err := m.Get(key)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, newKeyError(key)
		}
		return v, nil
	}
	if s, ok := x.(starlark.Indexable); ok {
		i, err := rt.index(key, s.Len(), typeName(x), false)
		if err != nil {
			return nil, err
		}
		return s.Index(i), nil
	}
	e := Raise("TypeError", "'%s' object is not subscriptable", typeName(x))
	switch typeName(x) {
	case "coroutine":
		e.Hint = "put await before the call"
	case "set", "generator", "map", "filter", "zip", "dict_keys", "dict_values", "dict_items":
		e.Hint = "make a list of it first: list(...)"
	case "builtin_function_or_method", "function", "method":
		e.Hint = "call it with (...)"
	}
	return nil, e
}

// setitem is x[key] = v.
func (rt *runtime) setitem(x, key, v starlark.Value) error {
	if s, ok := key.(*sliceValue); ok {
		if l, isList := x.(*starlark.List); isList {
			return rt.setslice(l, s.lo, s.hi, s.step, v)
		}
	}
	switch c := x.(type) {
	case *starlark.List:
		i, err := rt.index(key, c.Len(), "list", true)
		if err != nil {
			return err
		}
		return c.SetIndex(i, v)
	case *starlark.Dict:
		return dictSet(c, key, v)
	case Awaitable:
		f, err := rt.force(c)
		if err != nil {
			return err
		}
		if f != x {
			return rt.setitem(f, key, v)
		}
	}
	if m, ok := x.(starlark.HasSetKey); ok {
		return m.SetKey(key, v)
	}
	if m, ok := x.(starlark.HasSetIndex); ok {
		i, err := rt.index(key, m.Len(), typeName(x), true)
		if err != nil {
			return err
		}
		return m.SetIndex(i, v)
	}
	return Raise("TypeError", "'%s' object does not support item assignment", typeName(x))
}

func (rt *runtime) delitem(x, key starlark.Value) error {
	if s, ok := key.(*sliceValue); ok {
		if _, isInst := x.(*Instance); !isInst {
			return rt.delslice(x, s.lo, s.hi, s.step)
		}
	}
	switch c := x.(type) {
	case *starlark.List:
		i, err := rt.index(key, c.Len(), "list", true)
		if err != nil {
			return err
		}
		elems := listElems(c)
		setList(c, append(elems[:i:i], elems[i+1:]...))
		return nil
	case *starlark.Dict:
		k, found, err := dictKey(c, key)
		if err != nil {
			return err
		}
		if !found {
			return newKeyError(key)
		}
		_, _, err = c.Delete(k)
		return err
	case *Instance:
		if fn := c.class.lookup("__delitem__"); fn != nil {
			_, err := rt.call(c.bind(fn), starlark.Tuple{key}, nil)
			return err
		}
		if c.base != nil {
			return rt.delitem(c.base, key)
		}
	case DelItem:
		return c.DelItem(key)
	}
	return Raise("TypeError", "'%s' object doesn't support item deletion", typeName(x))
}

// DelItem may be implemented by values of modules that support del x[key].
type DelItem interface {
	starlark.Value
	DelItem(key starlark.Value) error
}
