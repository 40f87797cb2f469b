package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// dataclass is what @dataclass adds to a class.
type dataclass struct {
	fields []*dataField
	frozen bool
	plain  bool // setting an attribute is no more than that
}

type dataField struct {
	name    string
	dflt    starlark.Value // nil: none
	factory starlark.Value
	init    bool
	repr    bool
	compare bool
	kwOnly  bool
	initVar bool // goes to __post_init__ only
	owner   *Class
	meta    starlark.Value // metadata, nil for none
}

// fieldValue is what field(...) gives.
type fieldValue struct{ dataField }

func (f *fieldValue) String() string        { return "<field>" }
func (f *fieldValue) Type() string          { return "Field" }
func (f *fieldValue) Freeze()               {}
func (f *fieldValue) Truth() starlark.Bool  { return true }
func (f *fieldValue) Hash() (uint32, error) { return 13, nil }
func (f *fieldValue) AttrNames() []string {
	return []string{"compare", "default", "default_factory", "init", "kw_only", "metadata", "name", "repr", "type"}
}
func (f *fieldValue) Attr(name string) (starlark.Value, error) {
	orMissing := func(v starlark.Value) (starlark.Value, error) {
		if v == nil {
			return missingValue, nil
		}
		return v, nil
	}
	switch name {
	case "name":
		return starlark.String(f.name), nil
	case "default":
		return orMissing(f.dflt)
	case "default_factory":
		return orMissing(f.factory)
	case "init":
		return starlark.Bool(f.init), nil
	case "repr":
		return starlark.Bool(f.repr), nil
	case "compare":
		return starlark.Bool(f.compare), nil
	case "kw_only":
		return starlark.Bool(f.kwOnly), nil
	case "metadata":
		if f.meta == nil {
			return new(starlark.Dict), nil
		}
		return f.meta, nil
	case "type":
		if f.owner != nil {
			hints, err := f.owner.rt.annotationsOf(f.owner)
			if err != nil {
				return nil, err
			}
			if hints != nil {
				if v, found, err := hints.Get(starlark.String(f.name)); found || err != nil {
					return v, err
				}
			}
		}
		return starlark.None, nil
	}
	return nil, nil
}

var missingValue starlark.Value = marker("MISSING")

