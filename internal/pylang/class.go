package pylang

import (
	"go.starlark.net/starlark"
)

// Class is a class of the program, or an exception class of Python.
type Class struct {
	rt       *runtime // nil for the classes every program has
	name     string
	module   string // "__main__", or the library's; empty for built-in ones
	doc      string
	bases    []*Class
	mro      []*Class
	attrs    starlark.StringDict
	order    []string
	fields   []string // annotated names, for dataclasses
	exc      bool     // derives from BaseException
	initVars []string // those of the fields that only __init__ sees
	kwOnly   int      // one more than the fields before a KW_ONLY mark; 0 without one
	enum     bool
	open     bool             // an enum's member is being initialized
	members  []starlark.Value // of an enum
	kind     string           // "TypedDict", "NamedTuple", "Enum" and so on
	data     *dataclass
}

func (c *Class) String() string       { return "<class '" + c.qualname() + "'>" }
func (c *Class) Type() string         { return "type" }
func (c *Class) Freeze()              {}
func (c *Class) Truth() starlark.Bool { return true }
func (c *Class) Name() string         { return c.name }
func (c *Class) Hash() (uint32, error) {
	return starlark.String(c.name).Hash()
}

func (c *Class) qualname() string {
	if c.module != "" {
		return c.module + "." + c.name
	}
	return c.name
}

// linearize is C3, for the usual cases of several bases.
func (c *Class) linearize() error {
	var seqs [][]*Class
	for _, b := range c.bases {
		seqs = append(seqs, append([]*Class(nil), b.mro...))
	}
	seqs = append(seqs, append([]*Class(nil), c.bases...))
	c.mro = []*Class{c}
	for {
		var next *Class
		empty := true
		for _, s := range seqs {
			if len(s) == 0 {
				continue
			}
			empty = false
			cand := s[0]
			ok := true
			for _, t := range seqs {
				for i := 1; i < len(t); i++ {
					ok = ok && t[i] != cand
				}
			}
			if ok {
				next = cand
				break
			}
		}
		if empty {
			return nil
		}
		if next == nil {
			return Raise("TypeError", "Cannot create a consistent method resolution order (MRO) for bases of %s", c.name)
		}
		c.mro = append(c.mro, next)
		for i, s := range seqs {
			if len(s) > 0 && s[0] == next {
				seqs[i] = s[1:]
			}
		}
	}
}

func (c *Class) lookup(name string) starlark.Value {
	for _, k := range c.mro {
		if v, ok := k.attrs[name]; ok {
			return v
		}
	}
	return nil
}

func (c *Class) subclassOf(o *Class) bool {
	for _, k := range c.mro {
		if k == o {
			return true
		}
	}
	return false
}

func (c *Class) set(name string, v starlark.Value) {
	if _, ok := c.attrs[name]; !ok {
		c.order = append(c.order, name)
	}
	c.attrs[name] = v
}

func (c *Class) AttrNames() []string {
	var out []string
	for _, k := range c.mro {
		out = append(out, k.order...)
	}
	return out
}

func (c *Class) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__name__", "__qualname__":
		return starlark.String(shortName(c.name)), nil
	case "__doc__":
		if c.doc == "" {
			return starlark.None, nil
		}
		return starlark.String(c.doc), nil
	case "__module__":
		if c.module == "" {
			return starlark.String("builtins"), nil
		}
		return starlark.String(c.module), nil
	case "__members__":
		if c.enum {
			d := new(starlark.Dict)
			for _, m := range c.members {
				n, _ := m.(*Instance).attrs.get("name")
				_ = d.SetKey(n, m)
			}
			return d, nil
		}
	}
	if v := c.lookup(name); v != nil {
		switch m := v.(type) {
		case *staticMethod:
			return m.fn, nil
		case *classMethod:
			return &boundMethod{self: c, fn: m.fn}, nil
		}
		return v, nil
	}
	if name == "__init__" && c.exc {
		return c.rt.builtin("__init__", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) > 0 {
				if i, ok := args[0].(*Instance); ok {
					i.args = append(starlark.Tuple(nil), args[1:]...)
				}
			}
			return starlark.None, nil
		}), nil
	}
	e := Raise("AttributeError", "type object '%s' has no attribute '%s'", c.name, name)
	if n := nearest(name, c.AttrNames()); n != "" {
		e.Hint = "did you mean " + n + "?"
	}
	return nil, e
}

func (c *Class) SetField(name string, v starlark.Value) error {
	if c.rt == nil {
		return Raise("TypeError", "cannot set '%s' attribute of immutable type '%s'", name, c.name)
	}
	if c.enum && len(c.members) > 0 {
		return Raise("AttributeError", "cannot reassign member '%s'", name)
	}
	c.set(name, v)
	return nil
}

// Get serves C["name"] of enums, and Generic[int].
func (c *Class) Get(k starlark.Value) (starlark.Value, bool, error) {
	if c.enum {
		for _, m := range c.members {
			if n, _ := m.(*Instance).attrs.get("name"); n == k {
				return m, true, nil
			}
		}
		return nil, false, newKeyError(k)
	}
	return c, true, nil
}

