package pylang

import (
	"math"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"weak"

	"go.starlark.net/starlark"
)

// Dicts are Starlark's. Their hash agrees with Python's on ints and floats, but
// tells True from 1; these functions make the two one key. A bool is stored as
// it came when no equal number is there.

// dictKey finds the stored key that equals key.
func dictKey(d *starlark.Dict, key starlark.Value) (starlark.Value, bool, error) {
	if err := shallow(key, 0); err != nil {
		return nil, false, err
	}
	_, found, err := d.Get(key)
	if err != nil {
		return nil, false, hashError(err, key)
	}
	if found {
		return key, true, nil
	}
	if k := derivedKey(d, key); k != nil {
		return k, true, nil
	}
	alt := altKey(key)
	if alt == nil {
		return key, false, nil
	}
	if _, found, err := d.Get(alt); err != nil || found {
		return alt, found, err
	}
	return key, false, nil
}

// A key of a class derived from str, int or tuple, such as a member of a str enum or a
// named tuple, equals the plain value, but Starlark's dicts cannot know that. For
// dicts that have such keys, derivedKeys tells which key stands for a plain value.
var derivedKeys struct {
	any atomic.Bool // there are such dicts
	sync.RWMutex
	of map[weak.Pointer[starlark.Dict]]*starlark.Dict
}

// noteDerived remembers a key of d that equals the plain value.
func noteDerived(d *starlark.Dict, plain, key starlark.Value) {
	derivedKeys.any.Store(true)
	derivedKeys.Lock()
	defer derivedKeys.Unlock()
	p := weak.Make(d)
	keys := derivedKeys.of[p]
	if keys == nil {
		keys = new(starlark.Dict)
		if derivedKeys.of == nil {
			derivedKeys.of = map[weak.Pointer[starlark.Dict]]*starlark.Dict{}
		}
		derivedKeys.of[p] = keys
		goruntime.AddCleanup(d, func(p weak.Pointer[starlark.Dict]) {
			derivedKeys.Lock()
			defer derivedKeys.Unlock()
			delete(derivedKeys.of, p)
		}, p)
	}
	_ = keys.SetKey(plain, key)
}

// derivedKey finds the key of d that equals a value but is of a derived class, nil for
// none.
func derivedKey(d *starlark.Dict, value starlark.Value) starlark.Value {
	if !derivedKeys.any.Load() {
		return nil
	}
	derivedKeys.RLock()
	defer derivedKeys.RUnlock()
	keys := derivedKeys.of[weak.Make(d)]
	if keys == nil {
		return nil
	}
	if alt := derivedFrom(value); alt != nil {
		value = alt
	}
	key, found, err := keys.Get(value)
	if !found || err != nil {
		return nil
	}
	if _, still, err := d.Get(key); !still || err != nil {
		return nil
	}
	return key
}

// derivedFrom is the plain value that a key of a derived class equals; nil for other
// values.
func derivedFrom(key starlark.Value) starlark.Value {
	switch k := key.(type) {
	case *Instance:
		if k.base != nil && k.class.lookup("__hash__") == nil && k.class.lookup("__eq__") == nil {
			return derivedOr(k.base)
		}
	case interface{ PyTuple() starlark.Tuple }:
		return k.PyTuple()
	}
	return nil
}

func derivedOr(v starlark.Value) starlark.Value {
	if d := derivedFrom(v); d != nil {
		return d
	}
	return v
}

// altKey is the other value that equals a bool, 0 or 1, or an instance of a class
// derived from str, int and the like.
func altKey(key starlark.Value) starlark.Value {
	switch k := key.(type) {
	case starlark.String:
		return nil
	case starlark.Bool:
		return num(k)
	case starlark.Int:
		if n, ok := k.Int64(); ok && (n == 0 || n == 1) {
			return starlark.Bool(n == 1)
		}
	case starlark.Float:
		if k == 0 || k == 1 {
			return starlark.Bool(k == 1)
		}
	default:
		return derivedFrom(key)
	}
	return nil
}

