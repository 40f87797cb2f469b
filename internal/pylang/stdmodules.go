package pylang

import (
	"math"
	"time"

	"go.starlark.net/starlark"
)

// builtinModules are the modules that belong to the language itself.
var builtinModules map[string]*Module

func init() {
	fn := func(name string, f helperFunc) starlark.Value {
		return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(rtOf(thread), thread, args, kwargs)
		})
	}
	builtinModules = map[string]*Module{
		"asyncio":     asyncioModule(fn),
		"dataclasses": dataclassesModule(fn),
		"typing":      typingModule(fn),
		"contextlib":  contextlibModule(fn),
		"copy":        copyModule(fn),
		"abc": {Name: "abc", Members: starlark.StringDict{
			"ABC": &TypeObj{name: "ABC"}, "ABCMeta": &TypeObj{name: "ABCMeta"},
			"abstractmethod": fn("abstractmethod", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return &abstractMethod{wrapper{"abstractmethod", args[0]}}, nil
			}),
		}},
		"enum": {Name: "enum", Members: starlark.StringDict{
			"Enum": &TypeObj{name: "Enum"}, "IntEnum": &TypeObj{name: "IntEnum"}, "StrEnum": &TypeObj{name: "StrEnum"},
			"auto": fn("auto", func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				return autoValue, nil
			}),
			"unique": fn("unique", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return args[0], nil
			}),
		}},
	}
}

func asyncioModule(fn func(string, helperFunc) starlark.Value) *Module {
	members := starlark.StringDict{
		"gather": fn("gather", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("gather", nil, kwargs, "*", "return_exceptions?")
			if err != nil {
				return nil, err
			}
			g := &gathered{exceptions: a[0] != nil && bool(a[0].Truth())}
			for _, v := range args {
				switch v.(type) {
				case *starlark.List, *Iter:
					e := Raise("TypeError", "An asyncio.Future, a coroutine or an awaitable is required")
					e.Hint = "write asyncio.gather(*calls)"
					return nil, e
				}
				t, err := rt.spawn(v)
				if err != nil {
					return nil, err
				}
				g.tasks = append(g.tasks, t)
			}
			return g, nil
		}),
		"run": fn("run", func(rt *runtime, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("run", args, kwargs, "main", "*", "debug?")
			if err != nil {
				return nil, err
			}
			return rt.awaitOn(thread, a[0])
		}),
		"sleep": fn("sleep", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("sleep", args, kwargs, "delay", "result?")
			if err != nil {
				return nil, err
			}
			f, err := toFloat(a[0])
			if err != nil {
				return nil, err
			}
			if math.IsNaN(f) {
				return nil, Raise("ValueError", "Invalid delay: NaN (not a number)")
			}
			s := &sleeper{seconds: f, result: starlark.None}
			if a[1] != nil {
				s.result = a[1]
			}
			return s, nil
		}),
		"wait_for": fn("wait_for", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("wait_for", args, kwargs, "aw", "timeout")
			if err != nil {
				return nil, err
			}
			t, err := rt.spawn(a[0])
			if err != nil || a[1] == starlark.None {
				return t, err
			}
			f, err := toFloat(a[1])
			if err != nil {
				return nil, err
			}
			return &timed{task: t, deadline: time.Now().Add(time.Duration(min(f, 1e9) * float64(time.Second)))}, nil
		}),
		"iscoroutine": fn("iscoroutine", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			_, ok := args[0].(*coroutine)
			return starlark.Bool(ok), nil
		}),
		"iscoroutinefunction": fn("iscoroutinefunction", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			f, ok := args[0].(*funcWrap)
			return starlark.Bool(ok && f.async), nil
		}),
		"to_thread": fn("to_thread", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return rt.call(args[0], args[1:], kwargs)
		}),
		"as_completed": fn("as_completed", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("as_completed", args, kwargs, "aws", "*", "timeout?")
			if err != nil {
				return nil, err
			}
			list, err := rt.list(a[0])
			if err != nil {
				return nil, err
			}
			for i, v := range list {
				if list[i], err = rt.spawn(v); err != nil {
					return nil, err
				}
			}
			return starlark.NewList(list), nil
		}),
		"TimeoutError":   exceptionClass("TimeoutError"),
		"CancelledError": exceptionClass("CancelledError"),
		"Task":           &TypeObj{name: "Task"},
		"Semaphore":      fn("Semaphore", newGate),
		"Lock":           fn("Lock", newGate),
	}
	task := fn("create_task", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("create_task", args, kwargs, "coro", "*", "name?", "context?")
		if err != nil {
			return nil, err
		}
		return rt.spawn(a[0])
	})
	members["create_task"], members["ensure_future"] = task, task
	return &Module{Name: "asyncio", Members: members, Doc: "Concurrent calls: gather, create_task, sleep, wait_for, run."}
}

// gate is a semaphore or lock. Tasks hold it over their awaits; the limit is
// kept by letting a task that finds none free give way until one is.
type gate struct {
	rt   *runtime
	free int64
}

func newGate(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("Semaphore", args, kwargs, "value?")
	if err != nil {
		return nil, err
	}
	n, err := intArg(a[0], 1)
	return &gate{rt: rt, free: n}, err
}

func (g *gate) String() string        { return "<Semaphore>" }
func (g *gate) Type() string          { return "Semaphore" }
func (g *gate) Freeze()               {}
func (g *gate) Truth() starlark.Bool  { return true }
func (g *gate) Hash() (uint32, error) { return 12, nil }
func (g *gate) AttrNames() []string   { return []string{"acquire", "locked", "release"} }
func (g *gate) Attr(name string) (starlark.Value, error) {
	method := func(f func(thread *starlark.Thread) (starlark.Value, error)) (starlark.Value, error) {
		return g.rt.builtin(name, func(_ *runtime, thread *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return f(thread)
		}), nil
	}
	switch name {
	case "acquire", "__enter__", "__aenter__":
		return method(func(thread *starlark.Thread) (starlark.Value, error) {
			for g.free <= 0 {
				if cur, ok := thread.Local("pylang.task").(*task); !ok || cur.co == nil {
					return nil, Raise("RuntimeError", "the semaphore would wait for ever")
				}
				if _, err := g.rt.yieldValue(thread, &waitFor{time.Now()}); err != nil {
					return nil, err
				}
			}
			g.free--
			return starlark.None, nil
		})
	case "release", "__exit__", "__aexit__":
		return method(func(*starlark.Thread) (starlark.Value, error) {
			g.free++
			return starlark.None, nil
		})
	case "locked":
		return method(func(*starlark.Thread) (starlark.Value, error) { return starlark.Bool(g.free <= 0), nil })
	}
	return nil, nil
}
