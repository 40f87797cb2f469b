package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// newClass begins a class statement: name, bases, doc string.
func (rt *runtime) newClass(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	c := &Class{rt: rt, module: "__main__", name: string(args[0].(starlark.String)), attrs: starlark.StringDict{}, doc: string(args[2].(starlark.String))}
	if rt.module != "" {
		c.module = rt.module
	}
	for _, b := range args[1].(starlark.Tuple) {
		switch b := b.(type) {
		case *Class:
			c.bases = append(c.bases, b)
			c.exc = c.exc || b.exc
			if b.kind != "" && c.kind == "" {
				c.kind = b.kind
			}
			if b.enum {
				c.enum = true
				if len(b.members) > 0 {
					return nil, Raise("TypeError", "cannot extend %s", b)
				}
			}
		case *TypeObj:
			switch b.name {
			case "object":
			case "ABC", "Protocol", "Generic":
			case "TypedDict", "NamedTuple":
				c.kind = b.name
			case "Enum", "IntEnum", "StrEnum":
				c.enum = true
				if c.kind == "" {
					c.kind = b.name
				}
			case "str", "int":
				if len(args[1].(starlark.Tuple)) > 1 { // class Color(str, Enum)
					c.kind = map[string]string{"str": "StrMixin", "int": "IntMixin"}[b.name]
					continue
				}
				return nil, noBase(c.name, b.name)
			default:
				return nil, noBase(c.name, b.name)
			}
		case starlark.NoneType:
		case *typingForm:
			if b.name == "Generic" || b.name == "Protocol" {
				continue
			}
			return nil, noBase(c.name, b.name)
		default:
			return nil, noBase(c.name, typeName(b))
		}
	}
	if c.enum && (c.kind == "StrMixin" || c.kind == "IntMixin") {
		c.kind += "Enum"
	}
	return c, c.linearize()
}

func noBase(class, base string) error {
	e := Raise("TypeError", "class %s cannot inherit from %s here", class, base)
	e.Hint = "keep a " + base + " as an attribute of the class instead"
	return e
}

// endClass finishes a class statement.
func (rt *runtime) endClass(c *Class) (starlark.Value, error) {
	if c.enum {
		return c, rt.endEnum(c)
	}
	if c.kind == "NamedTuple" && len(c.fields) > 0 {
		return rt.namedTupleClass(c)
	}
	if c.attrs["__eq__"] != nil && c.attrs["__hash__"] == nil {
		c.set("__hash__", starlark.None)
	}
	for _, b := range c.mro[1:] {
		if fn := b.attrs["__init_subclass__"]; fn != nil {
			if cm, ok := fn.(*classMethod); ok {
				fn = cm.fn
			}
			if _, err := rt.call(fn, starlark.Tuple{c}, nil); err != nil {
				return nil, err
			}
			break
		}
	}
	return c, nil
}

// endEnum turns the plain attributes of an enum into its members.
func (rt *runtime) endEnum(c *Class) error {
	next := starlark.MakeInt(1)
	for _, n := range c.order {
		v := c.attrs[n]
		if isDunder(n) || n[0] == '_' {
			continue
		}
		switch v.(type) {
		case *starlark.Function, *funcWrap, *property, *staticMethod, *classMethod, *Class:
			continue
		}
		if v == autoValue {
			v = next
			if c.kind == "StrEnum" {
				v = starlark.String(lowerASCII(n))
			}
		}
		if i, ok := v.(starlark.Int); ok {
			next = i.Add(starlark.MakeInt(1))
		}
		alias := false
		for _, m := range c.members {
			if mv, _ := m.(*Instance).attrs.get("value"); !alias {
				if eq, err := rt.equal(mv, v); err != nil {
					return err
				} else if eq {
					c.attrs[n] = m
					alias = true
				}
			}
		}
		if alias {
			continue
		}
		m := &Instance{class: c}
		m.attrs.set("name", starlark.String(n))
		m.attrs.set("value", v)
		m.attrs.set("_name_", starlark.String(n))
		m.attrs.set("_value_", v)
		c.attrs[n] = m
		c.members = append(c.members, m)
		if init := c.lookup("__init__"); init != nil {
			args, ok := v.(starlark.Tuple)
			if !ok {
				args = starlark.Tuple{v}
			}
			c.open = true
			_, err := rt.call(init, append(starlark.Tuple{m}, args...), nil)
			c.open = false
			if err != nil {
				return err
			}
		}
	}
	for _, n := range []string{"StrEnum", "IntEnum", "StrMixinEnum", "IntMixinEnum"} {
		if c.kind == n && c.lookup("__eq__") == nil {
			rt.mixinEnum(c)
		}
	}
	return nil
}