func dataclassesModule(fn func(string, helperFunc) starlark.Value) *Module {
	return &Module{Name: "dataclasses", Doc: "dataclass, field, asdict, astuple, replace, fields.", Members: starlark.StringDict{
		"FrozenInstanceError": exceptionClass("FrozenInstanceError"),
		"MISSING":             missingValue,
		"KW_ONLY":             marker("KW_ONLY"),
		"InitVar":             &typingForm{name: "InitVar"},
		"dataclass": fn("dataclass", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			opts := map[string]bool{"eq": true, "init": true, "repr": true}
			for _, kv := range kwargs {
				opts[string(kv[0].(starlark.String))] = bool(kv[1].Truth())
			}
			apply := func(v starlark.Value) (starlark.Value, error) {
				c, ok := v.(*Class)
				if !ok {
					return nil, Raise("TypeError", "@dataclass decorates a class")
				}
				return c, rt.makeDataclass(c, opts)
			}
			if len(args) == 1 {
				return apply(args[0])
			}
			return rt.builtin("dataclass", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return apply(args[0])
			}), nil
		}),
		"field": fn("field", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("field", args, kwargs, "*", "default?", "default_factory?", "init?", "repr?", "hash?", "compare?", "metadata?", "kw_only?")
			if err != nil {
				return nil, err
			}
			on := func(v starlark.Value) bool { return v == nil || bool(v.Truth()) }
			return &fieldValue{dataField{dflt: a[0], factory: a[1], init: on(a[2]), repr: on(a[3]), compare: on(a[5]), meta: a[6], kwOnly: a[7] != nil && bool(a[7].Truth())}}, nil
		}),
		"asdict": fn("asdict", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("asdict", args, kwargs, "obj")
			if err != nil {
				return nil, err
			}
			if i, ok := a[0].(*Instance); !ok || i.class.data == nil {
				return nil, Raise("TypeError", "asdict() should be called on dataclass instances")
			}
			return asDictValue(a[0], 0)
		}),
		"astuple": fn("astuple", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("astuple", args, kwargs, "obj")
			if err != nil {
				return nil, err
			}
			i, ok := a[0].(*Instance)
			if !ok || i.class.data == nil {
				return nil, Raise("TypeError", "astuple() should be called on dataclass instances")
			}
			var out starlark.Tuple
			for _, f := range i.class.data.fields {
				if v, ok := i.attrs.get(f.name); ok {
					out = append(out, v)
				}
			}
			return out, nil
		}),
		"replace": fn("replace", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			i, ok := args[0].(*Instance)
			if !ok || i.class.data == nil {
				return nil, Raise("TypeError", "replace() should be called on dataclass instances")
			}
			given := map[string]bool{}
			for _, kv := range kwargs {
				given[string(kv[0].(starlark.String))] = true
			}
			for _, f := range i.class.data.fields {
				if f.init && !given[f.name] {
					v, _ := i.attrs.get(f.name)
					kwargs = append(kwargs, starlark.Tuple{starlark.String(f.name), v})
				}
			}
			return rt.call(i.class, nil, kwargs)
		}),
		"fields": fn("fields", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			c, _ := args[0].(*Class)
			if i, ok := args[0].(*Instance); ok {
				c = i.class
			}
			if c == nil || c.data == nil {
				return nil, Raise("TypeError", "must be called with a dataclass type or instance")
			}
			var out starlark.Tuple
			for _, f := range c.data.fields {
				if !f.initVar {
					out = append(out, &fieldValue{*f})
				}
			}
			return out, nil
		}),
		"is_dataclass": fn("is_dataclass", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			switch v := args[0].(type) {
			case *Class:
				return starlark.Bool(v.data != nil), nil
			case *Instance:
				return starlark.Bool(v.class.data != nil), nil
			}
			return starlark.False, nil
		}),
	}}
}

