package pylang

import (
	"errors"

	"unicode/utf8"

	"go.starlark.net/starlark"
)

// Iter is Python's iterator: a lazy sequence with a next function, which may
// fail. It is what generators, zip, map and the functions of itertools return.
type Iter struct {
	name string
	next func() (starlark.Value, bool, error)
	done bool
	coro *coro // of a generator
}

// NewIter makes an iterator of the named type ("zip", "itertools.count"). next
// returns false at the end; it is not called again after that or after an error.
func NewIter(name string, next func() (v starlark.Value, ok bool, err error)) *Iter {
	return &Iter{name: name, next: next}
}

func (it *Iter) String() string        { return "<" + it.name + " object>" }
func (it *Iter) Type() string          { return it.name }
func (it *Iter) Freeze()               {}
func (it *Iter) Truth() starlark.Bool  { return true }
func (it *Iter) Hash() (uint32, error) { return uint32(len(it.name)), nil }

// Next steps; after the end it keeps returning false.
func (it *Iter) Next() (starlark.Value, bool, error) {
	if it.done {
		return nil, false, nil
	}
	v, ok, err := it.next()
	if !ok || err != nil {
		it.done = true
	}
	return v, ok, err
}

// Iterate serves Starlark's own loops. The iterator has an Err method.
func (it *Iter) Iterate() starlark.Iterator { return &errIterator{next: it.Next} }

// errIterator adapts a Python iterator; Err tells why it ended.
type errIterator struct {
	next func() (starlark.Value, bool, error)
	err  error
}

func (e *errIterator) Next(p *starlark.Value) bool {
	v, ok, err := e.next()
	if err != nil {
		e.err = err
		return false
	}
	if ok {
		*p = v
	}
	return ok
}
func (e *errIterator) Done()      {}
func (e *errIterator) Err() error { return e.err }

// ErrIterator is a Starlark iterator that can fail; loops raise its error.
type ErrIterator interface {
	starlark.Iterator
	Err() error
}

type nextFunc = func() (starlark.Value, bool, error)

func sliceIter(list []starlark.Value) nextFunc {
	i := 0
	return func() (starlark.Value, bool, error) {
		if i >= len(list) {
			return nil, false, nil
		}
		i++
		return list[i-1], true, nil
	}
}

// iterate gives the stepping function of any iterable.
func (rt *runtime) iterate(v starlark.Value) (nextFunc, error) {
	switch v := v.(type) {
	case *starlark.List:
		i := 0
		return func() (starlark.Value, bool, error) { // sees changes, as in Python
			if i >= v.Len() {
				return nil, false, nil
			}
			i++
			return v.Index(i - 1), true, nil
		}, nil
	case starlark.Tuple:
		return sliceIter(v), nil
	case starlark.String:
		s := string(v)
		return func() (starlark.Value, bool, error) {
			if s == "" {
				return nil, false, nil
			}
			_, n := utf8.DecodeRuneInString(s)
			c := s[:n]
			s = s[n:]
			return starlark.String(c), true, nil
		}, nil
	case starlark.Bytes:
		i := 0
		return func() (starlark.Value, bool, error) {
			if i >= len(v) {
				return nil, false, nil
			}
			i++
			return starlark.MakeInt(int(v[i-1])), true, nil
		}, nil
	case *starlark.Dict:
		return dictIter(v, v.Keys()), nil
	case *dictView:
		return v.iterate(), nil
	case *Set:
		elems := v.elems()
		step := sliceIter(elems)
		return func() (starlark.Value, bool, error) {
			if v.used != len(elems) {
				return nil, false, Raise("RuntimeError", "Set changed size during iteration")
			}
			return step()
		}, nil
	case *Iter:
		if v.name == asyncGenerator {
			e := Raise("TypeError", "'async_generator' object is not iterable")
			e.Hint = "write async for"
			return nil, e
		}
		return rt.counted(v.Next), nil
	case *Instance:
		return rt.iterateInstance(v)
	case *genericAlias:
		return nil, Raise("NotImplementedError", "iterating over %s is not available in this sandbox", v)
	case *Class:
		if v.enum {
			return sliceIter(v.members), nil
		}
	case Awaitable:
		f, err := rt.force(v)
		if err != nil {
			return nil, err
		}
		if f != starlark.Value(v) {
			return rt.iterate(f)
		}
	}
	if it, ok := v.(starlark.Iterable); ok {
		if step := it.Iterate(); step != nil {
			return rt.counted(func() (starlark.Value, bool, error) {
				var x starlark.Value
				if step.Next(&x) {
					return x, true, nil
				}
				step.Done()
				if e, ok := step.(ErrIterator); ok && e.Err() != nil {
					return nil, false, e.Err()
				}
				return nil, false, nil
			}), nil
		}
	}
	e := Raise("TypeError", "'%s' object is not iterable", typeName(v))
	if typeName(v) == "coroutine" {
		e.Hint = "put await before the call"
	}
	return nil, e
}

