package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// What stands in a class and acts when it is read through an instance: methods,
// properties, and the program's own descriptors.

// The wrappers that decorators put around functions in classes.
type (
	staticMethod   struct{ wrapper }
	classMethod    struct{ wrapper }
	abstractMethod struct{ wrapper }
	property       struct {
		wrapper
		setter, deleter starlark.Value
		doc             starlark.Value
		cached          bool // functools.cached_property
	}
)

// wrapper is what they share: a value around a function.
type wrapper struct {
	kind string
	fn   starlark.Value
}

func (w *wrapper) String() string        { return "<" + w.kind + " object>" }
func (w *wrapper) Type() string          { return w.kind }
func (w *wrapper) Freeze()               {}
func (w *wrapper) Truth() starlark.Bool  { return true }
func (w *wrapper) Hash() (uint32, error) { return 3, nil }

// CallInternal lets a wrapped function be called inside the class body.
func (w *wrapper) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return starlark.Call(thread, w.fn, args, kwargs)
}
func (w *wrapper) Name() string { return w.kind }

func (w *wrapper) AttrNames() []string { return []string{"__func__", "__wrapped__"} }
func (w *wrapper) Attr(name string) (starlark.Value, error) {
	if name == "__func__" || name == "__wrapped__" {
		return w.fn, nil
	}
	return nil, nil
}

// unwrapStatic gives the function of a static method, other values as they are.
func unwrapStatic(v starlark.Value) starlark.Value {
	if s, ok := v.(*staticMethod); ok {
		return s.fn
	}
	return v
}

// makeProperty is property(fget, fset, fdel, doc).
func makeProperty(_ *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("property", args, kwargs, "fget?", "fset?", "fdel?", "doc?")
	if err != nil {
		return nil, err
	}
	for i, v := range a {
		if v == starlark.None {
			a[i] = nil
		}
	}
	return &property{wrapper: wrapper{"property", a[0]}, setter: a[1], deleter: a[2], doc: a[3]}, nil
}

func (p *property) AttrNames() []string {
	return []string{"deleter", "fdel", "fget", "fset", "getter", "setter"}
}

func (p *property) Attr(name string) (starlark.Value, error) {
	orNone := func(v starlark.Value) (starlark.Value, error) {
		if v == nil {
			v = starlark.None
		}
		return v, nil
	}
	switch name {
	case "fget", "func":
		return orNone(p.fn)
	case "fset":
		return orNone(p.setter)
	case "fdel":
		return orNone(p.deleter)
	case "getter", "setter", "deleter":
		return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, Raise("TypeError", "%s() takes one function", name)
			}
			q := *p
			switch name {
			case "getter":
				q.fn = args[0]
			case "setter":
				q.setter = args[0]
			default:
				q.deleter = args[0]
			}
			return &q, nil
		}), nil
	}
	return nil, nil
}

// isDataDescriptor says that a class attribute comes before an instance's own of
// the same name.
func isDataDescriptor(v starlark.Value) bool {
	switch d := v.(type) {
	case *property:
		return !d.cached
	case *Instance:
		return d.class.lookup("__set__") != nil || d.class.lookup("__delete__") != nil
	}
	return false
}

// get reads a class attribute through the instance.
func (i *Instance) get(name string, v starlark.Value) (starlark.Value, error) {
	switch d := v.(type) {
	case *property:
		if d.fn == nil {
			return nil, Raise("AttributeError", "property '%s' of '%s' object has no getter", name, i.class.name)
		}
		r, err := i.rt().call(d.fn, starlark.Tuple{i}, nil)
		if err == nil && d.cached {
			i.attrs.set(name, r)
		}
		return r, err
	case *Instance:
		if fn := d.class.lookup("__get__"); fn != nil {
			return i.rt().call(d.bind(fn), starlark.Tuple{i, i.class}, nil)
		}
	}
	return i.bind(v), nil
}

// setData writes through a property or a descriptor with __set__; false when the
// name is none.
func (i *Instance) setData(name string, v starlark.Value) (bool, error) {
	switch d := i.class.lookupData(name).(type) {
	case *property:
		if d.setter == nil {
			return true, Raise("AttributeError", "property '%s' of '%s' object has no setter", name, i.class.name)
		}
		_, err := i.rt().call(d.setter, starlark.Tuple{i, v}, nil)
		return true, err
	case *Instance:
		fn := d.class.lookup("__set__")
		if fn == nil {
			return true, Raise("AttributeError", "__set__")
		}
		_, err := i.rt().call(d.bind(fn), starlark.Tuple{i, v}, nil)
		return true, err
	}
	return false, nil
}

// delData deletes through a property or a descriptor with __delete__.
func (i *Instance) delData(name string) (bool, error) {
	switch d := i.class.lookupData(name).(type) {
	case *property:
		if d.deleter == nil {
			return true, Raise("AttributeError", "property '%s' of '%s' object has no deleter", name, i.class.name)
		}
		_, err := i.rt().call(d.deleter, starlark.Tuple{i}, nil)
		return true, err
	case *Instance:
		fn := d.class.lookup("__delete__")
		if fn == nil {
			return true, Raise("AttributeError", "__delete__")
		}
		_, err := i.rt().call(d.bind(fn), starlark.Tuple{i}, nil)
		return true, err
	}
	return false, nil
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
		return i.rt().bindClassMethod(i.class, m)
	case *abstractMethod:
		return &boundMethod{self: i, fn: m.fn}
	case Method:
		if m.IsMethod() {
			return &boundMethod{self: i, fn: v}
		}
	}
	return v
}

// bindClassMethod gives a class method its class; @classmethod on a property reads
// it.
func (rt *runtime) bindClassMethod(c *Class, m *classMethod) starlark.Value {
	fn := m.fn
	if a, ok := fn.(*abstractMethod); ok {
		fn = a.fn
	}
	return &boundMethod{self: c, fn: fn}
}

// Method marks callables of modules (such as functools.lru_cache's) that become
// methods when they stand in a class.
type Method interface {
	starlark.Callable
	IsMethod() bool
}

// boundMethod is a function with its self.
type boundMethod struct {
	self starlark.Value
	fn   starlark.Value
}

func (b *boundMethod) String() string {
	name := plainName(b.Name())
	if i := strings.LastIndex(name, ".<locals>."); i >= 0 {
		name = name[i+len(".<locals>."):]
	}
	return "<bound method " + name + " of " + reprPlain(b.self) + ">"
}
func (b *boundMethod) Type() string          { return "method" }
func (b *boundMethod) Freeze()               {}
func (b *boundMethod) Truth() starlark.Bool  { return true }
func (b *boundMethod) Hash() (uint32, error) { return 4, nil }
func (b *boundMethod) Name() string {
	if c, ok := b.fn.(starlark.Callable); ok {
		return c.Name()
	}
	return "method"
}
func (b *boundMethod) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	full := make(starlark.Tuple, len(args)+1)
	full[0] = b.self
	copy(full[1:], args)
	return starlark.Call(thread, b.fn, full, kwargs)
}
func (b *boundMethod) CompareSameType(op tokenType, y starlark.Value, depth int) (bool, error) {
	o := y.(*boundMethod)
	same := o.self == b.self && o.fn == b.fn
	return same == (op == tokenEQL), nil
}
