package pylang

import (
	"math"
	"time"

	"go.starlark.net/starlark"
)

// coroutine is what calling an async function gives: it runs when awaited.
type coroutine struct {
	rt      *runtime
	fn      starlark.Callable
	args    starlark.Tuple
	kwargs  []starlark.Tuple
	started bool
}

func (c *coroutine) String() string        { return "<coroutine object " + plainName(c.fn.Name()) + ">" }
func (c *coroutine) Type() string          { return "coroutine" }
func (c *coroutine) Freeze()               {}
func (c *coroutine) Truth() starlark.Bool  { return true }
func (c *coroutine) Hash() (uint32, error) { return addressHash(c), nil }
func (c *coroutine) AttrNames() []string   { return []string{"close"} }
func (c *coroutine) Attr(name string) (starlark.Value, error) {
	switch name {
	case "close":
		return c.rt.builtin(name, func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			c.started = true
			return starlark.None, nil
		}), nil
	case "__await__":
		return c.rt.builtin(name, func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return c, nil
		}), nil
	}
	e := Raise("AttributeError", "'coroutine' object has no attribute '%s'", name)
	e.Hint = "put await before the call of " + plainName(c.fn.Name()) + "()"
	return nil, e
}

func (c *coroutine) start() error {
	if c.started {
		return Raise("RuntimeError", "cannot reuse already awaited coroutine")
	}
	c.started = true
	return nil
}

// waitFor is what a coroutine yields to the loop: the future it waits for, or
// nil to let others have a turn.
type waitFor struct{ what *future }

func (w *waitFor) String() string        { return "<wait>" }
func (w *waitFor) Type() string          { return "wait" }
func (w *waitFor) Freeze()               {}
func (w *waitFor) Truth() starlark.Bool  { return true }
func (w *waitFor) Hash() (uint32, error) { return 9, nil }

// spawn gives the future of anything that can be awaited: of a coroutine, a new
// task.
func (rt *runtime) spawn(v starlark.Value) (*future, error) {
	switch v := v.(type) {
	case *future:
		return v, nil
	case *coroutine:
		if err := v.start(); err != nil {
			return nil, err
		}
		return rt.newTask(v.fn, v.args, v.kwargs), nil
	case Awaitable:
		return rt.callFuture(v), nil
	case *Instance:
		if v.class.lookup("__await__") == nil {
			break
		}
		return rt.newTask(rt.builtin("wait", func(rt *runtime, thread *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return rt.awaitOn(thread, v)
		}), nil, nil), nil
	}
	// A value of a call that needed no waiting.
	f := rt.newFuture()
	f.finish(v, nil)
	return f, nil
}

// callFuture is the future of a host call under way.
func (rt *runtime) callFuture(v Awaitable) *future {
	f := &future{rt: rt, call: v}
	rt.events.calls = append(rt.events.calls, f)
	return f
}

// await is Python's await on the current thread; plain values are themselves.
func (rt *runtime) await(v starlark.Value) (starlark.Value, error) { return rt.awaitOn(rt.cur, v) }

func (rt *runtime) awaitOn(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case *coroutine:
		if inCoroutine(thread) {
			if err := v.start(); err != nil {
				return nil, err
			}
			return starlark.Call(thread, v.fn, v.args, v.kwargs)
		}
		t, err := rt.spawn(v)
		if err != nil {
			return nil, err
		}
		return rt.awaitOn(thread, t)
	case *future:
		if err := rt.wait(thread, v); err != nil {
			return nil, err
		}
		return v.result, v.err
	case Awaitable:
		if inCoroutine(thread) {
			return rt.awaitOn(thread, rt.callFuture(v))
		}
		return v.Await(thread)
	case *Instance:
		if fn := v.class.lookup("__await__"); fn != nil {
			it, err := rt.call(v.bind(fn), nil, nil)
			if err != nil {
				return nil, err
			}
			if steps, ok := it.(*Iter); ok {
				return rt.awaitSteps(thread, steps)
			}
			return rt.awaitOn(thread, it)
		}
	}
	return v, nil
}

// awaitSteps runs an iterator that __await__ gave to its end.
func (rt *runtime) awaitSteps(thread *starlark.Thread, it *Iter) (starlark.Value, error) {
	for {
		x, ok, err := it.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			if it.coro != nil && it.coro.result != nil {
				return it.coro.result, nil
			}
			return starlark.None, nil
		}
		if f, isFuture := x.(*future); isFuture {
			err = rt.wait(thread, f)
		} else {
			err = rt.pass(thread)
		}
		if err != nil {
			return nil, err
		}
	}
}

// inCoroutine says whether a thread can give way to the loop.
func inCoroutine(thread *starlark.Thread) bool {
	co, _ := thread.Local("pylang.coro").(*coro)
	return co != nil && co.async
}

// wait lets other tasks run until f is done.
func (rt *runtime) wait(thread *starlark.Thread, f *future) error {
	if f.done {
		return nil
	}
	if inCoroutine(thread) {
		_, err := rt.yieldValue(thread, &waitFor{f})
		return err
	}
	return rt.events.until(f)
}

// pass lets each other task have a turn.
func (rt *runtime) pass(thread *starlark.Thread) error {
	if inCoroutine(thread) {
		_, err := rt.yieldValue(thread, &waitFor{})
		return err
	}
	return rt.events.turn()
}

