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
		switch c.name {
		case "str", "int", "float", "bool", "bytes", "range", "object", "NoneType", "function":
			return nil, Raise("TypeError", "type '%s' is not subscriptable", c.name)
		}
		return x, nil // list[int] as an annotation or alias
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
		return rt.delslice(x, s.lo, s.hi, s.step)
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

// bounds computes the start, stop, step and count of a slice as CPython does.
func (rt *runtime) bounds(lo, hi, step starlark.Value, n int) (start, stop, st, count int, err error) {
	get := func(v starlark.Value, dflt int, clamp bool) (int, error) {
		if v == starlark.None {
			return dflt, nil
		}
		i, ok := num(v).(starlark.Int)
		if !ok {
			return 0, Raise("TypeError", "slice indices must be integers or None or have an __index__ method")
		}
		x, ok := i.Int64()
		if !ok || x > 1<<40 || x < -(1<<40) {
			x = 1 << 40
			if i.Sign() < 0 {
				x = -x
			}
		}
		return int(x), nil
	}
	if st, err = get(step, 1, false); err != nil {
		return
	}
	if st == 0 {
		err = Raise("ValueError", "slice step cannot be zero")
		return
	}
	low, high := 0, n
	dlo, dhi := 0, n
	if st < 0 {
		low, high = -1, n-1
		dlo, dhi = n-1, -1
	}
	fix := func(v starlark.Value, dflt int) (int, error) {
		x, err := get(v, dflt, true)
		if err != nil || v == starlark.None {
			return x, err
		}
		if x < 0 {
			x += n
			if x < low {
				x = low
			}
		} else if x > high {
			x = high
		}
		return x, nil
	}
	if start, err = fix(lo, dlo); err != nil {
		return
	}
	if stop, err = fix(hi, dhi); err != nil {
		return
	}
	if st > 0 && start < stop {
		count = (stop-start-1)/st + 1
	} else if st < 0 && start > stop {
		count = (start-stop-1)/(-st) + 1
	}
	return
}

// slice is x[lo:hi:step].
func (rt *runtime) slice(x, lo, hi, step starlark.Value) (starlark.Value, error) {
	switch c := x.(type) {
	case starlark.String:
		s := string(c)
		if isASCII(s) {
			start, stop, st, count, err := rt.bounds(lo, hi, step, len(s))
			if err != nil {
				return nil, err
			}
			if st == 1 {
				if stop < start {
					stop = start
				}
				return c[start:stop], nil
			}
			out := make([]byte, count)
			for i := range out {
				out[i] = s[start+i*st]
			}
			return starlark.String(out), nil
		}
		r := []rune(s)
		start, _, st, count, err := rt.bounds(lo, hi, step, len(r))
		if err != nil {
			return nil, err
		}
		out := make([]rune, count)
		for i := range out {
			out[i] = r[start+i*st]
		}
		return starlark.String(out), nil
	case starlark.Bytes:
		start, _, st, count, err := rt.bounds(lo, hi, step, len(c))
		if err != nil {
			return nil, err
		}
		out := make([]byte, count)
		for i := range out {
			out[i] = c[start+i*st]
		}
		return starlark.Bytes(out), nil
	case *starlark.List:
		start, _, st, count, err := rt.bounds(lo, hi, step, c.Len())
		if err != nil {
			return nil, err
		}
		out := make([]starlark.Value, count)
		for i := range out {
			out[i] = c.Index(start + i*st)
		}
		return starlark.NewList(out), nil
	case starlark.Tuple:
		start, _, st, count, err := rt.bounds(lo, hi, step, len(c))
		if err != nil {
			return nil, err
		}
		if st == 1 && count == len(c) {
			return c, nil
		}
		out := make(starlark.Tuple, count)
		for i := range out {
			out[i] = c[start+i*st]
		}
		return out, nil
	case *Instance:
		v, _, err := c.Get(&sliceValue{lo, hi, step})
		return v, err
	case Awaitable:
		f, err := rt.force(c)
		if err != nil {
			return nil, err
		}
		if f != x {
			return rt.slice(f, lo, hi, step)
		}
	}
	if s, ok := x.(starlark.Sliceable); ok {
		start, stop, st, _, err := rt.bounds(lo, hi, step, s.Len())
		if err != nil {
			return nil, err
		}
		if st > 0 && stop < start || st < 0 && stop > start {
			stop = start
		}
		return s.Slice(start, stop, st), nil
	}
	e := Raise("TypeError", "'%s' object is not subscriptable", typeName(x))
	switch typeName(x) {
	case "coroutine":
		e.Hint = "put await before the call"
	case "dict":
		return nil, Raise("TypeError", "unhashable type: 'slice'")
	case "set", "generator", "map", "filter", "zip", "dict_keys", "dict_values", "dict_items":
		e.Hint = "make a list of it first: list(...)"
	}
	return nil, e
}

// sliceValue is Python's slice object.
type sliceValue struct{ lo, hi, step starlark.Value }

func (s *sliceValue) String() string {
	return "slice(" + reprPlain(s.lo) + ", " + reprPlain(s.hi) + ", " + reprPlain(s.step) + ")"
}
func (s *sliceValue) Type() string          { return "slice" }
func (s *sliceValue) Freeze()               {}
func (s *sliceValue) Truth() starlark.Bool  { return true }
func (s *sliceValue) Hash() (uint32, error) { return 0, Raise("TypeError", "unhashable type: 'slice'") }
func (s *sliceValue) AttrNames() []string   { return []string{"start", "step", "stop"} }
func (s *sliceValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "start":
		return s.lo, nil
	case "stop":
		return s.hi, nil
	case "step":
		return s.step, nil
	}
	return nil, nil
}

func (rt *runtime) setslice(x, lo, hi, step, v starlark.Value) error {
	l, ok := x.(*starlark.List)
	if !ok {
		if inst, isInst := x.(*Instance); isInst {
			return inst.SetKey(&sliceValue{lo, hi, step}, v)
		}
		return Raise("TypeError", "'%s' object does not support item assignment", typeName(x))
	}
	vals, err := rt.list(v)
	if err != nil {
		if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
			return Raise("TypeError", "can only assign an iterable")
		}
		return err
	}
	start, stop, st, count, err := rt.bounds(lo, hi, step, l.Len())
	if err != nil {
		return err
	}
	elems := listElems(l)
	if st == 1 {
		if stop < start {
			stop = start
		}
		out := make([]starlark.Value, 0, len(elems)-(stop-start)+len(vals))
		out = append(append(append(out, elems[:start]...), vals...), elems[stop:]...)
		setList(l, out)
		return nil
	}
	if len(vals) != count {
		return Raise("ValueError", "attempt to assign sequence of size %d to extended slice of size %d", len(vals), count)
	}
	for i, v := range vals {
		elems[start+i*st] = v
	}
	setList(l, elems)
	return nil
}

func (rt *runtime) delslice(x, lo, hi, step starlark.Value) error {
	l, ok := x.(*starlark.List)
	if !ok {
		return Raise("TypeError", "'%s' object doesn't support item deletion", typeName(x))
	}
	start, _, st, count, err := rt.bounds(lo, hi, step, l.Len())
	if err != nil {
		return err
	}
	drop := make(map[int]bool, count)
	for i := 0; i < count; i++ {
		drop[start+i*st] = true
	}
	var out []starlark.Value
	for i := 0; i < l.Len(); i++ {
		if !drop[i] {
			out = append(out, l.Index(i))
		}
	}
	setList(l, out)
	return nil
}
