package pylang

import (
	"go.starlark.net/starlark"
)

// superObject finds attributes after a class in its instance's line.
type superObject struct {
	rt    *runtime
	after *Class
	self  starlark.Value // an instance, or a class in class methods and __new__
}

func (s *superObject) String() string {
	return "<super: <class '" + s.after.name + "'>, <" + typeName(s.self) + " object>>"
}
func (s *superObject) Type() string          { return "super" }
func (s *superObject) Freeze()               {}
func (s *superObject) Truth() starlark.Bool  { return true }
func (s *superObject) Hash() (uint32, error) { return 4, nil }
func (s *superObject) AttrNames() []string   { return nil }
func (s *superObject) Attr(name string) (starlark.Value, error) {
	var mro []*Class
	inst, isInst := s.self.(*Instance)
	class, _ := s.self.(*Class)
	if isInst {
		mro = inst.class.mro
	} else if class != nil {
		mro = class.mro
	}
	seen := false
	for _, k := range mro {
		if seen {
			if v, ok := k.attrs[name]; ok {
				if isInst {
					return inst.get(name, v)
				}
				if cm, ok := v.(*classMethod); ok {
					return s.rt.bindClassMethod(class, cm), nil
				}
				return unwrapStatic(v), nil
			}
		}
		seen = seen || k == s.after
	}
	if isInst {
		if name == "__init__" && inst.base != nil {
			return s.rt.builtin(name, func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return starlark.None, rt.initNative(inst, args, kwargs)
			}), nil
		}
		if inst.class.exc {
			if v := inst.excAttr(name); v != nil {
				return v, nil
			}
		}
		if v, err := inst.nativeAttr(name); v != nil || err != nil {
			return v, err
		}
	} else if class != nil && class.native != nil && name != "__new__" {
		if v, err := s.rt.getattr(class.native, name); err == nil {
			return v, nil
		}
	}
	if f := objectMethods[name]; f != nil {
		if name == "__new__" { // a static method: the class is given
			return s.rt.builtin(name, newOfClass), nil
		}
		return s.rt.builtin(name, func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(rt, s.self, args, kwargs)
		}), nil
	}
	return nil, Raise("AttributeError", "'super' object has no attribute '%s'", name)
}

// objectMethod is a method of the class object: all classes have it.
type objectMethod func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var objectMethods map[string]objectMethod

