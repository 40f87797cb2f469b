package pylang

import (
	"go.starlark.net/starlark"
)

func copyModule(fn moduleFunc) *Module {
	return &Module{Name: "copy", Members: starlark.StringDict{
		"copy": fn("copy", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("copy", args, kwargs, "x")
			if err != nil {
				return nil, err
			}
			c := &copier{rt: rt}
			return c.value(a[0])
		}),
		"deepcopy": fn("deepcopy", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("deepcopy", args, kwargs, "x", "memo?")
			if err != nil {
				return nil, err
			}
			c := &copier{rt: rt, deep: true, made: map[starlark.Value]starlark.Value{}, memo: new(starlark.Dict)}
			return c.value(a[0])
		}),
	}}
}

// copier makes one copy; a deep one knows what it has made already, so that what
// was shared stays shared and cycles end.
type copier struct {
	rt    *runtime
	deep  bool
	made  map[starlark.Value]starlark.Value
	memo  *starlark.Dict // for __deepcopy__
	depth int
}

func (c *copier) value(v starlark.Value) (starlark.Value, error) {
	v, err := c.rt.force(v)
	if err != nil {
		return nil, err
	}
	if t, ok := v.(starlark.Tuple); ok {
		return c.tuple(t)
	}
	switch v.(type) {
	case *starlark.List, *starlark.Dict, *Set, *Instance, Dicter, *Iter:
	default:
		if p, ok := v.(interface{ PyTuple() starlark.Tuple }); ok {
			return c.named(v, p.PyTuple())
		}
		return c.other(v)
	}
	if x := c.made[v]; x != nil {
		return x, nil
	}
	if c.depth++; c.depth > 200 {
		return nil, Raise("RecursionError", "maximum recursion depth exceeded")
	}
	defer func() { c.depth-- }()
	switch v := v.(type) {
	case *starlark.List:
		if err := c.rt.alloc(int64(v.Len()), 16); err != nil {
			return nil, err
		}
		l := starlark.NewList(make([]starlark.Value, 0, v.Len()))
		c.note(v, l)
		for i := 0; i < v.Len(); i++ {
			x, err := c.inner(v.Index(i))
			if err != nil {
				return nil, err
			}
			if err := l.Append(x); err != nil {
				return nil, err
			}
		}
		return l, nil
	case *starlark.Dict:
		d := starlark.NewDict(v.Len())
		c.note(v, d)
		return d, c.items(v, d)
	case Dicter:
		return c.dicter(v)
	case *Set:
		s := &Set{frozen: v.frozen}
		for _, x := range v.elems() {
			x, err := c.inner(x)
			if err != nil {
				return nil, err
			}
			if err := s.add(x); err != nil {
				return nil, err
			}
		}
		c.note(v, s)
		return s, nil
	case *Instance:
		return c.instance(v)
	}
	return nil, Raise("TypeError", "cannot pickle '%s' object", typeName(v))
}

func (c *copier) note(old, made starlark.Value) {
	if c.deep {
		c.made[old] = made
	}
}

// inner is an element: itself in a shallow copy.
func (c *copier) inner(v starlark.Value) (starlark.Value, error) {
	if !c.deep {
		return v, nil
	}
	return c.value(v)
}

func (c *copier) items(from, to *starlark.Dict) error {
	for _, kv := range from.Items() {
		k, err := c.inner(kv[0])
		if err != nil {
			return err
		}
		x, err := c.inner(kv[1])
		if err != nil {
			return err
		}
		if err := dictSet(to, k, x); err != nil {
			return err
		}
	}
	return nil
}

// tuple stays what it is when no element has to be copied.
func (c *copier) tuple(t starlark.Tuple) (starlark.Value, error) {
	if !c.deep {
		return t, nil
	}
	out, changed, err := c.elems(t)
	if err != nil || !changed {
		return t, err
	}
	return out, nil
}

func (c *copier) elems(t starlark.Tuple) (starlark.Tuple, bool, error) {
	out, changed := make(starlark.Tuple, len(t)), false
	for i, x := range t {
		y, err := c.value(x)
		if err != nil {
			return nil, false, err
		}
		out[i] = y
		changed = changed || c.mutable(x)
	}
	return out, changed, nil
}

// mutable says that a copy of v is another value.
func (c *copier) mutable(v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.Tuple:
		for _, x := range v {
			if c.mutable(x) {
				return true
			}
		}
		return false
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType, starlark.Bytes, *starlark.Function, *starlark.Builtin, *Class, *TypeObj:
		return false
	}
	return true
}

// named is a named tuple.
func (c *copier) named(v starlark.Value, t starlark.Tuple) (starlark.Value, error) {
	if !c.deep {
		return v, nil
	}
	out, changed, err := c.elems(t)
	if err != nil || !changed {
		return v, err
	}
	return c.rt.call(c.rt.typeOf(v), out, nil)
}

// dicter is a kind of dict of a module, which has a method copy.
func (c *copier) dicter(v Dicter) (starlark.Value, error) {
	made, err := c.byMethod(v, "copy")
	if err != nil || !c.deep {
		return made, err
	}
	c.note(v, made)
	d, ok := made.(Dicter)
	if !ok {
		return nil, Raise("TypeError", "cannot copy '%s' object", typeName(v))
	}
	if err := d.Dict().Clear(); err != nil {
		return nil, err
	}
	return made, c.items(v.Dict(), d.Dict())
}

func (c *copier) byMethod(v starlark.Value, name string, args ...starlark.Value) (starlark.Value, error) {
	fn, err := c.rt.getattr(v, name)
	if err != nil {
		return nil, err
	}
	return c.rt.call(fn, args, nil)
}

func (c *copier) instance(v *Instance) (starlark.Value, error) {
	if v.class.enum {
		return v, nil
	}
	hook, args := "__copy__", starlark.Tuple(nil)
	if c.deep {
		hook, args = "__deepcopy__", starlark.Tuple{c.memo}
	}
	if fn := v.class.lookup(hook); fn != nil {
		made, err := c.rt.call(v.bind(fn), args, nil)
		if err == nil {
			c.note(v, made)
		}
		return made, err
	}
	made := &Instance{class: v.class, exc: v.exc, cause: v.cause, args: v.args}
	c.note(v, made)
	for _, name := range v.attrs.list() {
		x, _ := v.attrs.get(name)
		x, err := c.inner(x)
		if err != nil {
			return nil, err
		}
		made.attrs.set(name, x)
	}
	return made, nil
}

// other is a value of a module. Those that can be changed have a method copy.
func (c *copier) other(v starlark.Value) (starlark.Value, error) {
	if !c.mutable(v) {
		return v, nil
	}
	fn, err := c.rt.getattr(v, "copy")
	if err != nil || fn == nil {
		if typeName(v) == "Random" {
			return nil, Raise("TypeError", "cannot copy '%s' object", typeName(v))
		}
		return v, nil // such as dates: they never change
	}
	made, err := c.rt.call(fn, nil, nil)
	if err != nil || !c.deep || typeName(v) != "deque" {
		return made, err
	}
	elems, err := c.rt.list(v)
	if err != nil {
		return nil, err
	}
	for i, x := range elems {
		if x, err = c.value(x); err != nil {
			return nil, err
		}
		if err := c.rt.setitem(made, starlark.MakeInt(i), x); err != nil {
			return nil, err
		}
	}
	return made, nil
}
