package pylang

import (
	"unsafe"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type tokenType = syntax.Token

const tokenEQL = syntax.EQL

// attrs keeps attributes in the order in which they were first set.
type attrs struct {
	names  []string
	values []starlark.Value
	index  map[string]int // from eight attributes on
}

func (a *attrs) find(name string) int {
	if a.index != nil {
		if i, ok := a.index[name]; ok {
			return i
		}
		return -1
	}
	for i, n := range a.names {
		if n == name {
			return i
		}
	}
	return -1
}

func (a *attrs) get(name string) (starlark.Value, bool) {
	if i := a.find(name); i >= 0 {
		return a.values[i], true
	}
	return nil, false
}

func (a *attrs) set(name string, v starlark.Value) {
	if i := a.find(name); i >= 0 {
		a.values[i] = v
		return
	}
	a.names, a.values = append(a.names, name), append(a.values, v)
	if a.index != nil {
		a.index[name] = len(a.names) - 1
	} else if len(a.names) > 8 {
		a.reindex()
	}
}

// dict gives the attributes as a dict.
func (a *attrs) dict() *starlark.Dict {
	d := new(starlark.Dict)
	for i, n := range a.names {
		_ = d.SetKey(starlark.String(n), a.values[i])
	}
	return d
}

func (a *attrs) reindex() {
	a.index = make(map[string]int, len(a.names))
	for i, n := range a.names {
		a.index[n] = i
	}
}

func (a *attrs) del(name string) bool {
	i := a.find(name)
	if i < 0 {
		return false
	}
	a.names = append(a.names[:i:i], a.names[i+1:]...)
	a.values = append(a.values[:i:i], a.values[i+1:]...)
	if a.index != nil {
		a.reindex()
	}
	return true
}

// Instance is a value of a class written in the program, or an exception.
type Instance struct {
	class *Class
	attrs attrs
	args  starlark.Tuple // of an exception
	exc   *Exception     // where it was raised
	cause starlark.Value
	// context is the exception that was being handled when this one was raised.
	context *Instance
}

func (i *Instance) rt() *runtime {
	for _, c := range i.class.mro {
		if c.rt != nil {
			return c.rt
		}
	}
	return nil
}

func (i *Instance) String() string {
	if rt := i.rt(); rt != nil {
		if s, err := rt.repr(i); err == nil {
			return s
		}
	}
	return reprPlain(i)
}
func (i *Instance) Type() string { return i.class.name }
func (i *Instance) Freeze()      {}
func (i *Instance) Truth() starlark.Bool {
	if rt := i.rt(); rt != nil {
		ok, err := rt.truth(i)
		if err != nil && rt.pending == nil {
			rt.pending = err
		}
		return starlark.Bool(ok)
	}
	return true
}

func (i *Instance) identity() uintptr { return uintptr(unsafe.Pointer(i)) >> 4 }

// addressHash tells values apart that are equal only to themselves.
func addressHash[T any](p *T) uint32 { return uint32(uintptr(unsafe.Pointer(p)) >> 4) }

func (i *Instance) Hash() (uint32, error) {
	if fn := i.class.lookup("__hash__"); fn != nil {
		if fn == starlark.None {
			return 0, Raise("TypeError", "unhashable type: '%s'", i.class.name)
		}
		rt := i.rt()
		v, err := rt.call(i.bind(fn), nil, nil)
		if err != nil {
			return 0, err
		}
		h, _, err := pyHash(v)
		return uint32(h ^ h>>32), err
	}
	if i.class.lookup("__eq__") != nil {
		return 0, Raise("TypeError", "unhashable type: '%s'", i.class.name)
	}
	return uint32(i.identity()), nil
}

// bind makes a class attribute a method of the instance, where it is a function.
func (i *Instance) bind(v starlark.Value) starlark.Value {
	switch m := v.(type) {
	case *starlark.Function, *funcWrap:
		return &boundMethod{self: i, fn: v}
	case *starlark.Builtin:
		if m.Receiver() == nil && isMethodBuiltin(m) {
			return &boundMethod{self: i, fn: v}
		}
	case *staticMethod:
		return m.fn
	case *classMethod:
		return &boundMethod{self: i.class, fn: m.fn}
	case *abstractMethod:
		return &boundMethod{self: i, fn: m.fn}
	case Method:
		if m.IsMethod() {
			return &boundMethod{self: i, fn: v}
		}
	}
	return v
}

// Method marks callables of modules (such as functools.lru_cache's) that become
// methods when they stand in a class.
type Method interface {
	starlark.Callable
	IsMethod() bool
}

// get reads a class attribute through the instance.
func (i *Instance) get(v starlark.Value) (starlark.Value, error) {
	if p, ok := v.(*property); ok {
		return i.rt().call(p.fn, starlark.Tuple{i}, nil)
	}
	return i.bind(v), nil
}

func (i *Instance) AttrNames() []string {
	return append(append([]string(nil), i.attrs.names...), i.class.AttrNames()...)
}

func (i *Instance) Attr(name string) (starlark.Value, error) {
	if v, ok := i.attrs.get(name); ok {
		return v, nil
	}
	if v := i.class.lookup(name); v != nil {
		if p, ok := v.(*property); ok && p.cached {
			r, err := i.get(v)
			if err == nil {
				i.attrs.set(name, r)
			}
			return r, err
		}
		return i.get(v)
	}
	switch name {
	case "__class__":
		return i.class, nil
	case "__dict__":
		return i.attrs.dict(), nil
	case "__doc__":
		return i.class.Attr(name)
	case "args":
		if i.class.exc {
			return i.args, nil
		}
	case "__cause__":
		if i.class.exc && i.cause != nil {
			return i.cause, nil
		} else if i.class.exc {
			return starlark.None, nil
		}
	case "__context__":
		if i.class.exc && i.context != nil {
			return i.context, nil
		} else if i.class.exc {
			return starlark.None, nil
		}
	case "message":
		// Python 3 has none, but the answer to the wish is clear.
	case "value":
		if i.class.name == "StopIteration" {
			if len(i.args) > 0 {
				return i.args[0], nil
			}
			return starlark.None, nil
		}
	case "add_note":
		if i.class.exc {
			return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				return starlark.None, nil
			}), nil
		}
	}
	if fn := i.class.lookup("__getattr__"); fn != nil {
		return i.rt().call(i.bind(fn), starlark.Tuple{starlark.String(name)}, nil)
	}
	if v := i.mixedIn(); v != nil {
		if a, err := i.rt().getattr(v, name); err == nil {
			return a, nil
		}
	}
	e := Raise("AttributeError", "'%s' object has no attribute '%s'", i.class.name, name)
	if n := nearest(name, i.AttrNames()); n != "" {
		e.Hint = "did you mean " + n + "?"
	}
	if i.class.exc && name == "message" {
		e.Hint = "use str(e)"
	}
	return nil, e
}