func asDictValue(v starlark.Value, depth int) (starlark.Value, error) {
	if depth > maxReprDepth {
		return nil, Raise("RecursionError", "maximum recursion depth exceeded")
	}
	switch v := v.(type) {
	case *Instance:
		if v.class.data == nil {
			return v, nil
		}
		d := new(starlark.Dict)
		for _, f := range v.class.data.fields {
			x, _ := v.attrs.get(f.name)
			if x == nil {
				continue
			}
			y, err := asDictValue(x, depth+1)
			if err != nil {
				return nil, err
			}
			_ = d.SetKey(starlark.String(f.name), y)
		}
		return d, nil
	case *starlark.List:
		out := listElems(v)
		for i := range out {
			x, err := asDictValue(out[i], depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
		return starlark.NewList(out), nil
	case starlark.Tuple:
		out := make(starlark.Tuple, len(v))
		for i := range v {
			x, err := asDictValue(v[i], depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
		return out, nil
	case *starlark.Dict:
		d := new(starlark.Dict)
		for _, kv := range v.Items() {
			x, err := asDictValue(kv[1], depth+1)
			if err != nil {
				return nil, err
			}
			_ = d.SetKey(kv[0], x)
		}
		return d, nil
	}
	return v, nil
}

// makeDataclass adds the methods that the annotations call for.
func (rt *runtime) makeDataclass(c *Class, opts map[string]bool) error {
	data := &dataclass{frozen: opts["frozen"]}
	for i := len(c.mro) - 1; i > 0; i-- {
		if b := c.mro[i]; b.data != nil {
			for _, f := range b.data.fields {
				data.put(f)
			}
		}
	}
	for n, name := range c.fields {
		f := &dataField{name: name, init: true, repr: true, compare: true, owner: c, kwOnly: opts["kw_only"] || c.kwOnly > 0 && n >= c.kwOnly-1}
		if v, ok := c.attrs[name]; ok {
			switch v := v.(type) {
			case *fieldValue:
				k := f.kwOnly
				*f = v.dataField
				f.name, f.kwOnly, f.owner = name, f.kwOnly || k, c
				if f.dflt != nil {
					c.attrs[name] = f.dflt
				} else {
					c.del(name)
				}
			case *starlark.List, *starlark.Dict, *Set:
				e := Raise("ValueError", "mutable default <class '%s'> for field %s is not allowed: use default_factory", typeName(v), name)
				e.Hint = name + " = field(default_factory=" + typeName(v) + ")"
				return e
			default:
				f.dflt = v
			}
		}
		if contains(c.initVars, name) {
			f.initVar, f.repr, f.compare = true, false, false
		}
		data.put(f)
	}
	seen := ""
	for _, f := range data.fields {
		if !f.init || f.kwOnly {
			continue
		}
		if f.dflt == nil && f.factory == nil {
			if seen != "" {
				return Raise("TypeError", "non-default argument '%s' follows default argument", f.name)
			}
		} else {
			seen = f.name
		}
	}
	c.data = data
	if opts["slots"] {
		names := map[string]bool{}
		for _, f := range data.fields {
			names[f.name] = true
		}
		c.slots = names
	}
	data.plain = c.lookup("__setattr__") == nil
	for _, k := range c.mro {
		data.plain = data.plain && !k.setsData
	}
	if opts["init"] && c.attrs["__init__"] == nil {
		c.set("__init__", methodBuiltin(c.name+".__init__", func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, rt.dataInit(c, args[0].(*Instance), args[1:], kwargs)
		}))
	}
	if opts["repr"] && c.attrs["__repr__"] == nil {
		c.set("__repr__", methodBuiltin("__repr__", func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			i := args[0].(*Instance)
			var parts []string
			for _, f := range data.fields {
				if !f.repr {
					continue
				}
				v, _ := i.attrs.get(f.name)
				if v == nil {
					v = c.lookup(f.name)
				}
				s, err := rt.repr(v)
				if err != nil {
					return nil, err
				}
				parts = append(parts, f.name+"="+s)
			}
			return starlark.String(i.class.name + "(" + strings.Join(parts, ", ") + ")"), nil
		}))
	}
	values := func(i *Instance) starlark.Tuple {
		var out starlark.Tuple
		for _, f := range data.fields {
			if f.compare {
				v, _ := i.attrs.get(f.name)
				out = append(out, v)
			}
		}
		return out
	}
	if opts["eq"] && c.attrs["__eq__"] == nil {
		c.set("__eq__", methodBuiltin("__eq__", func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			x, y := args[0].(*Instance), args[1]
			o, ok := y.(*Instance)
			if !ok || o.class != x.class {
				return notImplemented, nil
			}
			eq, err := rt.equal(values(x), values(o))
			return starlark.Bool(eq), err
		}))
		switch {
		case c.attrs["__hash__"] != nil && c.attrs["__hash__"] != starlark.None:
		case opts["frozen"] || opts["unsafe_hash"]:
			c.set("__hash__", methodBuiltin("__hash__", func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				h, _, err := pyHash(values(args[0].(*Instance)))
				return starlark.MakeInt64(int64(h)), err
			}))
		default:
			c.set("__hash__", starlark.None)
		}
	}
	if opts["order"] {
		for op, names := range orderDunder {
			c.set(names[0], methodBuiltin(names[0], func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				x := args[0].(*Instance)
				o, ok := args[1].(*Instance)
				if !ok || o.class != x.class {
					return notImplemented, nil
				}
				less, err := rt.compare(op, values(x), values(o))
				return starlark.Bool(less), err
			}))
		}
	}
	return nil
}

func (d *dataclass) put(f *dataField) {
	for i, o := range d.fields {
		if o.name == f.name {
			d.fields[i] = f
			return
		}
	}
	d.fields = append(d.fields, f)
}

