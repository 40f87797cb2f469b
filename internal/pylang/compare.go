package pylang

import (
	"cmp"

	"math"
	"math/big"

	"go.starlark.net/starlark"
)

const maxCompareDepth = 900

// equal is Python's ==.
func (rt *runtime) equal(x, y starlark.Value) (bool, error) { return rt.equalDepth(x, y, 0) }

func (rt *runtime) equalDepth(x, y starlark.Value, depth int) (bool, error) {
	if depth > maxCompareDepth {
		return false, rt.overflow(" in comparison")
	}
	switch a := x.(type) {
	case starlark.String:
		if b, ok := y.(starlark.String); ok {
			return a == b, nil
		}
	case starlark.Int, starlark.Float, starlark.Bool:
		if isNumber(y) {
			return numCmp(x, y) == 0, nil
		}
	case starlark.NoneType:
		if y == starlark.None {
			return true, nil
		}
	case *starlark.List:
		if b, ok := y.(*starlark.List); ok {
			if a == b {
				return true, nil
			}
			if a.Len() != b.Len() {
				return false, nil
			}
			for i := 0; i < a.Len() && i < b.Len(); i++ {
				if ok, err := rt.same(a.Index(i), b.Index(i), depth+1); !ok || err != nil {
					return false, err
				}
			}
			return true, nil
		}
	case starlark.Tuple:
		if b, ok := y.(starlark.Tuple); ok {
			if len(a) != len(b) {
				return false, nil
			}
			for i := range a {
				if ok, err := rt.same(a[i], b[i], depth+1); !ok || err != nil {
					return false, err
				}
			}
			return true, nil
		}
	case *starlark.Dict:
		if b, ok := asDict(y); ok {
			return rt.dictsEqual(a, b, depth)
		}
	case *Set:
		if b, ok := y.(*Set); ok {
			return a.Len() == b.Len() && a.subsetOf(b), nil
		}
	case *dictView:
		if s, ok := a.asSet(); ok {
			if b, ok := asSet(y); ok {
				return s.Len() == b.Len() && s.subsetOf(b), nil
			}
		}
		return x == y, nil
	}
	if _, isInst := x.(*Instance); !isInst {
		if a, ok := asTuple(x); ok {
			if b, ok := asTuple(y); ok {
				if _, isInst := y.(*Instance); !isInst {
					return rt.equalDepth(a, b, depth+1)
				}
			}
		}
	}
	if _, ok := x.(*bytearray); ok {
		if b, ok := rawBytes(y); ok {
			return string(x.(*bytearray).b) == b, nil
		}
	} else if b, ok := y.(*bytearray); ok {
		return rt.equalDepth(b, x, depth+1)
	}
	for i, v := range []starlark.Value{x, y} {
		other := y
		if i == 1 {
			other = x
		}
		if inst, ok := v.(*Instance); ok {
			if fn := inst.class.lookup("__eq__"); fn != nil {
				r, err := rt.call(inst.bind(fn), starlark.Tuple{other}, nil)
				if err != nil {
					return false, err
				}
				if r != notImplemented {
					return rt.truth(r)
				}
			}
		}
	}
	if a, b, changed := unwrapped(x, y); changed {
		return rt.equalDepth(a, b, depth+1)
	}
	if _, ok := x.(*Instance); ok {
		return x == y, nil
	}
	if _, ok := y.(*Instance); ok {
		return false, nil
	}
	for i, v := range []starlark.Value{x, y} {
		if _, ok := v.(Awaitable); ok {
			f, err := rt.force(v)
			if err != nil {
				return false, err
			}
			if f != v {
				if i == 0 {
					return rt.equalDepth(f, y, depth+1)
				}
				return rt.equalDepth(x, f, depth+1)
			}
		}
	}
	if a, ok := x.(*starlark.Dict); ok {
		_ = a
		return false, nil
	}
	if b, ok := y.(*starlark.Dict); ok {
		if a, ok := asDict(x); ok {
			return rt.dictsEqual(a, b, depth)
		}
		return false, nil
	}
	if sameStarlarkType(x, y) {
		return starlark.EqualDepth(x, y, maxCompareDepth)
	}
	return false, nil
}

