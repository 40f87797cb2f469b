package pylang

import (
	"go.starlark.net/starlark"
)

func tupleMethods() map[string]method {
	return map[string]method{"count": seqCount, "index": seqIndex}
}

func seqCount(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("count", args, kwargs, "value")
	if err != nil {
		return nil, err
	}
	seq := recv.(starlark.Indexable)
	n := 0
	for i := 0; i < seq.Len(); i++ {
		ok, err := rt.same(seq.Index(i), a[0], 0)
		if err != nil {
			return nil, err
		}
		if ok {
			n++
		}
	}
	return starlark.MakeInt(n), nil
}

func seqIndex(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("index", args, kwargs, "value", "start?", "stop?")
	if err != nil {
		return nil, err
	}
	seq := recv.(starlark.Indexable)
	n := int64(seq.Len())
	lo, err := intArg(a[1], 0)
	if err != nil {
		return nil, err
	}
	hi, err := intArg(a[2], n)
	if err != nil {
		return nil, err
	}
	if lo < 0 {
		lo = max(lo+n, 0)
	}
	if hi < 0 {
		hi += n
	}
	for i := lo; i < min(hi, int64(seq.Len())); i++ {
		ok, err := rt.same(seq.Index(int(i)), a[0], 0)
		if err != nil {
			return nil, err
		}
		if ok {
			return starlark.MakeInt64(i), nil
		}
	}
	switch recv.(type) {
	case starlark.Tuple:
		return nil, Raise("ValueError", "tuple.index(x): x not in tuple")
	}
	s, err := rt.repr(a[0])
	if err != nil {
		return nil, err
	}
	if rangeLike(recv) {
		if !isIndex(a[0]) {
			return nil, Raise("ValueError", "sequence.index(x): x not in sequence")
		}
		return nil, Raise("ValueError", "%s is not in range", s)
	}
	return nil, Raise("ValueError", "%s is not in list", s)
}

func listMethods() map[string]method {
	t := map[string]method{"count": seqCount, "index": seqIndex}
	def := func(name string, fn func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error), params ...string) {
		t[name] = func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("list."+name, args, kwargs, params...)
			if err != nil {
				return nil, err
			}
			return fn(rt, recv.(*starlark.List), a)
		}
	}
	t["append"] = func(_ *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 1 || len(kwargs) > 0 {
			return nil, Raise("TypeError", "list.append() takes exactly one argument (%d given)", len(args))
		}
		return starlark.None, recv.(*starlark.List).Append(args[0])
	}
	def("extend", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		return starlark.None, rt.extend(l, a[0])
	}, "iterable")
	def("insert", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		i, err := intArg(a[0], 0)
		if err != nil {
			return nil, err
		}
		n := int64(l.Len())
		if i < 0 {
			i = max(i+n, 0)
		}
		i = min(i, n)
		if err := l.Append(starlark.None); err != nil {
			return nil, err
		}
		for j := l.Len() - 1; j > int(i); j-- {
			_ = l.SetIndex(j, l.Index(j-1))
		}
		return starlark.None, l.SetIndex(int(i), a[1])
	}, "index", "object")
	def("pop", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		n := l.Len()
		i, err := intArg(a[0], -1)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, Raise("IndexError", "pop from empty list")
		}
		if i < 0 {
			i += int64(n)
		}
		if i < 0 || i >= int64(n) {
			return nil, Raise("IndexError", "pop index out of range")
		}
		v := l.Index(int(i))
		return v, removeAt(l, int(i))
	}, "index?")
	def("remove", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		for i := 0; i < l.Len(); i++ {
			ok, err := rt.same(l.Index(i), a[0], 0)
			if err != nil {
				return nil, err
			}
			if ok {
				return starlark.None, removeAt(l, i)
			}
		}
		return nil, Raise("ValueError", "list.remove(x): x not in list")
	}, "value")
	def("clear", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		return starlark.None, l.Clear()
	})
	def("copy", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		return starlark.NewList(listElems(l)), nil
	})
	def("reverse", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		for i, j := 0, l.Len()-1; i < j; i, j = i+1, j-1 {
			x, y := l.Index(i), l.Index(j)
			_ = l.SetIndex(i, y)
			_ = l.SetIndex(j, x)
		}
		return starlark.None, nil
	})
	def("sort", func(rt *runtime, l *starlark.List, a []starlark.Value) (starlark.Value, error) {
		if a[0] == nil && !hasInstance(l) { // no code of the program runs meanwhile
			elems := listElems(l)
			if err := rt.sort(elems, a[0], a[1]); err != nil {
				return nil, err
			}
			for i, v := range elems {
				_ = l.SetIndex(i, v)
			}
			return starlark.None, nil
		}
		// As in CPython the list is empty while its elements are compared.
		elems := append([]starlark.Value(nil), listElems(l)...)
		setList(l, nil)
		err := rt.sort(elems, a[0], a[1])
		changed := l.Len() > 0
		setList(l, elems)
		if err == nil && changed {
			err = Raise("ValueError", "list modified during sort")
		}
		return starlark.None, err
	}, "*", "key?", "reverse?")
	return t
}

