package pylang

import (
	"math"
	"math/big"

	"go.starlark.net/starlark"
)

// The hashes of CPython: sets of numbers show its order.

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
	case starlark.String:
		if v == "" {
			return 0, true, nil
		}
	case starlark.Tuple:
		return tupleHash(v, depth)
	case *starlark.List, *starlark.Dict:
		return 0, false, Raise("TypeError", "unhashable type: '%s'", typeName(v))
	case starlark.NoneType:
		return 0xfca86420, false, nil
	case *Instance:
		if v.base != nil && v.class.lookup("__hash__") == nil && v.class.lookup("__eq__") == nil {
			return pyHashDepth(v.base, depth)
		}
		h, err := v.Hash()
		return uint64(h), false, err
	}
	if t, ok := v.(interface{ PyTuple() starlark.Tuple }); ok {
		return tupleHash(t.PyTuple(), depth)
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

// keysEqual compares two values as keys; hashes are equal already.
func keysEqual(x, y starlark.Value) bool {
	if identical(x, y) {
		return true
	}
	if isNumber(x) && isNumber(y) {
		return numCmp(x, y) == 0
	}
	if a, ok := asTuple(x); ok {
		b, ok := asTuple(y)
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
	for _, v := range []starlark.Value{x, y} {
		if a, ok := v.(*Instance); ok && a.class.rt != nil {
			eq, err := a.class.rt.equal(x, y)
			return eq && err == nil
		}
	}
	if sameStarlarkType(x, y) {
		eq, err := starlark.EqualDepth(x, y, maxCompareDepth)
		return eq && err == nil
	}
	return false
}