// asTuple is v as a tuple, when it is one or, like a named tuple, a kind of one.
func asTuple(v starlark.Value) (starlark.Tuple, bool) {
	switch v := v.(type) {
	case starlark.Tuple:
		return v, true
	case interface{ PyTuple() starlark.Tuple }:
		return v.PyTuple(), true
	case *Instance:
		if v.base != nil {
			return asTuple(v.base)
		}
	}
	return nil, false
}

func sameStarlarkType(x, y starlark.Value) bool { return x.Type() == y.Type() }

// same is what containers use: identical objects are equal without asking.
func (rt *runtime) same(x, y starlark.Value, depth int) (bool, error) {
	if identical(x, y) {
		return true, nil
	}
	return rt.equalDepth(x, y, depth)
}

// identical is Python's is, as far as Starlark values have an identity. Equal
// strings and small ints are the same object, as CPython mostly has it.
func identical(x, y starlark.Value) bool {
	switch a := x.(type) {
	case starlark.Int:
		b, ok := y.(starlark.Int)
		return ok && a == b
	case starlark.Float:
		b, ok := y.(starlark.Float)
		return ok && (a == b || a != a && b != b && false)
	case starlark.Tuple:
		b, ok := y.(starlark.Tuple)
		return ok && len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	case starlark.String:
		b, ok := y.(starlark.String)
		return ok && a == b
	case starlark.Bytes:
		b, ok := y.(starlark.Bytes)
		return ok && a == b
	}
	if a, ok := x.(*TypeObj); ok {
		b, ok := y.(*TypeObj)
		return ok && a.name == b.name
	}
	return comparable(x, y)
}

func comparable(x, y starlark.Value) (same bool) {
	defer func() {
		if recover() != nil {
			same = false // uncomparable Go types have no identity
		}
	}()
	return x == y
}

