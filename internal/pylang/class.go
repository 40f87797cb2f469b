package pylang

import (
	"slices"
	"strings"

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
	native   starlark.Callable // the built-in type it derives from, as dict in class C(dict)
	subs     []*Class          // direct subclasses, in the order of their making
	// setsData says that the class itself has an attribute that comes before the
	// instance's own: a property, or another descriptor with __set__.
	setsData bool
	protocol bool            // derives from Protocol itself: isinstance looks for its methods
	slots    map[string]bool // names that instances may have; nil for any
	defining bool            // its body is running
	keywords []starlark.Tuple
	combined map[int64]*Instance // of a flag: members that are several bits
}

func (c *Class) String() string {
	switch {
	case c.isFlag():
		return "<flag '" + c.name + "'>"
	case c.enum:
		return "<enum '" + c.name + "'>"
	}
	return "<class '" + c.qualname() + "'>"
}
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

// lookupData is lookup of what comes before an instance's own attributes.
func (c *Class) lookupData(name string) starlark.Value {
	any := false
	for _, k := range c.mro {
		any = any || k.setsData
	}
	if !any {
		return nil
	}
	if v := c.lookup(name); isDataDescriptor(v) {
		return v
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
	c.setsData = c.setsData || isDataDescriptor(v)
}

func (c *Class) del(name string) bool {
	if _, ok := c.attrs[name]; !ok {
		return false
	}
	delete(c.attrs, name)
	for i, n := range c.order {
		if n == name {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
			break
		}
	}
	return true
}

func (c *Class) AttrNames() []string {
	var out []string
	for _, k := range c.mro {
		out = append(out, k.order...)
	}
	return out
}

func (c *Class) Attr(name string) (starlark.Value, error) {
	if isDunder(name) {
		if v := c.special(name); v != nil {
			return v, nil
		}
	}
	if v, ok := c.attrs[name]; ok && c.defining { // its body reads what it has set
		return v, nil
	}
	if v := c.lookup(name); v != nil {
		switch m := v.(type) {
		case *staticMethod:
			return m.fn, nil
		case *classMethod:
			return c.rt.bindClassMethod(c, m), nil
		case *Instance:
			if get := m.class.lookup("__get__"); get != nil {
				return m.rt().call(m.bind(get), starlark.Tuple{starlark.None, c}, nil)
			}
		}
		return v, nil
	}
	if c.native != nil {
		if v, err := c.rt.getattr(c.native, name); err == nil {
			return v, nil
		}
	}
	if name == "mro" {
		return classMethods(c, name), nil
	}
	if f := objectMethods[name]; f != nil {
		return unboundObjectMethod(c.rt, c, name, f), nil
	}
	e := Raise("AttributeError", "type object '%s' has no attribute '%s'", c.name, name)
	if c.enum {
		e.Message = name // as CPython 3.11 has it
	}
	if n := nearest(name, c.AttrNames()); n != "" {
		e.Hint = "did you mean " + n + "?"
	}
	return nil, e
}

// special gives what every class has by itself; nil for other names.
func (c *Class) special(name string) starlark.Value {
	switch name {
	case "__name__", "__qualname__":
		return starlark.String(shortName(c.name))
	case "__doc__":
		if c.doc == "" {
			return starlark.None
		}
		return starlark.String(c.doc)
	case "__module__":
		if c.module == "" {
			return starlark.String("builtins")
		}
		return starlark.String(c.module)
	case "__members__":
		if c.enum {
			d := new(starlark.Dict)
			for _, n := range c.order {
				if m, ok := c.attrs[n].(*Instance); ok && m.class == c {
					_ = d.SetKey(starlark.String(n), m)
				}
			}
			return d
		}
	case "__class__":
		if c.rt != nil {
			return builtinValue(c.rt, "type")
		}
	case "__dict__":
		d := new(starlark.Dict)
		for _, n := range c.order {
			_ = d.SetKey(starlark.String(n), c.attrs[n])
		}
		return d
	case "__mro__":
		return c.line()
	case "__base__":
		if line := c.line(); len(line) > 1 {
			return line[1]
		}
		return starlark.None
	case "__bases__":
		return c.parents()
	case "__subclasses__":
		return classMethods(c, name)
	case "__annotations__":
		if c.rt != nil {
			d, err := c.rt.annotationsOf(c)
			if d == nil || err != nil {
				d = new(starlark.Dict)
			}
			return d
		}
	}
	return nil
}

// line is __mro__, which ends with the built-in classes.
func (c *Class) line() starlark.Tuple {
	var out starlark.Tuple
	for _, k := range c.mro {
		out = append(out, k)
	}
	if c.native != nil {
		out = append(out, c.native)
	}
	return append(out, c.objectType())
}

func (c *Class) parents() starlark.Tuple {
	var out starlark.Tuple
	for _, b := range c.bases {
		out = append(out, b)
	}
	if c.native != nil && (len(c.bases) == 0 || c.bases[0].native == nil) {
		out = append(out, c.native)
	}
	if out == nil {
		out = starlark.Tuple{c.objectType()}
	}
	return out
}

func (c *Class) objectType() starlark.Value {
	if c.rt == nil {
		return &TypeObj{name: "object"}
	}
	return builtinValue(c.rt, "object")
}

func (c *Class) SetField(name string, v starlark.Value) error {
	if c.rt == nil {
		return Raise("TypeError", "cannot set '%s' attribute of immutable type '%s'", name, c.name)
	}
	if c.enum && c.defining {
		x, err := c.rt.autos(c, name, v)
		if err != nil {
			return err
		}
		v = x
	} else if m, ok := c.attrs[name].(*Instance); ok && c.enum && m.class == c {
		return Raise("AttributeError", "cannot reassign member '%s'", name)
	}
	c.set(name, v)
	return nil
}

// Get serves C["name"] of enums, C[k] with __class_getitem__, and Generic[int].
func (c *Class) Get(k starlark.Value) (starlark.Value, bool, error) {
	if c.enum {
		if s, ok := k.(starlark.String); ok {
			if m, ok := c.attrs[string(s)].(*Instance); ok && m.class == c {
				return m, true, nil
			}
		}
		return nil, false, newKeyError(k)
	}
	if fn := c.lookup("__class_getitem__"); fn != nil {
		if cm, ok := fn.(*classMethod); ok {
			fn = cm.fn
		}
		v, err := c.rt.call(fn, starlark.Tuple{c, k}, nil)
		return v, err == nil, err
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
		return rt.enumMember(c, args, kwargs)
	case c.kind == "TypedDict":
		return builtinValue(rt, "dict").(*TypeObj).make(rt, args, kwargs)
	}
	var inst *Instance
	if fn := c.lookup("__new__"); fn != nil {
		v, err := rt.call(unwrapStatic(fn), append(starlark.Tuple{c}, args...), kwargs)
		if err != nil {
			return nil, err
		}
		made, ok := v.(*Instance)
		if !ok || !made.class.subclassOf(c) {
			return v, nil // another value: it is not initialized
		}
		inst = made
	} else {
		made, err := rt.newInstance(c, args, kwargs)
		if err != nil {
			return nil, err
		}
		inst = made
	}
	return inst, rt.initialize(inst, args, kwargs)
}

// newInstance makes an instance that is not initialized yet: object.__new__(C).
func (rt *runtime) newInstance(c *Class, args starlark.Tuple, kwargs []starlark.Tuple) (*Instance, error) {
	if names := c.abstract(); names != nil {
		return nil, Raise("TypeError", "Can't instantiate abstract class %s with abstract method%s %s", c.name, plural(len(names)), strings.Join(names, ", "))
	}
	if special := errnoClass(c, args); special != nil {
		c = special
	}
	inst := &Instance{class: c}
	if c.native != nil && c.kind != "NamedTuple" { // that is filled by __init__
		base, err := rt.newNative(c, args, kwargs)
		if err != nil {
			return nil, err
		}
		inst.base = base
	}
	if c.exc {
		inst.args = append(starlark.Tuple(nil), args...)
		if c.subclassOf(exceptionClass("BaseExceptionGroup")) {
			return inst, rt.newGroup(inst)
		}
	}
	return inst, nil
}

// initialize calls __init__.
func (rt *runtime) initialize(inst *Instance, args starlark.Tuple, kwargs []starlark.Tuple) error {
	c := inst.class
	init := c.lookup("__init__")
	if init == nil {
		switch {
		case c.native != nil:
			return rt.initNative(inst, args, kwargs)
		case c.lookup("__new__") != nil:
		case c.exc && len(kwargs) > 0:
			return Raise("TypeError", "%s() takes no keyword arguments", c.name)
		case !c.exc && len(args)+len(kwargs) > 0:
			return Raise("TypeError", "%s() takes no arguments", c.name)
		}
		return nil
	}
	full := make(starlark.Tuple, 0, len(args)+1)
	full = append(append(full, inst), args...)
	r, err := rt.call(unwrapStatic(init), full, kwargs)
	if err != nil {
		return err
	}
	if r != starlark.None {
		return Raise("TypeError", "__init__() should return None, not '%s'", typeName(r))
	}
	return nil
}

// abstract names the methods that are still marked abstract, sorted.
func (c *Class) abstract() []string {
	var names []string
	for _, k := range c.mro {
		for _, n := range k.order {
			if isAbstract(c.lookup(n)) {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isAbstract(v starlark.Value) bool {
	switch f := v.(type) {
	case *abstractMethod:
		return true
	case *property:
		return isAbstract(f.fn)
	case *classMethod:
		return isAbstract(f.fn)
	case *staticMethod:
		return isAbstract(f.fn)
	}
	return false
}
