package pylang

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// TypeObj is a built-in type as a value: int, str, list and so on.
type TypeObj struct {
	rt   *runtime
	name string
	make func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) // nil: cannot be called
}

func (t *TypeObj) String() string        { return "<class '" + t.name + "'>" }
func (t *TypeObj) Type() string          { return "type" }
func (t *TypeObj) Freeze()               {}
func (t *TypeObj) Truth() starlark.Bool  { return true }
func (t *TypeObj) Hash() (uint32, error) { return starlark.String(t.name).Hash() }
func (t *TypeObj) Name() string          { return t.name }

// CompareSameType makes type(x) == int work on whichever object it is.
func (t *TypeObj) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	o, ok := y.(*TypeObj)
	return (ok && o.name == t.name) == (op == syntax.EQL), nil
}

func (t *TypeObj) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if t.make == nil {
		return nil, Raise("TypeError", "cannot create '%s' instances", t.name)
	}
	rt := t.rt
	if rt == nil { // of a module
		rt = rtOf(thread)
	}
	return t.make(rt, args, kwargs)
}

func (t *TypeObj) AttrNames() []string {
	var out []string
	for n := range methodTables()[t.name] {
		out = append(out, n)
	}
	return out
}

func (t *TypeObj) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__name__", "__qualname__":
		return starlark.String(t.name[strings.LastIndexByte(t.name, '.')+1:]), nil
	case "__doc__":
		return starlark.None, nil
	case "__module__":
		return starlark.String("builtins"), nil
	case "__class__":
		if t.rt != nil {
			return builtinValue(t.rt, "type"), nil
		}
	case "__new__":
		return t.rt.builtin(name, newOfClass), nil
	case "fromkeys":
		if t.name == "dict" {
			return t.rt.builtin("fromkeys", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return dictFromKeys(rt, args, kwargs)
			}), nil
		}
	case "maketrans":
		if t.name == "str" {
			return t.rt.builtin("maketrans", makeTrans), nil
		}
	case "fromhex":
		if t.name == "bytes" || t.name == "bytearray" {
			return t.rt.builtin("fromhex", bytesFromHex), nil
		}
	case "from_bytes":
		if t.name == "int" {
			return t.rt.builtin("from_bytes", intFromBytes), nil
		}
	}
	if m := methodTables()[t.name][name]; m != nil {
		return t.rt.unbound(t.name, name, m), nil
	}
	if t.rt != nil && operatorOf(t.name, name) != nil {
		return t.rt.unbound(t.name, name, operatorOf(t.name, name)), nil
	}
	if f := objectMethods[name]; f != nil {
		return unboundObjectMethod(t.rt, t, name, f), nil
	}
	e := Raise("AttributeError", "type object '%s' has no attribute '%s'", t.name, name)
	if n := nearest(name, t.AttrNames()); n != "" {
		e.Hint = "did you mean " + n + "?"
	}
	return nil, e
}

// Get serves list[int] where it is evaluated.
func (t *TypeObj) Get(k starlark.Value) (starlark.Value, bool, error) {
	v, err := t.rt.getitem(t, k)
	return v, err == nil, err
}

// Binary serves int | None, a union for isinstance.
func (t *TypeObj) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	return unionBinary(t, op, y, side)
}

// isTypeLike says that a value can be part of a union of types.
func isTypeLike(v starlark.Value) bool {
	switch v := v.(type) {
	case *TypeObj, *Class, *typingForm, *genericAlias, *typeUnion, starlark.NoneType, InstanceChecker:
		return true
	case starlark.Callable:
		return isForeignType(v)
	}
	return false
}

// isForeignType guesses that a callable of a module constructs values.
func isForeignType(v starlark.Callable) bool {
	n := v.Name()
	return n != "" && n[0] >= 'A' && n[0] <= 'Z'
}

// PyTyper may be implemented by values of modules to say what type(v) is.
type PyTyper interface{ PyType() starlark.Value }

// typeName is type(v).__name__.
func typeName(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String, rawRepr:
		return "str"
	case *Instance:
		return v.class.name
	case *Class, *TypeObj:
		return "type"
	case *starlark.Function, *funcWrap:
		return "function"
	case *boundMethod:
		return "method"
	case *Set:
		return v.Type()
	case *moduleValue:
		return "module"
	case nil:
		return "NoneType"
	}
	return v.Type()
}