// hasInstance says that comparing the elements may call the program's own methods.
func hasInstance(l *starlark.List) bool {
	for i := range l.Len() {
		switch l.Index(i).(type) {
		case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		default:
			return true
		}
	}
	return false
}

// removeAt deletes one element. Starlark's list shrinks only through its own
// pop method, which is reached by attribute.
func removeAt(l *starlark.List, i int) error {
	pop, err := l.Attr("pop")
	if err != nil {
		return err
	}
	_, err = pop.(*starlark.Builtin).CallInternal(nil, starlark.Tuple{starlark.MakeInt(i)}, nil)
	return err
}

func (rt *runtime) extend(l *starlark.List, v starlark.Value) error {
	if o, ok := v.(*starlark.List); ok {
		for _, x := range listElems(o) {
			if err := l.Append(x); err != nil {
				return err
			}
		}
		return rt.alloc(int64(l.Len()), 16)
	}
	return rt.each(v, l.Append)
}

// sort is a stable merge sort, as Python's is, in place.
func (rt *runtime) sort(elems []starlark.Value, key, reverse starlark.Value) error {
	rev := false
	if reverse != nil {
		ok, err := rt.truth(reverse)
		if err != nil {
			return err
		}
		rev = ok
	}
	keys := elems
	if key != nil && key != starlark.None {
		keys = make([]starlark.Value, len(elems))
		for i, v := range elems {
			k, err := rt.call(key, starlark.Tuple{v}, nil)
			if err != nil {
				return err
			}
			keys[i] = k
		}
	}
	idx := make([]int, len(elems))
	for i := range idx {
		idx[i] = i
	}
	n := 0
	less := func(a, b int) (bool, error) {
		if n++; n&0xfff == 0 {
			if err := rt.work(); err != nil {
				return false, err
			}
		}
		return rt.compare("<", keys[a], keys[b])
	}
	if rev { // as CPython: sort the reversed list and reverse it again, which keeps equal ones in order
		flip(idx)
	}
	if err := mergeSort(idx, make([]int, len(idx)), less); err != nil {
		return err
	}
	if rev {
		flip(idx)
	}
	old := append([]starlark.Value(nil), elems...)
	for i, j := range idx {
		elems[i] = old[j]
	}
	return nil
}

// mergeSort sorts indexes stably; less may fail.
func mergeSort(a, tmp []int, less func(x, y int) (bool, error)) error {
	if len(a) < 2 {
		return nil
	}
	if len(a) < 64 {
		return runSort(a, less)
	}
	m := len(a) / 2
	if err := mergeSort(a[:m], tmp[:m], less); err != nil {
		return err
	}
	if err := mergeSort(a[m:], tmp[m:], less); err != nil {
		return err
	}
	if ok, err := less(a[m], a[m-1]); err != nil || !ok {
		return err
	}
	copy(tmp, a)
	i, j := 0, m
	for k := range a {
		switch {
		case i == m:
			a[k] = tmp[j]
			j++
		case j == len(a):
			a[k] = tmp[i]
			i++
		default:
			ok, err := less(tmp[j], tmp[i])
			if err != nil {
				return err
			}
			if ok {
				a[k] = tmp[j]
				j++
			} else {
				a[k] = tmp[i]
				i++
			}
		}
	}
	return nil
}

// runSort sorts short lists with the very comparisons CPython makes: it finds the
// run at the start, turns a falling one round, and inserts the rest by halving.
func runSort(a []int, less func(x, y int) (bool, error)) error {
	n := 2
	falling, err := less(a[1], a[0])
	if err != nil {
		return err
	}
	for ; n < len(a); n++ {
		ok, err := less(a[n], a[n-1])
		if err != nil {
			return err
		}
		if ok != falling {
			break
		}
	}
	if falling {
		flip(a[:n])
	}
	for ; n < len(a); n++ {
		pivot := a[n]
		l, r := 0, n
		for l < r {
			m := l + (r-l)/2
			ok, err := less(pivot, a[m])
			if err != nil {
				return err
			}
			if ok {
				r = m
			} else {
				l = m + 1
			}
		}
		copy(a[l+1:n+1], a[l:n])
		a[l] = pivot
	}
	return nil
}

func flip(a []int) {
	for i, j := 0, len(a)-1; i < j; i, j = i+1, j-1 {
		a[i], a[j] = a[j], a[i]
	}
}
