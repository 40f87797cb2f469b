package pylang

import (
	"unsafe"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

type tokenType = syntax.Token

const tokenEQL = syntax.EQL

// attrs keeps attributes in the order in which they were first set. Once a program
// has asked for __dict__ they live in that dict, so that writes to it are seen.
type attrs struct {
	names  []string
	values []starlark.Value
	index  map[string]int // from eight attributes on
	shown  *starlark.Dict // __dict__, nil before it was asked for
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
	if a.shown != nil {
		v, found, err := a.shown.Get(starlark.String(name))
		return v, found && err == nil
	}
	if i := a.find(name); i >= 0 {
		return a.values[i], true
	}
	return nil, false
}

func (a *attrs) set(name string, v starlark.Value) {
	if a.shown != nil {
		_ = a.shown.SetKey(starlark.String(name), v)
		return
	}
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

// dict gives the attributes as the dict that they are from now on.
func (a *attrs) dict() *starlark.Dict {
	if a.shown == nil {
		d := starlark.NewDict(len(a.names))
		for i, n := range a.names {
			_ = d.SetKey(starlark.String(n), a.values[i])
		}
		*a = attrs{shown: d}
	}
	return a.shown
}

// list gives the names of the attributes, in order.
func (a *attrs) list() []string {
	if a.shown == nil {
		return a.names
	}
	var out []string
	for _, k := range a.shown.Keys() {
		if s, ok := k.(starlark.String); ok {
			out = append(out, string(s))
		}
	}
	return out
}

func (a *attrs) reindex() {
	a.index = make(map[string]int, len(a.names))
	for i, n := range a.names {
		a.index[n] = i
	}
}

func (a *attrs) del(name string) bool {
	if a.shown != nil {
		_, found, err := a.shown.Delete(starlark.String(name))
		return found && err == nil
	}
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
	base  starlark.Value // what a class derived from a built-in type adds to: see subclass.go
	args  starlark.Tuple // of an exception
	exc   *Exception     // where it was raised
	cause starlark.Value
	// context is the exception that was being handled when this one was raised.
	context *Instance
	notes   *starlark.List // of add_note
	// suppress says that it was raised from something, be it None.
	suppress bool
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

// Type is the class's name for Starlark's messages. Starlark takes values of equal Type
// for comparable, so a class called list must not pass for the real one.
func (i *Instance) Type() string {
	switch i.class.name {
	case "string", "int", "float", "bool", "list", "dict", "tuple", "bytes", "set", "frozenset", "range", "function", "NoneType", "builtin_function_or_method":
		return "object " + i.class.name
	}
	return i.class.name
}
func (i *Instance) Freeze() {}
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

// Hash is for dicts, Starlark's own; a value that stands for a string or a number has
// its hash, so that either finds the other.
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
	if i.base != nil {
		h, err := i.base.Hash()
		if err != nil {
			err = Raise("TypeError", "unhashable type: '%s'", i.class.name)
		}
		return h, err
	}
	return uint32(i.identity()), nil
}

func (i *Instance) AttrNames() []string {
	return append(append([]string(nil), i.attrs.list()...), i.class.AttrNames()...)
}

func (i *Instance) Attr(name string) (starlark.Value, error) {
	fn := i.class.lookup("__getattribute__")
	if fn == nil {
		v, err := i.attr(name)
		if v != nil || err != nil && i.class.lookup("__getattr__") == nil {
			return v, err
		}
		return i.missing(name, err)
	}
	v, err := i.rt().call(i.bind(fn), starlark.Tuple{starlark.String(name)}, nil)
	if err != nil && i.rt().isClass(err, "AttributeError") && i.class.lookup("__getattr__") != nil {
		return i.missing(name, err)
	}
	return v, err
}

// attr is object.__getattribute__; nil, nil means that there is no such attribute.
func (i *Instance) attr(name string) (starlark.Value, error) {
	if d := i.class.lookupData(name); d != nil {
		return i.get(name, d)
	}
	if v, ok := i.attrs.get(name); ok {
		return v, nil
	}
	if v := i.class.lookup(name); v != nil {
		return i.get(name, v)
	}
	switch name {
	case "__class__":
		return i.class, nil
	case "__dict__":
		return i.attrs.dict(), nil
	case "__doc__", "__module__":
		return i.class.Attr(name)
	}
	if i.class.exc {
		if v := i.excAttr(name); v != nil {
			return v, nil
		}
	}
	if i.class.enum {
		if v := i.enumAttr(name); v != nil {
			return v, nil
		}
	}
	if v, err := i.nativeAttr(name); v != nil || err != nil {
		return v, err
	}
	if f := objectMethods[name]; f != nil {
		return i.rt().builtin(name, func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(rt, i, args, kwargs)
		}), nil
	}
	return nil, nil
}

// missing asks __getattr__ for an attribute that is not there; cause is the error of
// a property, if that was why.
func (i *Instance) missing(name string, cause error) (starlark.Value, error) {
	if cause != nil && !i.rt().isClass(cause, "AttributeError") {
		return nil, cause
	}
	if fn := i.class.lookup("__getattr__"); fn != nil {
		return i.rt().call(i.bind(fn), starlark.Tuple{starlark.String(name)}, nil)
	}
	e := Raise("AttributeError", "'%s' object has no attribute '%s'", i.class.name, name)
	e.Attrs = starlark.StringDict{"name": starlark.String(name), "obj": i}
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
	if done, err := i.setData(name, v); done {
		return err
	}
	if i.class.data != nil && i.class.data.frozen {
		return Raise("FrozenInstanceError", "cannot assign to field '%s'", name)
	}
	if i.class.enum && !i.class.open {
		return Raise("AttributeError", "<enum '%s'> cannot set attribute '%s'", i.class.name, name)
	}
	return i.setField(name, v)
}

// setField is object.__setattr__.
func (i *Instance) setField(name string, v starlark.Value) error {
	if done, err := i.setData(name, v); done {
		return err
	}
	switch {
	case name == "__dict__":
		d, ok := v.(*starlark.Dict)
		if !ok {
			return Raise("TypeError", "__dict__ must be set to a dictionary, not a '%s'", typeName(v))
		}
		i.attrs = attrs{shown: d}
		return nil
	case name == "__class__":
		c, ok := v.(*Class)
		if !ok || c.native != i.class.native || c.exc != i.class.exc {
			return Raise("TypeError", "__class__ assignment only supported for classes of the same layout")
		}
		i.class = c
		return nil
	case i.class.exc && i.setExcAttr(name, v):
		return nil
	case i.class.slots != nil && !i.class.slots[name]:
		if i.class.lookup(name) != nil {
			return Raise("AttributeError", "'%s' object attribute '%s' is read-only", i.class.name, name)
		}
		return Raise("AttributeError", "'%s' object has no attribute '%s'", i.class.name, name)
	}
	i.attrs.set(name, v)
	return nil
}

// delField is object.__delattr__.
func (i *Instance) delField(name string) error {
	if done, err := i.delData(name); done {
		return err
	}
	if i.attrs.del(name) {
		return nil
	}
	return Raise("AttributeError", "'%s' object has no attribute '%s'", i.class.name, name)
}

// Get serves x[key] where Starlark's own index operator is used.
func (i *Instance) Get(k starlark.Value) (starlark.Value, bool, error) {
	if fn := i.class.lookup("__getitem__"); fn != nil {
		v, err := i.rt().call(i.bind(fn), starlark.Tuple{k}, nil)
		return v, err == nil, err
	}
	if i.base != nil {
		v, err := i.nativeItem(k)
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
	if i.base != nil {
		return i.rt().setitem(i.base, k, v)
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
	x := starlark.Value(i)
	if side == starlark.Right {
		x, y = y, x
	}
	return rt.instanceOp(op.String(), x, y)
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
