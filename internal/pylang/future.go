package pylang

import (
	"fmt"

	"go.starlark.net/starlark"
)

// future is asyncio's Future: a result that is not there yet. With a coroutine
// it is a Task, with a call a request to the host under way.
type future struct {
	rt         *runtime
	co         *coro     // of a task
	call       Awaitable // of a host call
	children   []*future // of gather, which cancels them with itself
	done       bool
	cancelled  bool
	result     starlark.Value
	err        error
	callbacks  []callback
	waiter     *future // what a task waits for
	cancelling bool    // cancel() is running
	mustEnd    bool    // cancel() was asked for before the task could be told
	name       string
}

// callback is called with the loop when a future is done; value is the
// program's function, nil for our own.
type callback struct {
	value starlark.Value
	f     func()
}

func (t *future) Freeze()               {}
func (t *future) Truth() starlark.Bool  { return true }
func (t *future) Hash() (uint32, error) { return addressHash(t), nil }
func (t *future) Type() string {
	switch {
	case t.co != nil:
		return "Task"
	case t.children != nil:
		return "_GatheringFuture"
	}
	return "Future"
}

func (t *future) String() string {
	state := "pending"
	switch {
	case t.cancelled:
		state = "cancelled"
	case t.done && t.err != nil:
		state = "finished exception=" + t.err.Error()
	case t.done:
		state = "finished result=" + reprPlain(t.result)
	}
	if t.co != nil {
		return fmt.Sprintf("<Task %s name='%s'>", state, t.name)
	}
	return "<" + t.Type() + " " + state + ">"
}

func (rt *runtime) newFuture() *future { return &future{rt: rt} }

// newTask makes a task of a function; it takes its first step with the loop.
func (rt *runtime) newTask(fn starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) *future {
	l := rt.events
	l.tasks++
	t := &future{rt: rt, co: rt.newCoro(fn, args, kwargs), name: fmt.Sprintf("Task-%d", l.tasks)}
	t.co.async = true
	l.all = append(l.all, t)
	l.soon(func() { t.step(nil) })
	return t
}

// step continues a task until it waits again.
func (t *future) step(thrown error) {
	if t.done {
		return
	}
	if t.mustEnd {
		t.mustEnd = false
		if thrown == nil {
			thrown = Raise("CancelledError", "")
		}
	}
	t.waiter = nil
	if thrown != nil {
		if !t.co.begun {
			t.finish(nil, thrown)
			return
		}
		t.co.thrown = thrown
	}
	l := t.rt.events
	previous := l.current
	l.current = t
	v, ok := t.co.resume()
	l.current = previous
	if !ok {
		t.finish(t.co.result, t.co.err)
		return
	}
	w, isWait := v.(*waitFor)
	if !isWait || w.what == nil {
		l.soon(func() { t.step(nil) })
		return
	}
	if w.what == t {
		err := Raise("RuntimeError", "Task cannot await on itself: %s", t)
		l.soon(func() { t.step(err) })
		return
	}
	t.waiter = w.what
	w.what.then(callback{f: func() { t.step(nil) }})
	if t.mustEnd && t.waiter.cancel() {
		t.mustEnd = false
	}
}

// finish ends a future; its callbacks come next.
func (t *future) finish(v starlark.Value, err error) {
	if t.done {
		return
	}
	t.done, t.waiter = true, nil
	if err != nil {
		exc, fatal := t.rt.toException(err)
		if fatal != nil {
			t.rt.events.fatal = fatal
		} else {
			t.cancelled = t.rt.instanceOf(exc).class.subclassOf(exceptionClass("CancelledError"))
		}
		v = starlark.None
	}
	if v == nil {
		v = starlark.None
	}
	t.result, t.err = v, err
	l := t.rt.events
	for _, c := range t.callbacks {
		l.soon(c.f)
	}
	t.callbacks = nil
	if t.co != nil {
		for i, o := range l.all {
			if o == t {
				l.all = append(l.all[:i:i], l.all[i+1:]...)
				break
			}
		}
	}
}

// then asks for a callback when the future is done.
func (t *future) then(c callback) {
	if t.done {
		t.rt.events.soon(c.f)
		return
	}
	t.callbacks = append(t.callbacks, c)
}

