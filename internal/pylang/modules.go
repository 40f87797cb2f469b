package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// moduleValue is an imported module as the program sees it.
type moduleValue struct {
	rt     *runtime
	name   string
	module *Module // nil for a package that only holds modules
}

func (m *moduleValue) String() string        { return "<module '" + m.name + "'>" }
func (m *moduleValue) Type() string          { return "module" }
func (m *moduleValue) Freeze()               {}
func (m *moduleValue) Truth() starlark.Bool  { return true }
func (m *moduleValue) Hash() (uint32, error) { return starlark.String(m.name).Hash() }

func (m *moduleValue) AttrNames() []string {
	if m.module == nil {
		return nil
	}
	return m.module.names()
}

func (m *moduleValue) Attr(name string) (starlark.Value, error) {
	if m.module != nil {
		if v, err := m.rt.member(m.module, name); v != nil || err != nil {
			return v, err
		}
		if m.module.Resolve != nil {
			if v, err := m.module.Resolve(name); v != nil || err != nil {
				return v, err
			}
		}
	}
	if sub := m.rt.cfg.module(m.name + "." + name); sub != nil {
		return &moduleValue{m.rt, m.name + "." + name, sub}, nil
	}
	if m.rt.cfg.isPackage(m.name + "." + name) {
		return &moduleValue{m.rt, m.name + "." + name, nil}, nil
	}
	switch name {
	case "__name__":
		return starlark.String(m.name), nil
	case "__doc__":
		if m.module != nil {
			return starlark.String(m.module.Doc), nil
		}
		return starlark.None, nil
	}
	e := Raise("AttributeError", "module '%s' has no attribute '%s'", m.name, name)
	if n := nearest(name, m.AttrNames()); n != "" {
		e.Hint = "did you mean " + n + "?"
	}
	return nil, e
}

// CallInternal lets a module whose own name is also a function be called, as
// in filter(...) where filter is the API's module too.
func (m *moduleValue) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return nil, Raise("TypeError", "'module' object is not callable")
}

func (m *moduleValue) Name() string { return m.name }

func (rt *runtime) moduleValue(name string) starlark.Value {
	return &moduleValue{rt, name, rt.cfg.module(name)}
}

func (rt *runtime) packageValue(name string) starlark.Value {
	return &moduleValue{rt, name, rt.cfg.module(name)}
}

func (rt *runtime) memberValue(key string) (starlark.Value, error) {
	mod, member, _ := strings.Cut(key, "\x00")
	if m := rt.cfg.module(mod); m != nil {
		if v, err := rt.member(m, member); v != nil || err != nil {
			return v, err
		}
	}
	return starlark.None, nil
}
