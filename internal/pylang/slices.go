package pylang

import (
	"go.starlark.net/starlark"
)

// Slices: x[lo:hi:step] read, assigned and deleted.

// bounds computes the start, stop, step and count of a slice as CPython does.
func (rt *runtime) bounds(lo, hi, step starlark.Value, n int) (start, stop, st, count int, err error) {
	get := func(v starlark.Value, dflt int, clamp bool) (int, error) {
		if v == starlark.None {
			return dflt, nil
		}
		i, err := rt.asIndex(v)
		if err != nil && !rt.isClass(err, "TypeError") {
			return 0, err
		}
		if err != nil {
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
	case *bytearray:
		b, err := rt.slice(starlark.Bytes(c.b), lo, hi, step)
		if err != nil {
			return nil, err
		}
		return &bytearray{[]byte(b.(starlark.Bytes))}, nil
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
	if t, ok := x.(*TypeObj); ok {
		return t.subscript(&sliceValue{lo, hi, step})
	}
	if s, ok := x.(starlark.Sliceable); ok && rangeLike(x) {
		start, stop, st, _, err := rt.bounds(lo, hi, step, s.Len())
		if err != nil {
			return nil, err
		}
		first, by := rangePart(x, "start").(starlark.Int), rangePart(x, "step").(starlark.Int)
		at := func(i int) starlark.Value { return first.Add(by.Mul(starlark.MakeInt(i))) }
		return starlark.Universe["range"].(*starlark.Builtin).CallInternal(nil, starlark.Tuple{at(start), at(stop), by.Mul(starlark.MakeInt(st))}, nil)
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

func (s *sliceValue) Type() string { return "slice" }

func (s *sliceValue) Freeze() {}

func (s *sliceValue) Truth() starlark.Bool { return true }

func (s *sliceValue) Hash() (uint32, error) { return 0, Raise("TypeError", "unhashable type: 'slice'") }

func (s *sliceValue) AttrNames() []string { return []string{"start", "step", "stop"} }

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
