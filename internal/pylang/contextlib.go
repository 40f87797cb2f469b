package pylang

import (
	"go.starlark.net/starlark"
)

type moduleFunc = func(name string, f helperFunc) starlark.Value

func contextlibModule(fn moduleFunc) *Module {
	return &Module{Name: "contextlib", Source: contextlibSource, Members: starlark.StringDict{
		"contextmanager": fn("contextmanager", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("contextmanager", args, kwargs, "func")
			if err != nil {
				return nil, err
			}
			if _, ok := a[0].(starlark.Callable); !ok {
				return nil, Raise("TypeError", "'%s' object is not callable", typeName(a[0]))
			}
			return &managerFunc{wrapper{"function", a[0]}, rt}, nil
		}),
		"suppress": fn("suppress", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return &context{rt: rt, exit: func(inst *Instance) (starlark.Value, error) {
				if inst == nil {
					return starlark.None, nil
				}
				ok, err := rt.catches(inst, append(starlark.Tuple(nil), args...))
				return starlark.Bool(ok), err
			}}, nil
		}),
		"redirect_stdout": fn("redirect_stdout", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("redirect_stdout", args, kwargs, "new_target")
			if err != nil {
				return nil, err
			}
			return &context{rt: rt,
				enter: func() (starlark.Value, error) {
					rt.redirected = append(rt.redirected, a[0])
					return a[0], nil
				},
				exit: func(*Instance) (starlark.Value, error) {
					rt.redirected = rt.redirected[:len(rt.redirected)-1]
					return starlark.False, nil
				}}, nil
		}),
		"nullcontext": fn("nullcontext", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("nullcontext", args, kwargs, "enter_result?")
			if err != nil {
				return nil, err
			}
			return &context{rt: rt, enter: func() (starlark.Value, error) {
				if a[0] == nil {
					return starlark.None, nil
				}
				return a[0], nil
			}}, nil
		}),
	}}
}

// managerFunc is a generator function under @contextmanager.
type managerFunc struct {
	wrapper
	rt *runtime
}

// IsMethod makes it a method where it stands in a class.
func (m *managerFunc) IsMethod() bool { return true }

func (m *managerFunc) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := m.rt.call(m.fn, args, kwargs)
	if err != nil {
		return nil, err
	}
	gen, ok := v.(*Iter)
	if !ok || gen.name != "generator" {
		return nil, Raise("TypeError", "'%s' object is not an iterator", typeName(v))
	}
	return &context{rt: m.rt,
		enter: func() (starlark.Value, error) {
			v, ok, err := gen.Next()
			if err == nil && !ok {
				err = Raise("RuntimeError", "generator didn't yield")
			}
			return v, err
		},
		exit: func(inst *Instance) (starlark.Value, error) {
			if inst == nil {
				_, ok, err := gen.Next()
				if err == nil && ok {
					err = Raise("RuntimeError", "generator didn't stop")
				}
				return starlark.False, err
			}
			_, ok, err := m.rt.throw(gen, m.rt.raiseInstance(inst))
			if err == nil {
				if ok {
					return nil, Raise("RuntimeError", "generator didn't stop after throw()")
				}
				return starlark.True, nil // it has caught the exception
			}
			exc, fatal := m.rt.toException(err)
			if fatal != nil {
				return nil, fatal
			}
			if m.rt.instanceOf(exc) == inst {
				return starlark.False, nil
			}
			return nil, err
		}}, nil
}

// context is a context manager made here. A nil function does nothing; exit gets
// the exception, if any, and returns whether it is dealt with.
type context struct {
	rt    *runtime
	enter func() (starlark.Value, error)
	exit  func(inst *Instance) (starlark.Value, error)
}

func (c *context) String() string        { return "<contextlib._GeneratorContextManager object>" }
func (c *context) Type() string          { return "_GeneratorContextManager" }
func (c *context) Freeze()               {}
func (c *context) Truth() starlark.Bool  { return true }
func (c *context) Hash() (uint32, error) { return 13, nil }
func (c *context) AttrNames() []string   { return []string{"__enter__", "__exit__"} }
func (c *context) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__enter__":
		return c.rt.builtin(name, func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			if c.enter == nil {
				return starlark.None, nil
			}
			return c.enter()
		}), nil
	case "__exit__":
		return c.rt.builtin(name, func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if c.exit == nil {
				return starlark.None, nil
			}
			if len(args) < 2 {
				return nil, Raise("TypeError", "__exit__() takes exactly 3 arguments (%d given)", len(args))
			}
			inst, _ := args[1].(*Instance)
			return c.exit(inst)
		}), nil
	}
	return nil, nil
}