func (i *Instance) SetField(name string, v starlark.Value) error {
	if fn := i.class.lookup("__setattr__"); fn != nil {
		_, err := i.rt().call(i.bind(fn), starlark.Tuple{starlark.String(name), v}, nil)
		return err
	}
	return i.setField(name, v)
}

func (i *Instance) setField(name string, v starlark.Value) error {
	if p, ok := i.class.lookup(name).(*property); ok && !p.cached {
		if p.setter == nil {
			return Raise("AttributeError", "property '%s' of '%s' object has no setter", name, i.class.name)
		}
		_, err := i.rt().call(p.setter, starlark.Tuple{i, v}, nil)
		return err
	}
	if i.class.data != nil && i.class.data.frozen {
		return Raise("FrozenInstanceError", "cannot assign to field '%s'", name)
	}
	if i.class.enum && !i.class.open {
		return Raise("AttributeError", "cannot set attribute '%s'", name)
	}
	if name == "args" && i.class.exc {
		if t, ok := v.(starlark.Tuple); ok {
			i.args = t
			return nil
		}
	}
	i.attrs.set(name, v)
	return nil
}

// Get serves x[key] where Starlark's own index operator is used.
func (i *Instance) Get(k starlark.Value) (starlark.Value, bool, error) {
	if fn := i.class.lookup("__getitem__"); fn != nil {
		v, err := i.rt().call(i.bind(fn), starlark.Tuple{k}, nil)
		return v, err == nil, err
	}
	return nil, false, Raise("TypeError", "'%s' object is not subscriptable", i.class.name)
}

// SetKey serves x[key] = v.
func (i *Instance) SetKey(k, v starlark.Value) error {
	if fn := i.class.lookup("__setitem__"); fn != nil {
		_, err := i.rt().call(i.bind(fn), starlark.Tuple{k, v}, nil)
		return err
	}
	return Raise("TypeError", "'%s' object does not support item assignment", i.class.name)
}

// CallInternal serves x(...).
func (i *Instance) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	fn := i.class.lookup("__call__")
	if fn == nil {
		return nil, Raise("TypeError", "'%s' object is not callable", i.class.name)
	}
	return starlark.Call(thread, i.bind(fn), args, kwargs)
}

// Name makes an instance a starlark.Callable.
func (i *Instance) Name() string { return i.class.name }

// Binary serves Starlark's own operators.
func (i *Instance) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	rt := i.rt()
	if rt == nil {
		return nil, nil
	}
	if side == starlark.Left {
		return rt.dunderOp(op.String(), i, y)
	}
	return rt.dunderOp(op.String(), y, i)
}

// CompareSameType serves Starlark's own comparisons, and keys of dicts.
func (i *Instance) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	rt := i.rt()
	if rt == nil {
		return (i == y) == (op == syntax.EQL), nil
	}
	switch op {
	case syntax.EQL:
		return rt.same(i, y, 0)
	case syntax.NEQ:
		ok, err := rt.same(i, y, 0)
		return !ok, err
	}
	return rt.compare(op.String(), i, y)
}

// dunderOp tries x.__op__(y), then y.__rop__(x); nil when neither exists.
func (rt *runtime) dunderOp(op string, x, y starlark.Value) (starlark.Value, error) {
	names, ok := binaryDunder[op]
	if !ok {
		return nil, nil
	}
	if a, ok := x.(*Instance); ok {
		if fn := a.class.lookup(names[0]); fn != nil {
			v, err := rt.call(a.bind(fn), starlark.Tuple{y}, nil)
			if err != nil || v != notImplemented {
				return v, err
			}
		}
	}
	if b, ok := y.(*Instance); ok {
		if fn := b.class.lookup(names[1]); fn != nil {
			v, err := rt.call(b.bind(fn), starlark.Tuple{x}, nil)
			if err != nil || v != notImplemented {
				return v, err
			}
		}
	}
	return nil, nil
}

// notImplemented is Python's NotImplemented.
var notImplemented starlark.Value = marker("NotImplemented")

// Iterate serves Starlark's own loops; nil when the class is not iterable.
func (i *Instance) Iterate() starlark.Iterator {
	rt := i.rt()
	if rt == nil {
		return nil
	}
	next, err := rt.iterate(i)
	if err != nil {
		return nil
	}
	return &errIterator{next: next}
}
