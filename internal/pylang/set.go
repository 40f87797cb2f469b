package pylang

import (
	"math"
	"math/big"
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Set is Python's set and frozenset. Its table works like CPython's (open
// addressing with linear runs and perturbation), so that sets of numbers show
// their elements in CPython's order; CPython's order of other values changes
// from process to process, here it is the order of insertion.
type Set struct {
	frozen  bool
	table   []setEntry // power of two
	fill    int        // used and deleted slots
	used    int
	seq     int
	ordered bool // has elements without a fixed CPython order
}

type setEntry struct {
	hash  uint64
	seq   int
	value starlark.Value // nil: free; dummy: deleted
}

var setDummy = marker("deleted")

// NewSet makes a set of values, which must be hashable.
func NewSet(values []starlark.Value) (*Set, error) {
	s := &Set{}
	for _, v := range values {
		if err := s.add(v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) Type() string {
	if s.frozen {
		return "frozenset"
	}
	return "set"
}
func (s *Set) String() string       { return reprPlain(s) }
func (s *Set) Freeze()              {}
func (s *Set) Truth() starlark.Bool { return s.used > 0 }
func (s *Set) Len() int             { return s.used }
func (s *Set) Iterate() starlark.Iterator {
	return starlark.NewList(s.elems()).Iterate()
}
func (s *Set) Has(v starlark.Value) (bool, error) { return s.has(v) }

// Hash is defined for frozen sets only.
func (s *Set) Hash() (uint32, error) {
	if !s.frozen {
		return 0, Raise("TypeError", "unhashable type: 'set'")
	}
	var h uint64
	for _, e := range s.table {
		if e.value != nil && e.value != setDummy {
			h ^= (e.hash ^ 89869747 ^ e.hash<<16) * 3644798167
		}
	}
	return uint32(h ^ h>>32), nil
}

// Binary lets Starlark's own operators work on sets.
func (s *Set) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	b, ok := y.(*Set)
	if !ok || side == starlark.Right {
		return nil, nil
	}
	return setBinary(op.String(), s, b)
}

// CompareSameType lets Starlark's own comparisons work on sets.
func (s *Set) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	b := y.(*Set)
	switch op {
	case syntax.EQL:
		return s.Len() == b.Len() && s.subsetOf(b), nil
	case syntax.NEQ:
		return !(s.Len() == b.Len() && s.subsetOf(b)), nil
	case syntax.LE:
		return s.subsetOf(b), nil
	case syntax.LT:
		return s.Len() < b.Len() && s.subsetOf(b), nil
	case syntax.GE:
		return b.subsetOf(s), nil
	}
	return b.Len() < s.Len() && b.subsetOf(s), nil
}

// pyHash gives CPython's hash for numbers, and ours for the rest; fixed says
// which of the two.
func pyHash(v starlark.Value) (h uint64, fixed bool, err error) { return pyHashDepth(v, 0) }

func pyHashDepth(v starlark.Value, depth int) (h uint64, fixed bool, err error) {
	if depth > maxCompareDepth {
		return 0, false, &Fatal{Kind: tooDeep.Kind, Message: tooDeep.Message}
	}
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			return 1, true, nil
		}
		return 0, true, nil
	case starlark.Int:
		return intHash(v), true, nil
	case starlark.Float:
		return floatHash(float64(v)), true, nil
	case starlark.Tuple:
		return tupleHash(v, depth)
	case *starlark.List, *starlark.Dict:
		return 0, false, Raise("TypeError", "unhashable type: '%s'", typeName(v))
	case starlark.NoneType:
		return 0xfca86420, false, nil
	case *Instance:
		h, err := v.Hash()
		return uint64(h), false, err
	}
	if rangeLike(v) {
		h, err := starlark.String(v.String()).Hash()
		return uint64(h), false, err
	}
	h32, err := v.Hash()
	if err != nil {
		if _, ok := err.(*Exception); !ok {
			err = Raise("TypeError", "unhashable type: '%s'", typeName(v))
		}
		return 0, false, err
	}
	return uint64(h32) * 0x9E3779B97F4A7C15, false, nil
}

var tooDeep = &Fatal{Kind: "recursion", Message: "the value is nested too deeply"}