func hashError(err error, key starlark.Value) error {
	switch err.(type) {
	case *Exception, *Fatal:
		return err
	}
	if t, ok := key.(starlark.Tuple); ok {
		for _, v := range t {
			if _, e := v.Hash(); e != nil {
				return hashError(e, v)
			}
		}
	}
	if rangeLike(key) {
		e := Raise("TypeError", "a range as a key of a dict is not available")
		e.Hint = "use tuple(range(...))"
		return e
	}
	return Raise("TypeError", "unhashable type: '%s'", typeName(key))
}

func dictGet(d *starlark.Dict, key starlark.Value) (starlark.Value, bool, error) {
	if err := shallow(key, 0); err != nil {
		return nil, false, err
	}
	v, found, err := d.Get(key)
	if err != nil {
		return nil, false, hashError(err, key)
	}
	if found {
		if f, ok := key.(starlark.Float); ok && math.IsNaN(float64(f)) {
			return nil, false, nil
		}
		return v, true, nil
	}
	if k := derivedKey(d, key); k != nil {
		return d.Get(k)
	}
	if alt := altKey(key); alt != nil {
		v, found, err = d.Get(alt)
	}
	return v, found, err
}

func dictSet(d *starlark.Dict, key, v starlark.Value) error {
	if err := shallow(key, 0); err != nil {
		return err
	}
	if alt := altKey(key); alt != nil {
		if k, found, err := dictKey(d, key); err != nil {
			return err
		} else if found {
			key = k
		} else if plain := derivedFrom(key); plain != nil {
			noteDerived(d, plain, key)
		}
	} else if k := derivedKey(d, key); k != nil {
		key = k
	}
	if err := d.SetKey(key, v); err != nil {
		if _, e := key.Hash(); e != nil {
			return hashError(e, key)
		}
		return err
	}
	return nil
}

func copyDict(d *starlark.Dict) *starlark.Dict {
	c := starlark.NewDict(d.Len())
	for _, kv := range d.Items() {
		if plain := derivedFrom(kv[0]); plain != nil {
			noteDerived(c, plain, kv[0])
		}
		_ = c.SetKey(kv[0], kv[1])
	}
	return c
}

// Dicter is implemented by values of modules that are kinds of dict, such as
// Counter and defaultdict. Dict gives the dict inside, not a copy.
type Dicter interface {
	starlark.Value
	Dict() *starlark.Dict
}

func asDict(v starlark.Value) (*starlark.Dict, bool) {
	switch v := v.(type) {
	case *starlark.Dict:
		return v, true
	case Dicter:
		return v.Dict(), true
	case *Instance:
		if v.base != nil {
			return asDict(v.base)
		}
	}
	return nil, false
}

func isMapping(v starlark.Value) bool {
	switch v := v.(type) {
	case *starlark.Dict, Dicter:
		return true
	case *Instance:
		if v.base != nil {
			return isMapping(v.base)
		}
		return v.class.lookup("keys") != nil && v.class.lookup("__getitem__") != nil
	case *Class, *Set, *starlark.List, starlark.String:
		return false
	}
	_, ok := v.(starlark.IterableMapping)
	return ok
}

// noKeys is the error for the types that have a keys method but no keys.
func noKeys(v starlark.Value) error {
	if t, ok := v.(*TypeObj); ok && t.name == "dict" {
		return Raise("TypeError", "unbound method dict.keys() needs an argument")
	}
	return nil
}

// items gives the pairs of any mapping.
func (rt *runtime) items(v starlark.Value) ([]starlark.Tuple, error) {
	switch m := v.(type) {
	case *starlark.Dict:
		return m.Items(), nil
	case Dicter:
		return m.Dict().Items(), nil
	case *Instance:
		if fn := m.class.lookup("keys"); fn != nil {
			ks, err := rt.call(m.bind(fn), nil, nil)
			if err != nil {
				return nil, err
			}
			keys, err := rt.list(ks)
			if err != nil {
				return nil, err
			}
			var out []starlark.Tuple
			for _, k := range keys {
				x, err := rt.getitem(m, k)
				if err != nil {
					return nil, err
				}
				out = append(out, starlark.Tuple{k, x})
			}
			return out, nil
		}
		if m.base != nil {
			return rt.items(m.base)
		}
	case starlark.IterableMapping:
		return m.Items(), nil
	}
	return nil, Raise("TypeError", "'%s' object is not a mapping", typeName(v))
}