// counted lets sources that may have no end take part in the count of steps.
func (rt *runtime) counted(next nextFunc) nextFunc {
	n := 0
	return func() (starlark.Value, bool, error) {
		if n++; n%chunk == 0 {
			if err := rt.work(); err != nil {
				return nil, false, err
			}
		}
		return next()
	}
}

// dictIter walks over keys and notices a dict that grows or shrinks.
func dictIter(d *starlark.Dict, keys []starlark.Value) nextFunc {
	i, n := 0, d.Len()
	return func() (starlark.Value, bool, error) {
		if d.Len() != n {
			return nil, false, Raise("RuntimeError", "dictionary changed size during iteration")
		}
		if i >= len(keys) {
			return nil, false, nil
		}
		i++
		return keys[i-1], true, nil
	}
}

func (rt *runtime) iterateInstance(v *Instance) (nextFunc, error) {
	if fn := v.class.lookup("__iter__"); fn != nil {
		it, err := rt.call(v.bind(fn), nil, nil)
		if err != nil {
			return nil, err
		}
		inst, ok := it.(*Instance)
		if !ok {
			return rt.iterate(it)
		}
		next := inst.class.lookup("__next__")
		if next == nil {
			return nil, Raise("TypeError", "iter() returned non-iterator of type '%s'", typeName(it))
		}
		return rt.nextOf(inst, next), nil
	}
	if v.base != nil {
		return rt.iterate(v.base)
	}
	if fn := v.class.lookup("__getitem__"); fn != nil {
		i := 0
		return func() (starlark.Value, bool, error) {
			x, err := rt.call(v.bind(fn), starlark.Tuple{starlark.MakeInt(i)}, nil)
			i++
			if err != nil {
				if rt.isClass(err, "IndexError") {
					return nil, false, nil
				}
				return nil, false, err
			}
			return x, true, nil
		}, nil
	}
	return nil, Raise("TypeError", "'%s' object is not iterable", v.class.name)
}

// nextOf steps by an instance's __next__ until StopIteration.
func (rt *runtime) nextOf(inst *Instance, next starlark.Value) nextFunc {
	return func() (starlark.Value, bool, error) {
		x, err := rt.call(inst.bind(next), nil, nil)
		if err != nil {
			if rt.isClass(err, "StopIteration") {
				return nil, false, nil
			}
			return nil, false, err
		}
		return x, true, nil
	}
}

// asyncIter serves async for: what is asked for is awaited.
func (rt *runtime) asyncIter(v starlark.Value) (starlark.Value, error) {
	v, err := rt.force(v)
	if err != nil {
		return nil, err
	}
	if it, ok := v.(*Iter); ok && it.name == asyncGenerator {
		return &Iter{name: "async_for", next: it.Next}, nil
	}
	inst, ok := v.(*Instance)
	if !ok {
		return v, nil // results of the API are lists, here as elsewhere
	}
	fn := inst.class.lookup("__aiter__")
	if fn == nil {
		e := Raise("TypeError", "'async for' requires an object with __aiter__ method, got %s", typeName(v))
		e.Hint = "write for, without async"
		return nil, e
	}
	it, err := rt.call(inst.bind(fn), nil, nil)
	if err != nil {
		return nil, err
	}
	inst, ok = it.(*Instance)
	if !ok {
		return rt.asyncIter(it)
	}
	if inst.class.lookup("__anext__") == nil {
		return nil, Raise("TypeError", "'async for' received an object from __aiter__ that does not implement __anext__: %s", typeName(it))
	}
	return &Iter{name: "async_for", next: func() (starlark.Value, bool, error) {
		x, err := rt.call(inst.bind(inst.class.lookup("__anext__")), nil, nil)
		if err == nil {
			x, err = rt.await(x)
		}
		if err != nil && rt.isClass(err, "StopAsyncIteration") {
			return nil, false, nil
		}
		return x, err == nil, err
	}}, nil
}

// errStop ends each without an error.
var errStop = errors.New("stop")

// each calls f with every element.
func (rt *runtime) each(v starlark.Value, f func(starlark.Value) error) error {
	next, err := rt.iterate(v)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		x, ok, err := next()
		if !ok || err != nil {
			return err
		}
		if err := f(x); err != nil {
			return err
		}
		if n%chunk == 0 {
			if err := rt.tick(n); err != nil {
				return err
			}
		}
	}
}

