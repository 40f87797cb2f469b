package pylang

import (
	"go.starlark.net/starlark"
)

// newClass begins a class statement: name, bases, doc string; kwargs are its
// keywords. The body then sets attributes, endClass finishes.
func (rt *runtime) newClass(args starlark.Tuple, kwargs []starlark.Tuple) (*Class, error) {
	c := &Class{rt: rt, module: "__main__", name: string(args[0].(starlark.String)), attrs: starlark.StringDict{}, doc: string(args[2].(starlark.String)), defining: true}
	if rt.module != "" {
		c.module = rt.module
	}
	for _, kv := range kwargs {
		if kv[0] == starlark.String("metaclass") {
			if t, ok := kv[1].(*TypeObj); ok && (t.name == "ABCMeta" || t.name == "type" || t.name == "EnumMeta") {
				continue
			}
			return nil, noMetaclass(c.name)
		}
		c.keywords = append(c.keywords, kv)
	}
	for _, b := range args[1].(starlark.Tuple) {
		if err := rt.addBase(c, b); err != nil {
			return nil, err
		}
	}
	return c, c.linearize()
}

func noMetaclass(class string) error {
	e := Raise("TypeError", "a metaclass is not available (class %s)", class)
	e.Hint = "use a class decorator, __init_subclass__, or __new__ for a singleton"
	return e
}

func (rt *runtime) addBase(c *Class, base starlark.Value) error {
	native := starlark.Callable(nil)
	switch b := base.(type) {
	case *Class:
		c.bases = append(c.bases, b)
		c.exc = c.exc || b.exc
		if c.data == nil {
			c.data = b.data
		}
		if c.kind == "" {
			c.kind = b.kind
		}
		if b.enum {
			c.enum = true
			if len(b.members) > 0 {
				return Raise("TypeError", "<enum '%s'> cannot extend <enum '%s'>", c.name, b.name)
			}
		}
		native = b.native
	case *TypeObj:
		switch b.name {
		case "object", "ABC", "Generic":
			return nil
		case "TypedDict", "NamedTuple":
			c.kind = b.name
			return nil
		case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag":
			c.enum = true
			if c.kind == "" {
				c.kind = b.name
			}
			switch b.name {
			case "IntEnum", "IntFlag":
				native = builtinValue(rt, "int").(*TypeObj)
			case "StrEnum":
				native = builtinValue(rt, "str").(*TypeObj)
			}
		default:
			n, err := rt.nativeBase(c, base)
			if err != nil {
				return err
			}
			native = n
		}
	case starlark.NoneType:
		return nil
	case *typingForm:
		c.protocol = c.protocol || b.name == "Protocol"
		mixin, err := rt.abstractBase(c, b)
		if mixin == nil || err != nil {
			return err
		}
		return rt.addBase(c, mixin)
	default:
		n, err := rt.nativeBase(c, base)
		if err != nil {
			return err
		}
		native = n
	}
	if native != nil {
		if c.native != nil && c.native != native {
			return Raise("TypeError", "multiple bases have instance lay-out conflict")
		}
		c.native = native
	}
	return nil
}

// endClass finishes a class statement.
func (rt *runtime) endClass(c *Class) (starlark.Value, error) {
	c.defining = false
	for _, name := range []string{"__init_subclass__", "__class_getitem__"} {
		if fn, ok := c.attrs[name].(*starlark.Function); ok { // class methods by themselves
			c.attrs[name] = &classMethod{wrapper{"classmethod", fn}}
		}
	}
	for _, b := range c.bases {
		if b.rt != nil {
			b.subs = append(b.subs, c)
		}
	}
	if err := rt.setSlots(c); err != nil {
		return nil, err
	}
	for _, name := range append([]string(nil), c.order...) {
		d, ok := c.attrs[name].(*Instance)
		if !ok {
			continue
		}
		if fn := d.class.lookup("__set_name__"); fn != nil {
			if _, err := rt.call(d.bind(fn), starlark.Tuple{c, starlark.String(name)}, nil); err != nil {
				return nil, err
			}
		}
	}
	if c.enum {
		if err := rt.endEnum(c); err != nil {
			return nil, err
		}
	}
	if c.kind == "NamedTuple" && len(c.fields) > 0 {
		if err := rt.namedTupleClass(c); err != nil {
			return nil, err
		}
	}
	if c.attrs["__eq__"] != nil && c.attrs["__hash__"] == nil {
		c.set("__hash__", starlark.None)
	}
	for _, b := range c.mro[1:] {
		if fn, ok := b.attrs["__init_subclass__"].(*classMethod); ok {
			if _, err := rt.call(fn.fn, starlark.Tuple{c}, c.keywords); err != nil {
				return nil, err
			}
			break
		}
	}
	return c, nil
}

// setSlots reads __slots__: when every class in line has it, instances take no
// other names.
func (rt *runtime) setSlots(c *Class) error {
	own := c.attrs["__slots__"]
	if own == nil || c.exc || c.native != nil {
		return nil
	}
	slots := map[string]bool{}
	if s, ok := own.(starlark.String); ok {
		slots[string(s)] = true
	} else if err := rt.each(own, func(v starlark.Value) error {
		s, err := strArg("__slots__", v)
		slots[s] = true
		return err
	}); err != nil {
		return err
	}
	for _, b := range c.bases {
		if b.slots == nil {
			return nil
		}
		for n := range b.slots {
			slots[n] = true
		}
	}
	if !slots["__dict__"] {
		c.slots = slots
	}
	return nil
}

// makeType is type(v).
func makeType(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 && len(kwargs) == 0 {
		return rt.typeOf(args[0]), nil
	}
	e := Raise("TypeError", "type() takes 1 argument here")
	e.Hint = "write a class statement"
	return nil, e
}

// methodBuiltin is a built-in function that becomes a method in a class.
func methodBuiltin(name string, fn func(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(methodPrefix+name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return fn(thread, args, kwargs)
	})
}

const methodPrefix = "method "

func isMethodBuiltin(b *starlark.Builtin) bool {
	return len(b.Name()) > len(methodPrefix) && b.Name()[:len(methodPrefix)] == methodPrefix
}