// cancel asks a task to end with CancelledError at its next step, and what it
// waits for before that.
func (t *future) cancel() bool {
	if t.cancelling { // tasks that wait for each other in a circle
		return true
	}
	t.cancelling = true
	defer func() { t.cancelling = false }()
	switch {
	case t.done:
		return false
	case t.children != nil:
		any := false
		for _, c := range t.children {
			any = c.cancel() || any
		}
		return any
	case t.co == nil:
		t.finish(nil, Raise("CancelledError", ""))
		return true
	case t.waiter != nil && t.waiter.cancel():
		return true
	}
	t.mustEnd = true
	return true
}

func (t *future) AttrNames() []string {
	names := []string{"add_done_callback", "cancel", "cancelled", "done", "exception", "remove_done_callback", "result"}
	if t.co != nil {
		return append(names, "get_name", "set_name")
	}
	return append(names, "set_exception", "set_result")
}

func (t *future) Attr(name string) (starlark.Value, error) {
	method := func(fn func(a []starlark.Value) (starlark.Value, error), params ...string) (starlark.Value, error) {
		return t.rt.builtin(name, func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind(name, args, kwargs, params...)
			if err != nil {
				return nil, err
			}
			return fn(a)
		}), nil
	}
	value := func(v starlark.Value) (starlark.Value, error) {
		return method(func([]starlark.Value) (starlark.Value, error) { return v, nil })
	}
	switch name {
	case "result":
		return method(func([]starlark.Value) (starlark.Value, error) {
			if !t.done {
				return nil, Raise("InvalidStateError", "Result is not set.")
			}
			return t.result, t.err
		})
	case "exception":
		return method(func([]starlark.Value) (starlark.Value, error) {
			switch {
			case !t.done:
				return nil, Raise("InvalidStateError", "Exception is not set.")
			case t.cancelled:
				return nil, t.err
			case t.err == nil:
				return starlark.None, nil
			}
			return t.rt.errorValue(t.err)
		})
	case "done":
		return value(starlark.Bool(t.done))
	case "cancelled":
		return value(starlark.Bool(t.cancelled))
	case "cancel":
		return method(func([]starlark.Value) (starlark.Value, error) { return starlark.Bool(t.cancel()), nil }, "msg?")
	case "add_done_callback":
		return method(func(a []starlark.Value) (starlark.Value, error) {
			t.then(callback{a[0], func() { t.rt.report(t.rt.call(a[0], starlark.Tuple{t}, nil)) }})
			return starlark.None, nil
		}, "fn", "*", "context?")
	case "remove_done_callback":
		return method(func(a []starlark.Value) (starlark.Value, error) {
			kept := t.callbacks[:0]
			for _, c := range t.callbacks {
				if c.value == nil || !identical(c.value, a[0]) {
					kept = append(kept, c)
				}
			}
			n := len(t.callbacks) - len(kept)
			t.callbacks = kept
			return starlark.MakeInt(n), nil
		}, "fn")
	}
	if t.co != nil {
		switch name {
		case "get_name":
			return value(starlark.String(t.name))
		case "set_name":
			return method(func(a []starlark.Value) (starlark.Value, error) {
				s, err := t.rt.str(a[0])
				t.name = s
				return starlark.None, err
			}, "value")
		}
		return nil, nil
	}
	ended := func() error {
		if t.done {
			return Raise("InvalidStateError", "invalid state")
		}
		return nil
	}
	switch name {
	case "set_result":
		return method(func(a []starlark.Value) (starlark.Value, error) {
			if err := ended(); err != nil {
				return nil, err
			}
			t.finish(a[0], nil)
			return starlark.None, nil
		}, "result")
	case "set_exception":
		return method(func(a []starlark.Value) (starlark.Value, error) {
			if err := ended(); err != nil {
				return nil, err
			}
			inst, err := t.rt.asException(a[0])
			if err != nil {
				return nil, err
			}
			t.finish(nil, t.rt.raiseInstance(inst))
			return starlark.None, nil
		}, "exception")
	}
	return nil, nil
}

// errorValue is an error as the program sees it.
func (rt *runtime) errorValue(err error) (starlark.Value, error) {
	exc, fatal := rt.toException(err)
	if fatal != nil {
		return nil, fatal
	}
	return rt.instanceOf(exc), nil
}

// report drops the error of a callback, as asyncio only logs it; a limit that it
// has met ends the run.
func (rt *runtime) report(_ starlark.Value, err error) {
	if err == nil {
		return
	}
	if _, fatal := rt.toException(err); fatal != nil {
		rt.events.fatal = fatal
	}
}