// CallInternal makes an instance.
func (c *Class) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	rt := c.rt
	if rt == nil {
		rt = runtimeOf(thread)
	}
	switch {
	case c.enum:
		if len(args) != 1 || len(kwargs) > 0 {
			return nil, Raise("TypeError", "%s() takes one value", c.name)
		}
		for _, m := range c.members {
			v, _ := m.(*Instance).attrs.get("value")
			if ok, err := rt.equal(v, args[0]); ok || err != nil {
				return m, err
			}
		}
		r, err := rt.repr(args[0])
		if err != nil {
			return nil, err
		}
		return nil, Raise("ValueError", "%s is not a valid %s", r, c.name)
	case c.kind == "TypedDict":
		d := new(starlark.Dict)
		if len(args) > 0 {
			if err := rt.dictUpdate(d, args[0]); err != nil {
				return nil, err
			}
		}
		for _, kv := range kwargs {
			if err := dictSet(d, kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		return d, nil
	case c.kind == "Protocol" || c.kind == "ABC":
		if name := c.abstract(); name != "" {
			return nil, Raise("TypeError", "Can't instantiate abstract class %s with abstract method %s", c.name, name)
		}
	}
	if name := c.abstract(); name != "" {
		return nil, Raise("TypeError", "Can't instantiate abstract class %s with abstract method %s", c.name, name)
	}
	inst := &Instance{class: c}
	if c.exc {
		inst.args = append(starlark.Tuple(nil), args...)
		if c.subclassOf(exceptionClass("BaseExceptionGroup")) {
			if err := rt.newGroup(inst); err != nil {
				return nil, err
			}
		}
	}
	init := c.lookup("__init__")
	if init == nil {
		if !c.exc && (len(args) > 0 || len(kwargs) > 0) {
			return nil, Raise("TypeError", "%s() takes no arguments", c.name)
		}
		if c.exc && len(kwargs) > 0 {
			return nil, Raise("TypeError", "%s() takes no keyword arguments", c.name)
		}
		return inst, nil
	}
	full := make(starlark.Tuple, 0, len(args)+1)
	full = append(append(full, inst), args...)
	r, err := starlark.Call(thread, init, full, kwargs)
	if err != nil {
		return nil, err
	}
	if r != starlark.None {
		return nil, Raise("TypeError", "__init__() should return None, not '%s'", typeName(r))
	}
	return inst, nil
}

// abstract names a method that is still marked abstract.
func (c *Class) abstract() string {
	for _, k := range c.mro {
		for _, n := range k.order {
			if f, ok := c.lookup(n).(*abstractMethod); ok && f != nil {
				return n
			}
		}
	}
	return ""
}

// The wrappers that decorators put around functions in classes.
type (
	staticMethod   struct{ wrapper }
	classMethod    struct{ wrapper }
	abstractMethod struct{ wrapper }
	property       struct {
		wrapper
		setter starlark.Value
		cached bool
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

func (p *property) AttrNames() []string { return []string{"getter", "setter"} }
func (p *property) Attr(name string) (starlark.Value, error) {
	switch name {
	case "setter":
		return starlark.NewBuiltin("setter", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, Raise("TypeError", "setter() takes one function")
			}
			return &property{wrapper: p.wrapper, setter: args[0]}, nil
		}), nil
	case "getter":
		return starlark.NewBuiltin("getter", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return &property{wrapper: wrapper{"property", args[0]}, setter: p.setter}, nil
		}), nil
	}
	return nil, nil
}

// boundMethod is a function with its self.
type boundMethod struct {
	self starlark.Value
	fn   starlark.Value
}

func (b *boundMethod) String() string        { return "<bound method " + b.Name() + ">" }
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

// superObject finds attributes after a class in its instance's line.
type superObject struct {
	rt    *runtime
	after *Class
	self  starlark.Value
}

func (s *superObject) String() string        { return "<super object>" }
func (s *superObject) Type() string          { return "super" }
func (s *superObject) Freeze()               {}
func (s *superObject) Truth() starlark.Bool  { return true }
func (s *superObject) Hash() (uint32, error) { return 4, nil }
func (s *superObject) AttrNames() []string   { return nil }
func (s *superObject) Attr(name string) (starlark.Value, error) {
	var mro []*Class
	inst, isInst := s.self.(*Instance)
	if isInst {
		mro = inst.class.mro
	} else if c, ok := s.self.(*Class); ok {
		mro = c.mro
	}
	seen := false
	for _, k := range mro {
		if seen {
			if v, ok := k.attrs[name]; ok {
				if isInst {
					return inst.get(v)
				}
				if cm, ok := v.(*classMethod); ok {
					return &boundMethod{self: s.self, fn: cm.fn}, nil
				}
				return v, nil
			}
		}
		seen = seen || k == s.after
	}
	if name == "__init_subclass__" {
		return s.rt.builtin(name, func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if len(args)+len(kwargs) > 0 {
				return nil, Raise("TypeError", "object.__init_subclass__() takes no arguments (%d given)", len(args)+len(kwargs))
			}
			return starlark.None, nil
		}), nil
	}
	if isInst {
		switch name {
		case "__init__":
			return s.rt.builtin("__init__", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				if inst.class.exc {
					inst.args = append(starlark.Tuple(nil), args...)
				} else if len(args) > 0 || len(kwargs) > 0 {
					return nil, Raise("TypeError", "object.__init__() takes exactly one argument (the instance to initialize)")
				}
				return starlark.None, nil
			}), nil
		case "__str__", "__repr__":
			return s.rt.builtin(name, func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				if inst.class.exc && name == "__str__" {
					t, err := s.rt.excText(inst)
					return starlark.String(t), err
				}
				t, err := s.rt.plainRepr(inst)
				return starlark.String(t), err
			}), nil
		case "__setattr__":
			return s.rt.builtin(name, func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				inst.attrs.set(string(args[0].(starlark.String)), args[1])
				return starlark.None, nil
			}), nil
		case "__post_init__", "__init_subclass__", "__enter__", "__exit__", "__del__":
		case "__eq__":
			return s.rt.builtin(name, func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return starlark.Bool(args[0] == starlark.Value(inst)), nil
			}), nil
		case "__hash__":
			return s.rt.builtin(name, func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				return starlark.MakeUint64(uint64(inst.identity())), nil
			}), nil
		}
	}
	return nil, Raise("AttributeError", "'super' object has no attribute '%s'", name)
}
