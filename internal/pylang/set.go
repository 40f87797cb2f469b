package pylang

import (
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

// newSet makes a set of the elements of any iterable.
func (rt *runtime) newSet(v starlark.Value) (*Set, error) {
	s := &Set{}
	return s, rt.each(v, s.add)
}

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

func (s *Set) String() string { return reprPlain(s) }

func (s *Set) Freeze() {}

func (s *Set) Truth() starlark.Bool { return s.used > 0 }

func (s *Set) Len() int { return s.used }

func (s *Set) Iterate() starlark.Iterator {
	return starlark.NewList(s.elems()).Iterate()
}

// searched is what a set looks for: another set is looked for as a frozen one.
func searched(v starlark.Value) starlark.Value {
	if o, ok := v.(*Set); ok && !o.frozen {
		c := o.clone()
		c.frozen = true
		return c
	}
	return v
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