// shallow refuses tuples so deep that hashing them would take the stack.
func shallow(v starlark.Value, depth int) error {
	if t, ok := v.(starlark.Tuple); ok {
		if depth > maxCompareDepth {
			return &Fatal{Kind: tooDeep.Kind, Message: tooDeep.Message}
		}
		for _, x := range t {
			if err := shallow(x, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

const hashModulus = 1<<61 - 1

func intHash(i starlark.Int) uint64 {
	if v, ok := i.Int64(); ok {
		neg := v < 0
		u := uint64(v)
		if neg {
			u = -u
		}
		u %= hashModulus
		h := int64(u)
		if neg {
			h = -h
		}
		if h == -1 {
			h = -2
		}
		return uint64(h)
	}
	m := new(big.Int).Mod(new(big.Int).Abs(i.BigInt()), big.NewInt(hashModulus)).Int64()
	if i.Sign() < 0 {
		m = -m
	}
	if m == -1 {
		m = -2
	}
	return uint64(m)
}

// floatHash is CPython's _Py_HashDouble.
func floatHash(f float64) uint64 {
	if math.IsInf(f, 1) {
		return 314159
	}
	if math.IsInf(f, -1) {
		return ^uint64(314159) + 1
	}
	if math.IsNaN(f) {
		return 0
	}
	m, e := math.Frexp(f)
	sign := int64(1)
	if m < 0 {
		sign, m = -1, -m
	}
	var x uint64
	for m != 0 {
		x = (x<<28)&hashModulus | x>>(61-28)
		m *= 268435456
		e -= 28
		y := uint64(m)
		m -= float64(y)
		x += y
		if x >= hashModulus {
			x -= hashModulus
		}
	}
	if e >= 0 {
		e %= 61
	} else {
		e = 61 - 1 - ((-1 - e) % 61)
	}
	x = (x<<uint(e))&hashModulus | x>>uint(61-e)
	h := int64(x) * sign
	if h == -1 {
		h = -2
	}
	return uint64(h)
}

// tupleHash is CPython's xxHash-based tuplehash.
func tupleHash(t starlark.Tuple, depth int) (uint64, bool, error) {
	const p1, p2, p5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
	acc := uint64(p5)
	fixed := true
	for _, v := range t {
		h, f, err := pyHashDepth(v, depth+1)
		if err != nil {
			return 0, false, err
		}
		fixed = fixed && f
		acc += h * p2
		acc = acc<<31 | acc>>33
		acc *= p1
	}
	acc += uint64(len(t)) ^ (p5 ^ 3527539)
	if acc == ^uint64(0) {
		acc = 1546275796
	}
	return acc, fixed, nil
}

// find gives the slot of v, or the free slot where it would go.
func (s *Set) find(v starlark.Value, h uint64) (int, bool) {
	mask := uint64(len(s.table) - 1)
	i := h & mask
	perturb := h
	for {
		probes := uint64(0)
		if i+9 <= mask {
			probes = 9
		}
		for j := uint64(0); j <= probes; j++ {
			e := &s.table[i+j]
			if e.value == nil {
				return int(i + j), false
			}
			if e.hash == h && e.value != setDummy && keysEqual(e.value, v) {
				return int(i + j), true
			}
		}
		perturb >>= 5
		i = (i*5 + 1 + perturb) & mask
	}
}

// keysEqual compares two values as keys; hashes are equal already.
func keysEqual(x, y starlark.Value) bool {
	if identical(x, y) {
		return true
	}
	if isNumber(x) && isNumber(y) {
		return numCmp(x, y) == 0
	}
	if a, ok := x.(starlark.Tuple); ok {
		b, ok := y.(starlark.Tuple)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !keysEqual(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	if a, ok := x.(*Instance); ok && a.class.rt != nil {
		eq, err := a.class.rt.equal(x, y)
		return eq && err == nil
	}
	if sameStarlarkType(x, y) {
		eq, err := starlark.EqualDepth(x, y, maxCompareDepth)
		return eq && err == nil
	}
	return false
}

func (s *Set) has(v starlark.Value) (bool, error) {
	if t, ok := v.(*Set); ok && !t.frozen {
		c := *t
		c.frozen = true
		v = &c
	}
	h, _, err := pyHash(v)
	if err != nil {
		return false, err
	}
	if s.used == 0 {
		return false, nil
	}
	_, found := s.find(v, h)
	return found, nil
}

func (s *Set) add(v starlark.Value) error {
	h, fixed, err := pyHash(v)
	if err != nil {
		return err
	}
	s.addHash(v, h, fixed)
	return nil
}

func (s *Set) addHash(v starlark.Value, h uint64, fixed bool) {
	if s.table == nil {
		s.table = make([]setEntry, 8)
	}
	i, found := s.find(v, h)
	if found {
		return
	}
	s.seq++
	s.table[i] = setEntry{h, s.seq, v}
	s.fill++
	s.used++
	s.ordered = s.ordered || !fixed
	if s.fill*5 >= (len(s.table)-1)*3 {
		n := s.used * 4
		if s.used > 50000 {
			n = s.used * 2
		}
		s.resize(n)
	}
}

func (s *Set) resize(minused int) {
	size := 8
	for size <= minused {
		size <<= 1
	}
	old := s.table
	s.table = make([]setEntry, size)
	s.fill = s.used
	mask := uint64(size - 1)
	for _, e := range old {
		if e.value == nil || e.value == setDummy {
			continue
		}
		i := e.hash & mask
		perturb := e.hash
	probe:
		for {
			if s.table[i].value == nil {
				s.table[i] = e
				break
			}
			if i+9 <= mask {
				for j := uint64(1); j <= 9; j++ {
					if s.table[i+j].value == nil {
						s.table[i+j] = e
						break probe
					}
				}
			}
			perturb >>= 5
			i = (i*5 + 1 + perturb) & mask
		}
	}
}

func (s *Set) remove(v starlark.Value) (bool, error) {
	h, _, err := pyHash(v)
	if err != nil || s.used == 0 {
		return false, err
	}
	i, found := s.find(v, h)
	if !found {
		return false, nil
	}
	s.table[i] = setEntry{hash: ^uint64(0), value: setDummy}
	s.used--
	return true, nil
}

// elems lists the elements in iteration order.
func (s *Set) elems() []starlark.Value {
	out := make([]starlark.Value, 0, s.used)
	if !s.ordered {
		for i := range s.table {
			if v := s.table[i].value; v != nil && v != setDummy {
				out = append(out, v)
			}
		}
		return out
	}
	ents := make([]setEntry, 0, s.used)
	for i := range s.table {
		if v := s.table[i].value; v != nil && v != setDummy {
			ents = append(ents, s.table[i])
		}
	}
	sort.Slice(ents, func(i, j int) bool { return ents[i].seq < ents[j].seq })
	for _, e := range ents {
		out = append(out, e.value)
	}
	return out
}

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
	}
	return nil, false
}

func asSetLike(v starlark.Value) (*Set, bool) { return asSet(v) }

// setOp applies | & - ^ where one side is a set or a set-like view.
func (rt *runtime) setOp(op string, x, y starlark.Value) (starlark.Value, bool, error) {
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