// typeOf is type(v).
func (rt *runtime) typeOf(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *Instance:
		return v.class
	case PyTyper:
		return v.PyType()
	case Awaitable:
		if f, err := rt.force(v); err == nil && f != starlark.Value(v) {
			return rt.typeOf(f)
		}
	}
	name := typeName(v)
	if isBuiltinName(name) {
		if t, ok := builtinValue(rt, name).(*TypeObj); ok {
			return t
		}
	}
	return &TypeObj{rt: rt, name: name}
}

// enumOf reports whether the class derives from Enum, IntEnum, StrEnum, Flag or IntFlag.
func (c *Class) enumOf(name string) bool {
	return c.enum && (name == "Enum" || c.kind == name || name == "Flag" && c.kind == "IntFlag")
}

// hasProtocol says that a value has all that a @runtime_checkable Protocol names.
func (rt *runtime) hasProtocol(v starlark.Value, p *Class) bool {
	for _, k := range p.mro {
		for _, n := range append(append([]string(nil), k.order...), k.fields...) {
			if isDunder(n) && !isProtocolMethod[n] {
				continue
			}
			if _, err := rt.getattr(v, n); err != nil {
				return false
			}
		}
	}
	return true
}

var isProtocolMethod = map[string]bool{"__len__": true, "__iter__": true, "__next__": true, "__contains__": true, "__getitem__": true, "__call__": true, "__enter__": true, "__exit__": true, "__lt__": true, "__str__": true, "__add__": true}

// isInstance is isinstance(v, t).
func (rt *runtime) isInstance(v, t starlark.Value) (bool, error) {
	switch t := t.(type) {
	case starlark.Tuple:
		for _, x := range t {
			if ok, err := rt.isInstance(v, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case *Class:
		if fn := t.lookup("__instancecheck__"); fn != nil {
			return false, noMetaclass(t.name)
		}
		if i, ok := v.(*Instance); ok && i.class.subclassOf(t) {
			return true, nil
		}
		return t.protocol && rt.hasProtocol(v, t), nil
	case starlark.NoneType:
		return v == starlark.None, nil
	case *typingForm:
		return rt.typingInstance(v, t)
	case *typeUnion:
		return rt.isInstance(v, t.members)
	case *genericAlias:
		return false, Raise("TypeError", "isinstance() argument 2 cannot be a parameterized generic")
	case *TypeObj:
		if a, ok := v.(Awaitable); ok {
			f, err := rt.force(a)
			if err != nil {
				return false, err
			}
			v = f
		}
		if i, ok := v.(*Instance); ok {
			switch {
			case t.name == "object" || i.class.enumOf(t.name):
				return true, nil
			case i.base != nil && i.class.native != nil:
				return rt.isInstance(i.base, t)
			}
			return false, nil
		}
		name := typeName(v)
		switch t.name {
		case "object":
			return true, nil
		case name:
			return true, nil
		case "int":
			return name == "bool", nil
		case "dict":
			_, ok := v.(Dicter)
			return ok, nil
		case "Future":
			_, ok := v.(*future)
			return ok, nil
		case "type":
			switch v.(type) {
			case *Class, *TypeObj:
				return true, nil
			}
		case "tuple":
			_, ok := v.(interface{ PyTuple() starlark.Tuple })
			return ok, nil
		}
		if pt, ok := v.(PyTyper); ok {
			if b, ok := pt.PyType().(interface {
				IsSubtype(starlark.Value) bool
			}); ok {
				return b.IsSubtype(t), nil
			}
			return pt.PyType() == starlark.Value(t), nil
		}
		return false, nil
	case InstanceChecker:
		return t.IsInstance(plain(v)), nil
	}
	v = plain(v)
	if pt, ok := v.(PyTyper); ok {
		if pt.PyType() == t {
			return true, nil
		}
	}
	if c, ok := t.(starlark.Callable); ok {
		// A constructor of a module: its values carry its name as their type.
		return v.Type() == c.Name(), nil
	}
	return false, Raise("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union")
}

// InstanceChecker may be implemented by types of modules.
type InstanceChecker interface {
	starlark.Value
	IsInstance(v starlark.Value) bool
}