// gather is asyncio.gather: its result is the list of all results, or the first
// exception.
func (rt *runtime) gather(values []starlark.Value, exceptions bool) (*future, error) {
	g := rt.newFuture()
	for _, v := range values {
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
		g.children = append(g.children, t)
	}
	if len(g.children) == 0 {
		g.finish(starlark.NewList(nil), nil)
		return g, nil
	}
	left := len(g.children)
	for _, c := range g.children {
		c.then(callback{f: func() {
			if left--; g.done {
				return
			}
			if c.err != nil && !exceptions {
				g.finish(nil, c.err)
			} else if left == 0 {
				g.finish(rt.outcomes(g.children))
			}
		}})
	}
	return g, nil
}

// outcomes lists the results of futures, with their exceptions as values.
func (rt *runtime) outcomes(all []*future) (starlark.Value, error) {
	out := make([]starlark.Value, len(all))
	for i, c := range all {
		out[i] = c.result
		if c.err != nil {
			exc, err := rt.errorValue(c.err)
			if err != nil {
				return nil, err
			}
			out[i] = exc
		}
	}
	return starlark.NewList(out), nil
}

// sleeping is the body of asyncio.sleep.
func (rt *runtime) sleeping(thread *starlark.Thread, seconds float64, result starlark.Value) (starlark.Value, error) {
	if seconds <= 0 {
		return result, rt.pass(thread)
	}
	f := rt.newFuture()
	rt.events.later(seconds, func() { f.finish(result, nil) })
	return rt.awaitOn(thread, f)
}

var processStart = time.Now()

// asyncioModule has what needs the loop; the rest is written in Python, in
// lib/asyncio.py.
func asyncioModule(fn moduleFunc) *Module {
	def := func(name string, f func(rt *runtime, thread *starlark.Thread, a []starlark.Value) (starlark.Value, error), params ...string) starlark.Value {
		return fn(name, func(rt *runtime, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind(name, args, kwargs, params...)
			if err != nil {
				return nil, err
			}
			return f(rt, thread, a)
		})
	}
	members := starlark.StringDict{
		"gather": fn("gather", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("gather", nil, kwargs, "*", "return_exceptions?")
			if err != nil {
				return nil, err
			}
			return rt.gather(args, a[0] != nil && bool(a[0].Truth()))
		}),
		"run": def("run", func(rt *runtime, thread *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			if inCoroutine(thread) {
				return rt.awaitOn(thread, a[0])
			}
			v, err := rt.awaitOn(thread, a[0])
			if ended := rt.events.finishAll(); ended != nil {
				return nil, ended
			}
			return v, err
		}, "main", "*", "debug?"),
		"sleep": def("sleep", func(rt *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			seconds, err := toFloat(a[0])
			if err != nil {
				return nil, err
			}
			if math.IsNaN(seconds) {
				return nil, Raise("ValueError", "Invalid delay: NaN (not a number)")
			}
			result := starlark.Value(starlark.None)
			if a[1] != nil {
				result = a[1]
			}
			return &coroutine{rt: rt, fn: rt.builtin("sleep", func(rt *runtime, thread *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return rt.sleeping(thread, seconds, result)
			})}, nil
		}, "delay", "result?"),
		"iscoroutine": def("iscoroutine", func(_ *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			_, ok := a[0].(*coroutine)
			return starlark.Bool(ok), nil
		}, "obj"),
		"iscoroutinefunction": def("iscoroutinefunction", func(_ *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			if b, ok := a[0].(*boundMethod); ok {
				a[0] = b.fn
			}
			f, ok := a[0].(*funcWrap)
			return starlark.Bool(ok && f.async), nil
		}, "func"),
		"current_task": def("current_task", func(rt *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			if rt.events.current == nil {
				return starlark.None, nil
			}
			return rt.events.current, nil
		}, "loop?"),
		"all_tasks": def("all_tasks", func(rt *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			var all []starlark.Value
			for _, t := range rt.events.all {
				all = append(all, t)
			}
			return NewSet(all)
		}, "loop?"),
		"_call_later": def("_call_later", func(rt *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
			seconds, err := toFloat(a[0])
			if err != nil {
				return nil, err
			}
			rt.events.later(seconds, func() { rt.report(rt.call(a[1], nil, nil)) })
			return starlark.None, nil
		}, "delay", "callback"),
		"_monotonic": def("_monotonic", func(*runtime, *starlark.Thread, []starlark.Value) (starlark.Value, error) {
			return starlark.Float(time.Since(processStart).Seconds()), nil
		}),
		"TimeoutError":      exceptionClass("TimeoutError"),
		"CancelledError":    exceptionClass("CancelledError"),
		"InvalidStateError": exceptionClass("InvalidStateError"),
		"Task":              &TypeObj{name: "Task"},
		"Future": &TypeObj{name: "Future", make: func(rt *runtime, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return rt.newFuture(), nil
		}},
	}
	members["create_task"] = def("create_task", func(rt *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
		t, err := rt.spawn(a[0])
		if err == nil && a[1] != nil && a[1] != starlark.None {
			t.name, err = rt.str(a[1])
		}
		return t, err
	}, "coro", "*", "name?", "context?")
	members["ensure_future"] = def("ensure_future", func(rt *runtime, _ *starlark.Thread, a []starlark.Value) (starlark.Value, error) {
		return rt.spawn(a[0])
	}, "coro_or_future", "*", "loop?")
	return &Module{Name: "asyncio", Members: members, Source: asyncioSource, Doc: "Concurrent calls: gather, create_task, TaskGroup, sleep, wait_for, wait, as_completed, timeout, Semaphore, Lock, Event, Queue, run."}
}