func (rt *runtime) dictsEqual(a, b *starlark.Dict, depth int) (bool, error) {
	if a == b {
		return true, nil
	}
	if a.Len() != b.Len() {
		return false, nil
	}
	for _, it := range a.Items() {
		v, found, err := dictGet(b, it[0])
		if err != nil || !found {
			return false, err
		}
		if ok, err := rt.same(it[1], v, depth+1); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// numCmp compares numbers exactly: -1, 0, 1, or 2 when a NaN is involved.
func numCmp(x, y starlark.Value) int {
	x, y = num(x), num(y)
	a, ok1 := x.(starlark.Int)
	b, ok2 := y.(starlark.Int)
	if ok1 && ok2 {
		i, oki := a.Int64()
		j, okj := b.Int64()
		if oki && okj {
			switch {
			case i < j:
				return -1
			case i > j:
				return 1
			}
			return 0
		}
		return a.BigInt().Cmp(b.BigInt())
	}
	if !ok1 && !ok2 {
		return floatCmp(float64(x.(starlark.Float)), float64(y.(starlark.Float)))
	}
	if ok1 {
		return intFloatCmp(a, float64(y.(starlark.Float)))
	}
	c := intFloatCmp(b, float64(x.(starlark.Float)))
	if c == 2 {
		return 2
	}
	return -c
}

func floatCmp(f, g float64) int {
	switch {
	case f < g:
		return -1
	case f > g:
		return 1
	case f == g:
		return 0
	}
	return 2
}

func intFloatCmp(a starlark.Int, g float64) int {
	if math.IsNaN(g) {
		return 2
	}
	if math.IsInf(g, 1) {
		return -1
	}
	if math.IsInf(g, -1) {
		return 1
	}
	if i, ok := a.Int64(); ok && i > -(1<<53) && i < 1<<53 {
		return floatCmp(float64(i), g)
	}
	return new(big.Rat).SetInt(a.BigInt()).Cmp(new(big.Rat).SetFloat64(g))
}

var orderDunder = map[string][2]string{"<": {"__lt__", "__gt__"}, "<=": {"__le__", "__ge__"}, ">": {"__gt__", "__lt__"}, ">=": {"__ge__", "__le__"}}

func orderResult(op string, c int) bool {
	switch op {
	case "<":
		return c == -1
	case "<=":
		return c == -1 || c == 0
	case ">":
		return c == 1
	case ">=":
		return c == 1 || c == 0
	}
	return false
}

// compare is Python's <, <=, > and >=.
func (rt *runtime) compare(op string, x, y starlark.Value) (bool, error) {
	return rt.compareDepth(op, x, y, 0)
}

func (rt *runtime) compareDepth(op string, x, y starlark.Value, depth int) (bool, error) {
	if depth > maxCompareDepth {
		return false, rt.overflow(" in comparison")
	}
	switch a := x.(type) {
	case starlark.Int, starlark.Float, starlark.Bool:
		if isNumber(y) {
			return orderResult(op, numCmp(x, y)), nil
		}
	case starlark.String:
		if b, ok := y.(starlark.String); ok {
			return orderResult(op, cmp.Compare(a, b)), nil
		}
	case starlark.Bytes:
		if b, ok := y.(starlark.Bytes); ok {
			return orderResult(op, cmp.Compare(a, b)), nil
		}
	case *starlark.List:
		if b, ok := y.(*starlark.List); ok {
			return rt.compareSeq(op, a, b, depth)
		}
	case starlark.Tuple:
		if b, ok := y.(starlark.Tuple); ok {
			return rt.compareSeq(op, a, b, depth)
		}
	}
	if a, ok := asSetLike(x); ok {
		if b, ok := asSetLike(y); ok {
			switch op {
			case "<=":
				return a.subsetOf(b), nil
			case "<":
				return a.Len() < b.Len() && a.subsetOf(b), nil
			case ">=":
				return b.subsetOf(a), nil
			}
			return b.Len() < a.Len() && b.subsetOf(a), nil
		}
	}
	for i, v := range []starlark.Value{x, y} {
		other := y
		if i == 1 {
			other = x
		}
		if inst, ok := v.(*Instance); ok {
			if fn := inst.class.lookup(orderDunder[op][i]); fn != nil {
				r, err := rt.call(inst.bind(fn), starlark.Tuple{other}, nil)
				if err != nil {
					return false, err
				}
				if r != notImplemented {
					return rt.truth(r)
				}
			}
		}
		if _, ok := v.(Awaitable); ok {
			f, err := rt.force(v)
			if err != nil {
				return false, err
			}
			if f != v {
				if i == 0 {
					return rt.compareDepth(op, f, y, depth+1)
				}
				return rt.compareDepth(op, x, f, depth+1)
			}
		}
	}
	if a, b, changed := unwrapped(x, y); changed {
		ok, err := rt.compareDepth(op, a, b, depth+1)
		if err != nil && rt.isClass(err, "TypeError") {
			err = Raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, typeName(x), typeName(y))
		}
		return ok, err
	}
	if isForeign(x) && sameStarlarkType(x, y) {
		tok := compareTokens[op]
		r, err := starlark.CompareDepth(tok, x, y, maxCompareDepth)
		if _, own := err.(*Exception); own || err == nil {
			return r, err
		}
	}
	return false, Raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, typeName(x), typeName(y))
}

// isForeign says that a value's type was made by a module.
func isForeign(v starlark.Value) bool {
	switch v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple, *starlark.Dict, *Set, *Instance, *Class, *TypeObj, *genericAlias, *typeUnion, *boundMethod, *starlark.Function, *starlark.Builtin, *dictView:
		return false
	}
	_, a := v.(starlark.Comparable)
	_, b := v.(starlark.TotallyOrdered)
	return a || b
}

func (rt *runtime) compareSeq(op string, a, b starlark.Indexable, depth int) (bool, error) {
	n := min(a.Len(), b.Len())
	for i := 0; i < n; i++ {
		x, y := a.Index(i), b.Index(i)
		eq, err := rt.same(x, y, depth+1)
		if err != nil {
			return false, err
		}
		if !eq {
			return rt.compareDepth(op, x, y, depth+1)
		}
	}
	return orderResult(op, cmp.Compare(a.Len(), b.Len())), nil
}