func (rt *runtime) dataInit(c *Class, i *Instance, args starlark.Tuple, kwargs []starlark.Tuple) error {
	data := c.data
	var pos []*dataField
	byName := map[string]*dataField{}
	for _, f := range data.fields {
		if f.init {
			byName[f.name] = f
			if !f.kwOnly {
				pos = append(pos, f)
			}
		}
	}
	if len(args) > len(pos) {
		required := 1
		for _, f := range pos {
			if f.dflt == nil && f.factory == nil {
				required++
			}
		}
		if required == len(pos)+1 {
			return Raise("TypeError", "%s.__init__() takes %d positional argument%s but %d were given", c.name, required, plural(required), len(args)+1)
		}
		return Raise("TypeError", "%s.__init__() takes from %d to %d positional arguments but %d were given", c.name, required, len(pos)+1, len(args)+1)
	}
	values := map[string]starlark.Value{}
	for k, v := range args {
		values[pos[k].name] = v
	}
	for _, kv := range kwargs {
		k := string(kv[0].(starlark.String))
		if byName[k] == nil {
			e := Raise("TypeError", "%s.__init__() got an unexpected keyword argument '%s'", c.name, k)
			var names []string
			for n := range byName {
				names = append(names, n)
			}
			if n := nearest(k, names); n != "" {
				e.Hint = "did you mean '" + n + "'?"
			}
			return e
		}
		if values[k] != nil {
			return Raise("TypeError", "%s.__init__() got multiple values for argument '%s'", c.name, k)
		}
		values[k] = kv[1]
	}
	var missing []string
	var post starlark.Tuple
	for _, f := range data.fields {
		v := values[f.name]
		if v == nil {
			switch {
			case f.factory != nil:
				x, err := rt.call(f.factory, nil, nil)
				if err != nil {
					return err
				}
				v = x
			case f.dflt != nil:
				v = f.dflt
			case f.init:
				missing = append(missing, f.name)
				continue
			default:
				continue
			}
		}
		if f.initVar {
			post = append(post, v)
			continue
		}
		switch {
		case data.plain:
			i.attrs.set(f.name, v)
		case data.frozen:
			if err := i.setField(f.name, v); err != nil {
				return err
			}
		default:
			if err := i.SetField(f.name, v); err != nil {
				return err
			}
		}
	}
	if missing != nil {
		return rt.missingArgs(c.name+".__init__", missing)
	}
	if c.kind == "NamedTuple" {
		t := make(starlark.Tuple, len(data.fields))
		for k, f := range data.fields {
			t[k], _ = i.attrs.get(f.name)
		}
		i.base = t
	}
	if fn := c.lookup("__post_init__"); fn != nil {
		_, err := rt.call(i.bind(fn), post, nil)
		return err
	}
	return nil
}

// namedTupleClass serves class Point(NamedTuple): a dataclass whose instances hold the
// tuple of their fields.
func (rt *runtime) namedTupleClass(c *Class) error {
	if err := rt.makeDataclass(c, map[string]bool{"init": true, "repr": true, "frozen": true}); err != nil {
		return err
	}
	c.native = builtinValue(rt, "tuple").(*TypeObj)
	def := func(name string, f func(i *Instance, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) {
		c.set(name, methodBuiltin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(args[0].(*Instance), args[1:], kwargs)
		}))
	}
	def("_asdict", func(i *Instance, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		d := new(starlark.Dict)
		for k, v := range i.base.(starlark.Tuple) {
			_ = d.SetKey(starlark.String(c.data.fields[k].name), v)
		}
		return d, nil
	})
	def("_replace", func(i *Instance, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		given := map[string]bool{}
		for _, kv := range kwargs {
			given[string(kv[0].(starlark.String))] = true
		}
		for k, v := range i.base.(starlark.Tuple) {
			if n := c.data.fields[k].name; !given[n] {
				kwargs = append(kwargs, starlark.Tuple{starlark.String(n), v})
			}
		}
		return rt.call(i.class, nil, kwargs)
	})
	c.set("_make", &classMethod{wrapper{"classmethod", rt.builtin("_make", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 2 {
			return nil, Raise("TypeError", "_make() takes exactly one argument (%d given)", len(args)-1)
		}
		values, err := rt.list(args[1])
		if err != nil {
			return nil, err
		}
		return rt.call(args[0], values, nil)
	})}})
	var names starlark.Tuple
	defaults := new(starlark.Dict)
	for _, f := range c.data.fields {
		names = append(names, starlark.String(f.name))
		if f.dflt != nil {
			_ = defaults.SetKey(starlark.String(f.name), f.dflt)
		}
	}
	c.set("_fields", names)
	c.set("_field_defaults", defaults)
	return nil
}
