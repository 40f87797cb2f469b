package pylang

import (
	"go.starlark.net/starlark"
)

// The algebra of sets, in the order of steps of CPython.

func (s *Set) clone() *Set {
	c := &Set{}
	c.merge(s)
	return c
}

// merge adds all of o, as CPython's set_merge does: a table that would get too
// full grows first, and an empty one takes o's slots in order.
func (s *Set) merge(o *Set) {
	if o.used == 0 || o == s {
		return
	}
	if s.table == nil {
		s.table = make([]setEntry, 8)
	}
	if (s.fill+o.used)*5 >= (len(s.table)-1)*3 {
		s.resize((s.used + o.used) * 2)
	}
	if s.fill == 0 && len(s.table) == len(o.table) && o.fill == o.used {
		copy(s.table, o.table)
		s.fill, s.used = o.fill, o.used
		s.seq = max(s.seq, o.seq)
		s.ordered = s.ordered || o.ordered
		return
	}
	if s.ordered || o.ordered {
		for _, v := range o.elems() {
			h, fixed, _ := pyHash(v)
			s.addHash(v, h, fixed)
		}
		return
	}
	if s.fill == 0 {
		// CPython inserts the entries cleanly, without growing again.
		for _, e := range o.table {
			if e.value != nil && e.value != setDummy {
				i, _ := s.find(e.value, e.hash)
				s.seq++
				s.table[i] = setEntry{e.hash, s.seq, e.value}
				s.fill++
				s.used++
			}
		}
		return
	}
	for _, e := range o.table {
		if e.value != nil && e.value != setDummy {
			s.addHash(e.value, e.hash, true)
		}
	}
}

func (s *Set) replace(o *Set) {
	frozen := s.frozen
	*s = *o
	s.frozen = frozen
}

func (s *Set) subsetOf(o *Set) bool {
	if s.used > o.used {
		return false
	}
	for _, e := range s.table {
		if e.value != nil && e.value != setDummy {
			if o.used == 0 {
				return false
			}
			if _, found := o.find(e.value, e.hash); !found {
				return false
			}
		}
	}
	return true
}

func asSet(v starlark.Value) (*Set, bool) {
	switch v := v.(type) {
	case *Set:
		return v, true
	case *dictView:
		return v.asSet()
	case *Instance:
		if v.base != nil {
			return asSet(v.base)
		}
	}
	return nil, false
}

func asSetLike(v starlark.Value) (*Set, bool) { return asSet(v) }

// setOp applies | & - ^ where one side is a set or a set-like view.
func (rt *runtime) setOp(op string, x, y starlark.Value) (starlark.Value, bool, error) {
	if unhashableItems(x) || unhashableItems(y) {
		return rt.itemsOp(op, x, y)
	}
	a, ok1 := asSet(x)
	b, ok2 := asSet(y)
	if ok1 != ok2 { // a view of a dict takes any iterable as its partner
		view, other := x, y
		if ok2 {
			view, other = y, x
		}
		if _, isView := view.(*dictView); !isView {
			return nil, false, nil
		}
		list, err := rt.list(other)
		if err != nil {
			return nil, true, err
		}
		s, err := NewSet(list)
		if err != nil {
			return nil, true, err
		}
		if ok1 {
			b = s
		} else {
			a = s
		}
	} else if !ok1 {
		return nil, false, nil
	}
	v, err := setBinary(op, a, b)
	if v == nil && err == nil {
		return nil, false, nil
	}
	return v, true, err
}

// unhashableItems says that v is an items view that is no set because some value
// cannot be hashed.
func unhashableItems(v starlark.Value) bool {
	view, ok := v.(*dictView)
	if !ok || view.kind != "items" {
		return false
	}
	_, err := NewSet(view.elems())
	return err != nil
}

// itemsOp applies an operator of sets where pairs of an items view cannot be
// hashed: it fails, unless CPython never comes to hash one.
func (rt *runtime) itemsOp(op string, x, y starlark.Value) (starlark.Value, bool, error) {
	failed := func() error { // of the side that is made a set first
		if _, err := rt.newSet(x); err != nil {
			return err
		}
		_, err := rt.newSet(y)
		return err
	}
	switch op {
	case "|", "-":
		return nil, true, failed()
	case "&":
		view, isView := x.(*dictView)
		other := y
		if !isView || view.kind == "values" {
			view, other = y.(*dictView), x
		}
		if s, ok := other.(*Set); ok && view.d.Len() <= s.used {
			return nil, true, failed()
		}
		if o, ok := other.(*dictView); ok && o.kind != "values" && o.d.Len() > view.d.Len() {
			view, other = o, view
		}
		list, err := rt.list(other)
		if err != nil {
			return nil, true, err
		}
		r := &Set{}
		for _, v := range list {
			if ok, err := view.contains(rt, v); err != nil {
				return nil, true, err
			} else if ok {
				if err := r.add(v); err != nil {
					return nil, true, err
				}
			}
		}
		return r, true, nil
	case "^":
		a, ok1 := x.(*dictView)
		b, ok2 := y.(*dictView)
		if !ok1 || !ok2 || a.kind != "items" || b.kind != "items" {
			return nil, true, failed()
		}
		r := &Set{}
		for _, pair := range [][2]*dictView{{b, a}, {a, b}} {
			for _, v := range pair[0].elems() {
				if ok, err := pair[1].contains(rt, v); err != nil {
					return nil, true, err
				} else if !ok {
					if err := r.add(v); err != nil {
						return nil, true, err
					}
				}
			}
		}
		return r, true, nil
	}
	return nil, false, nil
}

func setBinary(op string, a, b *Set) (starlark.Value, error) {
	var r *Set
	switch op {
	case "|":
		r = a.clone()
		r.merge(b)
	case "&":
		r = &Set{}
		x, y := a, b
		if len(y.elems()) > len(x.elems()) {
			x, y = y, x // CPython walks the smaller one
		}
		if a.ordered || b.ordered {
			x, y = b, a
		}
		for _, v := range y.elems() {
			if ok, _ := x.has(v); ok {
				if err := r.add(v); err != nil {
					return nil, err
				}
			}
		}
	case "-":
		if a.used>>2 > b.used {
			// a large set loses a few: CPython copies it and removes them
			r = a.clone()
			for _, v := range b.elems() {
				if _, err := r.remove(v); err != nil {
					return nil, err
				}
			}
			if (r.fill-r.used)*5 > len(r.table)-1 {
				n := r.used * 4
				if r.used > 50000 {
					n = r.used * 2
				}
				r.resize(n)
			}
			break
		}
		r = &Set{}
		for _, v := range a.elems() {
			if ok, _ := b.has(v); !ok {
				if err := r.add(v); err != nil {
					return nil, err
				}
			}
		}
	case "^":
		r = b.clone()
		for _, v := range a.elems() {
			found, err := r.remove(v)
			if err != nil {
				return nil, err
			}
			if !found {
				if err := r.add(v); err != nil {
					return nil, err
				}
			}
		}
		if a.ordered || b.ordered {
			r = &Set{}
			for _, pair := range [][2]*Set{{a, b}, {b, a}} {
				for _, v := range pair[0].elems() {
					if ok, _ := pair[1].has(v); !ok {
						if err := r.add(v); err != nil {
							return nil, err
						}
					}
				}
			}
		}
	default:
		return nil, nil
	}
	r.frozen = a.frozen
	return r, nil
}