// mixinEnum lets members of str and int enums compare like their values.
func (rt *runtime) mixinEnum(c *Class) {
	value := func(v starlark.Value) starlark.Value {
		if m, ok := v.(*Instance); ok && m.class.enum {
			v, _ = m.attrs.get("value")
		}
		return v
	}
	cmp := func(name, op string) {
		c.attrs[name] = methodBuiltin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if op == "==" {
				ok, err := rt.equal(value(args[0]), value(args[1]))
				return starlark.Bool(ok), err
			}
			ok, err := rt.compare(op, value(args[0]), value(args[1]))
			return starlark.Bool(ok), err
		})
	}
	cmp("__eq__", "==")
	cmp("__lt__", "<")
	cmp("__le__", "<=")
	cmp("__gt__", ">")
	cmp("__ge__", ">=")
	c.attrs["__hash__"] = methodBuiltin("__hash__", func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		h, _, err := pyHash(value(args[0]))
		return starlark.MakeInt64(int64(h)), err
	})
	if c.kind == "StrEnum" || c.kind == "IntEnum" {
		c.attrs["__str__"] = methodBuiltin("__str__", func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			s, err := rt.str(value(args[0]))
			return starlark.String(s), err
		})
	}
	for op, names := range binaryDunder {
		for i, n := range names {
			if c.kind == "StrEnum" || c.kind == "StrMixinEnum" {
				if op != "+" && op != "*" && op != "%" {
					continue
				}
			}
			c.attrs[n] = methodBuiltin(n, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				x, y := value(args[0]), value(args[1])
				if i == 1 {
					x, y = y, x
				}
				return rt.binary(op, x, y)
			})
		}
	}
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 32
		}
	}
	return string(b)
}

// mixedIn is the value that a member of an enum of str or int stands for.
func (i *Instance) mixedIn() starlark.Value {
	switch i.class.kind {
	case "StrEnum", "IntEnum", "StrMixinEnum", "IntMixinEnum":
		v, _ := i.attrs.get("value")
		return v
	}
	return nil
}

// makeEnum is Enum("Color", "RED GREEN") and its like.
func makeEnum(kind string) func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return func(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind(kind, args, kwargs, "value", "names", "*", "start?", "module?", "type?")
		if err != nil {
			return nil, err
		}
		name, err := strArg(kind, a[0])
		if err != nil {
			return nil, err
		}
		names, pairs := a[1], isMapping(a[1])
		if s, ok := names.(starlark.String); ok {
			list := starlark.NewList(nil)
			for _, n := range strings.FieldsFunc(string(s), func(r rune) bool { return r == ',' || r == ' ' }) {
				_ = list.Append(starlark.String(n))
			}
			names = list
		}
		made, err := rt.newClass(starlark.Tuple{starlark.String(name), starlark.Tuple{&TypeObj{name: kind}}, starlark.String("")}, nil)
		if err != nil {
			return nil, err
		}
		c := made.(*Class)
		if pairs {
			items, err := rt.items(names)
			if err != nil {
				return nil, err
			}
			for _, kv := range items {
				n, err := strArg(kind, kv[0])
				if err != nil {
					return nil, err
				}
				c.set(n, kv[1])
			}
			return rt.endClass(c)
		}
		next, err := intArg(a[2], 1)
		if err != nil {
			return nil, err
		}
		err = rt.each(names, func(v starlark.Value) error {
			value := starlark.Value(starlark.MakeInt64(next))
			if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
				v, value = t[0], t[1]
			}
			n, err := strArg(kind, v)
			c.set(n, value)
			next++
			return err
		})
		if err != nil {
			return nil, err
		}
		return rt.endClass(c)
	}
}

var autoValue starlark.Value = marker("auto()")

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