// list collects an iterable.
func (rt *runtime) list(v starlark.Value) ([]starlark.Value, error) {
	switch v := v.(type) {
	case *starlark.List:
		return append([]starlark.Value(nil), listElems(v)...), nil
	case starlark.Tuple:
		return append([]starlark.Value(nil), v...), nil
	case *starlark.Dict:
		return v.Keys(), nil
	case *Set:
		return v.elems(), nil
	}
	if n := starlark.Len(v); n > 0 && rangeLike(v) {
		if err := rt.alloc(int64(n), 24); err != nil {
			return nil, err
		}
	}
	next, err := rt.iterate(v)
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for {
		x, ok, err := next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return out, nil
		}
		out = append(out, x)
		if len(out)&0xfff == 0 {
			if err := rt.tick(len(out)); err != nil {
				return nil, err
			}
		}
	}
}

// tick is called now and then while a list grows.
func (rt *runtime) tick(n int) error {
	if err := rt.alloc(int64(n), 16); err != nil {
		return err
	}
	return rt.work()
}

func listElems(l *starlark.List) []starlark.Value {
	out := make([]starlark.Value, l.Len())
	for i := range out {
		out[i] = l.Index(i)
	}
	return out
}

// setList replaces a list's elements in place.
func setList(l *starlark.List, elems []starlark.Value) {
	_ = l.Clear()
	for _, v := range elems {
		_ = l.Append(v)
	}
}

// loop is the iterable of a lowered for statement. pairs makes strings among
// the elements unpack into their characters.
type loop struct {
	rt    *runtime
	v     starlark.Value
	next  nextFunc
	pairs bool
	// owned is a generator that only the loop holds: it ends with the loop, as in
	// CPython, which counts references.
	owned *Iter
}

func (l *loop) String() string        { return "<loop>" }
func (l *loop) Type() string          { return "loop" }
func (l *loop) Freeze()               {}
func (l *loop) Truth() starlark.Bool  { return true }
func (l *loop) Hash() (uint32, error) { return 0, nil }

func (l *loop) Iterate() starlark.Iterator {
	if !l.pairs {
		if v, ok := l.v.(*starlark.List); ok {
			return &listIterator{rt: l.rt, l: v}
		}
	}
	return &loopIterator{l: l}
}

type listIterator struct {
	rt *runtime
	l  *starlark.List
	i  int
}

func (it *listIterator) Next(p *starlark.Value) bool {
	if it.i >= it.l.Len() {
		return false
	}
	*p = it.l.Index(it.i)
	it.i++
	return true
}
func (it *listIterator) Done() {}

type loopIterator struct{ l *loop }

func (it *loopIterator) Next(p *starlark.Value) bool {
	rt := it.l.rt
	if rt.pending != nil {
		return false
	}
	v, ok, err := it.l.next()
	if err == nil && ok && it.l.pairs {
		switch v.(type) {
		case starlark.Tuple, *starlark.List:
		default:
			v, err = rt.seq(v)
		}
	}
	if err != nil {
		rt.pending = err
		return false
	}
	if ok {
		*p = v
	}
	return ok
}
func (it *loopIterator) Done() {
	g, rt := it.l.owned, it.l.rt
	if g == nil || g.done || g.coro == nil || g.coro.running || rt.done {
		return
	}
	if err := rt.closeIter(g); err != nil { // an error there is lost, as in CPython
		if _, fatal := rt.toException(err); fatal != nil && rt.pending == nil {
			rt.pending = err
		}
	}
}

// seq gives something Starlark can unpack.
func (rt *runtime) seq(v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.Tuple, *starlark.List:
		return v, nil
	}
	list, err := rt.list(v)
	if err != nil {
		if e, ok := err.(*Exception); ok && e.Class == "TypeError" {
			return nil, Raise("TypeError", "cannot unpack non-iterable %s object", typeName(v))
		}
		return nil, err
	}
	return starlark.Tuple(list), nil
}

// unpack splits an iterable for targets of which one is starred: before names,
// a list of the middle, after names. after is -1 when nothing may be left.
func (rt *runtime) unpack(v starlark.Value, before, after int) (starlark.Tuple, error) {
	s, err := rt.seq(v)
	if err != nil {
		return nil, err
	}
	var list []starlark.Value
	switch s := s.(type) {
	case starlark.Tuple:
		list = s
	case *starlark.List:
		list = listElems(s)
	}
	if after < 0 {
		if len(list) < before {
			return nil, Raise("ValueError", "not enough values to unpack (expected %d, got %d)", before, len(list))
		}
		if len(list) != before {
			return nil, Raise("ValueError", "too many values to unpack (expected %d)", before)
		}
		return list, nil
	}
	if len(list) < before+after {
		return nil, Raise("ValueError", "not enough values to unpack (expected at least %d, got %d)", before+after, len(list))
	}
	out := make(starlark.Tuple, 0, before+after+1)
	out = append(out, list[:before]...)
	out = append(out, starlark.NewList(append([]starlark.Value(nil), list[before:len(list)-after]...)))
	return append(out, list[len(list)-after:]...), nil
}