// dictUpdate is d.update(v): a mapping, or an iterable of pairs.
func (rt *runtime) dictUpdate(d *starlark.Dict, v starlark.Value) error {
	if isMapping(v) {
		items, err := rt.items(v)
		if err != nil {
			return err
		}
		for _, kv := range items {
			if err := dictSet(d, kv[0], kv[1]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := noKeys(v); err != nil {
		return err
	}
	next, err := rt.iterate(v)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		x, ok, err := next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		pair, err := rt.list(x)
		if err != nil {
			if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
				return Raise("TypeError", "cannot convert dictionary update sequence element #%d to a sequence", i)
			}
			return err
		}
		if len(pair) != 2 {
			return Raise("ValueError", "dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		if err := dictSet(d, pair[0], pair[1]); err != nil {
			return err
		}
	}
}

// dictView is what keys(), values() and items() give; it follows its dict.
type dictView struct {
	d    *starlark.Dict
	kind string // keys, values, items
}

func (v *dictView) String() string       { return reprPlain(v) }
func (v *dictView) Type() string         { return "dict_" + v.kind }
func (v *dictView) Freeze()              {}
func (v *dictView) Truth() starlark.Bool { return v.d.Len() > 0 }
func (v *dictView) Hash() (uint32, error) {
	if v.kind == "values" {
		return addressHash(v), nil
	}
	return 0, Raise("TypeError", "unhashable type: '%s'", v.Type())
}
func (v *dictView) Len() int { return v.d.Len() }
func (v *dictView) Iterate() starlark.Iterator {
	return &errIterator{next: v.iterate()}
}

func (v *dictView) elems() []starlark.Value {
	switch v.kind {
	case "keys":
		return v.d.Keys()
	case "values":
		return dictValues(v.d)
	}
	items := v.d.Items()
	out := make([]starlark.Value, len(items))
	for i, kv := range items {
		out[i] = kv
	}
	return out
}

func (v *dictView) iterate() nextFunc {
	switch v.kind {
	case "keys":
		return dictIter(v.d, v.d.Keys())
	}
	// Values are read as they are when their turn comes.
	keys := v.d.Keys()
	step := dictIter(v.d, keys)
	return func() (starlark.Value, bool, error) {
		k, ok, err := step()
		if !ok || err != nil {
			return nil, false, err
		}
		x, _, err := v.d.Get(k)
		if err != nil {
			return nil, false, err
		}
		if x == nil {
			return nil, false, Raise("RuntimeError", "dictionary keys changed during iteration")
		}
		if v.kind == "values" {
			return x, true, nil
		}
		return starlark.Tuple{k, x}, true, nil
	}
}

func (v *dictView) asSet() (*Set, bool) {
	if v.kind == "values" {
		return nil, false
	}
	s := &Set{}
	for _, x := range v.elems() {
		if err := s.add(x); err != nil {
			return nil, false
		}
	}
	return s, true
}

func (v *dictView) contains(rt *runtime, x starlark.Value) (bool, error) {
	switch v.kind {
	case "keys":
		_, found, err := dictGet(v.d, x)
		return found, err
	case "items":
		t, ok := x.(starlark.Tuple)
		if !ok || len(t) != 2 {
			return false, nil
		}
		val, found, err := dictGet(v.d, t[0])
		if !found || err != nil {
			return false, err
		}
		return rt.same(val, t[1], 0)
	}
	for _, y := range dictValues(v.d) {
		if ok, err := rt.same(x, y, 0); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func dictValues(d *starlark.Dict) []starlark.Value {
	items := d.Items()
	out := make([]starlark.Value, len(items))
	for i, kv := range items {
		out[i] = kv[1]
	}
	return out
}
