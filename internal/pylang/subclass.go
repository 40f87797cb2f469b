package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// Classes that derive from built-in types: class Config(dict), class Money(int),
// class Point(namedtuple(...)). An instance of one holds a value of that type,
// Instance.base; so does a member of a str or int enum. What the class does not define
// is done to that value, and built-ins that need one take it: plain gives it.

// plain is the built-in value that v stands for, and any other value itself.
func plain(v starlark.Value) starlark.Value {
	if i, ok := v.(*Instance); ok && i.base != nil {
		return i.base
	}
	return v
}

// withoutDerived is plain of all arguments.
func withoutDerived(args starlark.Tuple) starlark.Tuple {
	for i, v := range args {
		if inst, ok := v.(*Instance); ok && inst.base != nil {
			out := append(starlark.Tuple(nil), args...)
			for k := i; k < len(out); k++ {
				out[k] = plain(out[k])
			}
			return out
		}
	}
	return args
}

// Underlying is the value inside, nil for none: modules take it for what it is.
func (i *Instance) Underlying() starlark.Value { return i.base }

// unwrapped is plain of both operands; false when neither is such an instance.
func unwrapped(x, y starlark.Value) (a, b starlark.Value, changed bool) {
	for _, v := range []starlark.Value{x, y} {
		if i, ok := v.(*Instance); ok && i.base != nil {
			return plain(x), plain(y), true
		}
	}
	return x, y, false
}

// fixedTypes are the built-in types whose values are complete when they are made:
// their arguments go to __new__, not to __init__.
var fixedTypes = map[string]bool{"str": true, "int": true, "float": true, "bytes": true, "tuple": true, "frozenset": true}

// isFixed says that values of a built-in type never change.
func isFixed(t starlark.Callable) bool {
	switch t := t.(type) {
	case *TypeObj:
		return fixedTypes[t.name]
	case interface{ Mutable() bool }:
		return !t.Mutable()
	}
	return true
}

// newNative makes the value inside a new instance.
func (rt *runtime) newNative(c *Class, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if !isFixed(c.native) {
		return rt.call(c.native, nil, nil) // __init__ fills it
	}
	v, err := rt.call(c.native, args, kwargs)
	return plain(v), err
}

// initNative is __init__ of the built-in type.
func (rt *runtime) initNative(i *Instance, args starlark.Tuple, kwargs []starlark.Tuple) error {
	if i.base == nil || isFixed(i.class.native) {
		return nil
	}
	if len(args)+len(kwargs) == 0 {
		return nil
	}
	made, err := rt.call(i.class.native, args, kwargs)
	if err != nil {
		return err
	}
	if old, ok := asDict(i.base); ok && old.Len() > 0 { // dict.__init__ is update
		d, _ := asDict(made)
		return rt.dictUpdate(old, d)
	}
	i.base = made
	return nil
}

// nativeAttr is an attribute of the built-in type; nil when it has none.
func (i *Instance) nativeAttr(name string) (starlark.Value, error) {
	if i.base == nil {
		return nil, nil
	}
	rt := i.rt()
	v, err := rt.getattr(i.base, name)
	if err != nil {
		if rt.isClass(err, "AttributeError") {
			return nil, nil
		}
		return nil, err
	}
	switch name {
	case "__class__", "__doc__", "__init__", "__hash__":
		return nil, nil
	case "_replace", "copy": // give another of the same class
		if _, ok := i.base.(*starlark.Dict); ok {
			return v, nil // dict.copy gives a dict
		}
		if _, ok := i.base.(*starlark.List); ok {
			return v, nil
		}
		return rt.builtin(name, func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			made, err := rt.call(v, args, kwargs)
			if err != nil {
				return nil, err
			}
			return &Instance{class: i.class, base: made}, nil
		}), nil
	}
	return v, nil
}

// nativeItem is x[key] of the value inside, with __missing__ for dicts.
func (i *Instance) nativeItem(key starlark.Value) (starlark.Value, error) {
	rt := i.rt()
	if d, ok := i.base.(*starlark.Dict); ok {
		if fn := i.class.lookup("__missing__"); fn != nil {
			v, found, err := dictGet(d, key)
			if found || err != nil {
				return v, err
			}
			return rt.call(i.bind(fn), starlark.Tuple{key}, nil)
		}
	}
	return rt.getitem(i.base, key)
}

// instanceOp is a binary operator with an instance among its operands: the classes'
// own methods first, then the values inside; nil when there is no such operator.
func (rt *runtime) instanceOp(op string, x, y starlark.Value) (starlark.Value, error) {
	if v, err := rt.dunderOp(op, x, y); v != nil || err != nil {
		return v, err
	}
	a, b, changed := unwrapped(x, y)
	if !changed {
		return nil, nil
	}
	v, err := rt.binary(op, a, b)
	if err != nil && rt.isClass(err, "TypeError") {
		return nil, binaryTypeError(op, x, y)
	}
	return v, err
}

// nativeBase judges a base of a class statement that is no class of the program:
// the built-in type to derive from, or nil where deriving changes nothing.
func (rt *runtime) nativeBase(c *Class, base starlark.Value) (starlark.Callable, error) {
	switch b := base.(type) {
	case *TypeObj:
		switch b.name {
		case "dict", "list", "set", "frozenset", "tuple", "str", "int", "float", "bytes", "bytearray":
			return builtinValue(rt, b.name).(*TypeObj), nil
		case "bool", "NoneType", "range", "slice", "function", "memoryview":
			return nil, Raise("TypeError", "type '%s' is not an acceptable base type", b.name)
		case "type":
			e := Raise("TypeError", "a metaclass (class %s(type)) is not available", c.name)
			e.Hint = "use a class decorator, __init_subclass__, or __new__ for a singleton"
			return nil, e
		}
	case *genericAlias:
		return rt.nativeBase(c, b.origin)
	case starlark.Callable:
		if typeName(b) == "type" {
			return b, nil
		}
	}
	name := typeName(base)
	if t, ok := base.(*TypeObj); ok {
		name = t.name
	}
	e := Raise("TypeError", "class %s cannot derive from %s", c.name, name)
	if _, ok := base.(starlark.Callable); ok {
		e.Hint = "keep it as an attribute of the class instead"
	} else {
		e.Hint = "a base must be a class"
	}
	return nil, e
}

// nativeRepr is repr of an instance whose class does not define it: that of the value
// inside, under the name of the class where that shows a name.
func (rt *runtime) nativeRepr(i *Instance) (string, error) {
	text := reprPlain(i.base)
	if rt != nil {
		s, err := rt.repr(i.base)
		if err != nil {
			return "", err
		}
		text = s
	}
	name := typeName(i.base)
	if _, isSet := i.base.(*Set); isSet {
		switch {
		case strings.HasPrefix(text, name+"("):
			return i.class.name + text[len(name):], nil
		}
		return i.class.name + "(" + text + ")", nil
	}
	if rest, ok := strings.CutPrefix(text, name+"("); ok {
		return i.class.name + "(" + rest, nil
	}
	return text, nil
}

// inplaceNative is x op= y where x derives from a type that changes in place; false
// when it does not, or the class has the operator.
func (rt *runtime) inplaceNative(op string, x *Instance, y starlark.Value) (bool, error) {
	if x.base == nil || x.class.lookup(binaryDunder[op][0]) != nil {
		return false, nil
	}
	switch x.base.(type) {
	case *starlark.List, *starlark.Dict, *Set, Dicter:
		v, err := rt.inplace(op, x.base, plain(y))
		return err == nil && identical(v, x.base), err
	}
	return false, nil
}