func init() {
	objectMethods = map[string]objectMethod{
		"__init__": func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			inst, ok := self.(*Instance)
			switch {
			case ok && inst.class.exc:
				inst.args = append(starlark.Tuple(nil), args...)
			case ok && inst.base != nil:
				return starlark.None, rt.initNative(inst, args, kwargs)
			case len(args)+len(kwargs) > 0:
				return nil, Raise("TypeError", "object.__init__() takes exactly one argument (the instance to initialize)")
			}
			return starlark.None, nil
		},
		"__new__": func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return newOfClass(rt, nil, append(starlark.Tuple{self}, args...), kwargs)
		},
		"__setattr__": func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("__setattr__", args, kwargs, "name", "value")
			if err != nil {
				return nil, err
			}
			name, err := attrName(a[0])
			if err != nil {
				return nil, err
			}
			if inst, ok := self.(*Instance); ok {
				return starlark.None, inst.setField(name, a[1])
			}
			return starlark.None, rt.setattr(self, name, a[1])
		},
		"__delattr__": func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("__delattr__", args, kwargs, "name")
			if err != nil {
				return nil, err
			}
			name, err := attrName(a[0])
			if err != nil {
				return nil, err
			}
			if inst, ok := self.(*Instance); ok {
				return starlark.None, inst.delField(name)
			}
			return starlark.None, rt.delattr(self, name)
		},
		"__getattribute__": func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("__getattribute__", args, kwargs, "name")
			if err != nil {
				return nil, err
			}
			name, err := attrName(a[0])
			if err != nil {
				return nil, err
			}
			inst, ok := self.(*Instance)
			if !ok {
				return rt.getattr(self, name)
			}
			v, err := inst.attr(name)
			if v == nil && err == nil {
				err = Raise("AttributeError", "'%s' object has no attribute '%s'", inst.class.name, name)
			}
			return v, err
		},
		"__repr__": func(rt *runtime, self starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			inst, ok := self.(*Instance)
			if !ok {
				s, err := rt.repr(self)
				return starlark.String(s), err
			}
			s, err := rt.plainRepr(inst)
			return starlark.String(s), err
		},
		"__str__": func(rt *runtime, self starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			inst, ok := self.(*Instance)
			if !ok {
				s, err := rt.str(self)
				return starlark.String(s), err
			}
			s, err := rt.plainStr(inst)
			return starlark.String(s), err
		},
		"__format__": func(rt *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("__format__", args, kwargs, "spec")
			if err != nil {
				return nil, err
			}
			spec, err := strArg("__format__", a[0])
			if err != nil {
				return nil, err
			}
			if inst, ok := self.(*Instance); ok {
				s, err := rt.formatInstance(inst, spec)
				return starlark.String(s), err
			}
			s, err := rt.format(self, spec)
			return starlark.String(s), err
		},
		"__eq__": func(_ *runtime, self starlark.Value, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) == 1 && identical(self, args[0]) {
				return starlark.True, nil
			}
			return notImplemented, nil
		},
		"__ne__": func(rt *runtime, self starlark.Value, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return notImplemented, nil
			}
			eq, err := rt.equal(self, args[0])
			return starlark.Bool(!eq), err
		},
		"__hash__": func(_ *runtime, self starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if inst, ok := self.(*Instance); ok && inst.base == nil {
				return starlark.MakeUint64(uint64(inst.identity())), nil
			}
			h, _, err := pyHash(self)
			return starlark.MakeInt64(int64(h)), err
		},
		"__dir__": func(rt *runtime, self starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return rt.call(builtinValue(rt, "dir"), starlark.Tuple{self}, nil)
		},
		"__init_subclass__": func(_ *runtime, self starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args)+len(kwargs) > 0 {
				name := typeName(self)
				if c, ok := self.(*Class); ok {
					name = c.name
				}
				return nil, Raise("TypeError", "%s.__init_subclass__() takes no keyword arguments", name)
			}
			return starlark.None, nil
		},
	}
}

// newOfClass is object.__new__(cls, ...), or that of a built-in type.
func newOfClass(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return nil, Raise("TypeError", "object.__new__(): not enough arguments")
	}
	c, ok := args[0].(*Class)
	if !ok {
		if t, ok := args[0].(*TypeObj); ok {
			return rt.call(t, args[1:], kwargs)
		}
		return nil, Raise("TypeError", "object.__new__(X): X is not a type object (%s)", typeName(args[0]))
	}
	return rt.newInstance(c, args[1:], kwargs)
}

// unboundObjectMethod is a method of object read from a class: its self comes first.
func unboundObjectMethod(rt *runtime, owner starlark.Value, name string, f objectMethod) starlark.Value {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		r := rt
		if r == nil {
			r = rtOf(thread)
		}
		if name == "__init_subclass__" {
			return f(r, owner, args, kwargs)
		}
		if len(args) == 0 {
			return nil, Raise("TypeError", "unbound method object.%s() needs an argument", name)
		}
		return f(r, args[0], args[1:], kwargs)
	})
}

// classMethods are C.mro() and C.__subclasses__(); nil for other names.
func classMethods(c *Class, name string) starlark.Value {
	switch name {
	case "mro":
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.NewList(c.line()), nil
		})
	case "__subclasses__":
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			out := make([]starlark.Value, len(c.subs))
			for i, s := range c.subs {
				out[i] = s
			}
			return starlark.NewList(out), nil
		})
	}
	return nil
}
