package pylang

import (
	"time"

	"go.starlark.net/starlark"
)

// coroutine is what calling an async function gives: it runs when awaited.
type coroutine struct {
	rt      *runtime
	fn      *starlark.Function
	args    starlark.Tuple
	kwargs  []starlark.Tuple
	started bool
}

func (c *coroutine) String() string        { return "<coroutine object " + plainName(c.fn.Name()) + ">" }
func (c *coroutine) Type() string          { return "coroutine" }
func (c *coroutine) Freeze()               {}
func (c *coroutine) Truth() starlark.Bool  { return true }
func (c *coroutine) Hash() (uint32, error) { return c.fn.Hash() }
func (c *coroutine) AttrNames() []string   { return nil }
func (c *coroutine) Attr(name string) (starlark.Value, error) {
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

// task is work that the scheduler runs beside other work.
type task struct {
	rt      *runtime
	co      *coro          // nil for a host call
	await   starlark.Value // what the task stands for when co is nil
	waiting any            // Awaitable, *task or time.Time
	done    bool
	result  starlark.Value
	err     error
	name    string
}

func (t *task) String() string        { return "<Task>" }
func (t *task) Type() string          { return "Task" }
func (t *task) Freeze()               {}
func (t *task) Truth() starlark.Bool  { return true }
func (t *task) Hash() (uint32, error) { return 5, nil }
func (t *task) AttrNames() []string {
	return []string{"add_done_callback", "cancel", "done", "exception", "result"}
}
func (t *task) Attr(name string) (starlark.Value, error) {
	method := func(fn func() (starlark.Value, error)) (starlark.Value, error) {
		return t.rt.builtin(name, func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return fn()
		}), nil
	}
	switch name {
	case "result":
		return method(func() (starlark.Value, error) {
			if !t.done {
				return nil, Raise("InvalidStateError", "Result is not set.")
			}
			return t.result, t.err
		})
	case "done":
		return method(func() (starlark.Value, error) { return starlark.Bool(t.done), nil })
	case "cancel":
		return method(func() (starlark.Value, error) {
			if t.done {
				return starlark.False, nil
			}
			t.finish(nil, Raise("CancelledError", ""))
			return starlark.True, nil
		})
	case "cancelled":
		return method(func() (starlark.Value, error) {
			return starlark.Bool(t.done && t.rt.isClass(t.err, "CancelledError")), nil
		})
	case "exception":
		return method(func() (starlark.Value, error) {
			if t.err == nil {
				return starlark.None, nil
			}
			exc, fatal := t.rt.toException(t.err)
			if fatal != nil {
				return nil, fatal
			}
			return t.rt.instanceOf(exc), nil
		})
	}
	return nil, nil
}

func (t *task) finish(v starlark.Value, err error) {
	t.done, t.result, t.err, t.waiting = true, v, err, nil
}

// gathered is what asyncio.gather gives: awaiting it waits for all parts.
type gathered struct {
	tasks      []*task
	exceptions bool // return_exceptions
}

func (g *gathered) String() string        { return "<gather>" }
func (g *gathered) Type() string          { return "_GatheringFuture" }
func (g *gathered) Freeze()               {}
func (g *gathered) Truth() starlark.Bool  { return true }
func (g *gathered) Hash() (uint32, error) { return 6, nil }

// sleeper is what asyncio.sleep gives.
type sleeper struct {
	seconds float64
	result  starlark.Value
}

func (s *sleeper) String() string        { return "<sleep>" }
func (s *sleeper) Type() string          { return "coroutine" }
func (s *sleeper) Freeze()               {}
func (s *sleeper) Truth() starlark.Bool  { return true }
func (s *sleeper) Hash() (uint32, error) { return 7, nil }

// timed is what asyncio.wait_for gives.
type timed struct {
	task     *task
	deadline time.Time
}

func (s *timed) String() string        { return "<wait_for>" }
func (s *timed) Type() string          { return "coroutine" }
func (s *timed) Freeze()               {}
func (s *timed) Truth() starlark.Bool  { return true }
func (s *timed) Hash() (uint32, error) { return 8, nil }

// scheduler runs tasks in turn. Host calls have been started when they were
// made, so that waiting for the first one lets the others finish as well.
type scheduler struct {
	rt    *runtime
	tasks []*task
}

// spawn makes a task of a coroutine, or of a pending host call.
func (rt *runtime) spawn(v starlark.Value) (*task, error) {
	switch v := v.(type) {
	case *task:
		return v, nil
	case *coroutine:
		if err := v.start(); err != nil {
			return nil, err
		}
		t := &task{rt: rt, co: rt.newCoro(v.fn, v.args, v.kwargs), name: v.fn.Name()}
		t.co.thread.SetLocal("pylang.task", t)
		rt.sched.tasks = append(rt.sched.tasks, t)
		return t, nil
	}
	t := &task{rt: rt, await: v}
	switch v := v.(type) {
	case Awaitable:
		t.waiting = v
	case *sleeper:
		t.waiting = time.Now().Add(time.Duration(v.seconds * float64(time.Second)))
		t.await = v.result
	case *gathered, *timed:
		fn := rt.builtin("wait", func(rt *runtime, thread *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return rt.awaitOn(thread, v)
		})
		t.co = rt.newCoro(fn, nil, nil)
		t.co.thread.SetLocal("pylang.task", t)
	default:
		t.finish(v, nil)
		return t, nil
	}
	rt.sched.tasks = append(rt.sched.tasks, t)
	return t, nil
}

// step runs every task that can run once and reports whether any did.
func (s *scheduler) step() bool {
	ran := false
	for _, t := range append([]*task(nil), s.tasks...) {
		if t.done {
			continue
		}
		switch w := t.waiting.(type) {
		case time.Time:
			if time.Now().Before(w) {
				continue
			}
			if t.co == nil {
				t.finish(t.await, nil)
				ran = true
				continue
			}
		case *task:
			if !w.done {
				continue
			}
		case Awaitable:
			continue // waited for in block
		}
		if t.co == nil || t.co.running {
			continue
		}
		s.resume(t)
		ran = true
	}
	kept := s.tasks[:0]
	for _, t := range s.tasks {
		if !t.done {
			kept = append(kept, t)
		}
	}
	s.tasks = kept
	return ran
}

func (s *scheduler) resume(t *task) {
	t.waiting = nil
	v, ok := t.co.resume()
	if !ok {
		t.finish(t.co.result, t.co.err)
		return
	}
	if w, isWait := v.(*waitFor); isWait {
		t.waiting = w.what
	}
}

// block waits for one thing when no task can run: the first pending host call,
// else the earliest sleep. It reports false when there is nothing to wait for.
func (s *scheduler) block(until time.Time) (bool, error) {
	var earliest time.Time
	for i, t := range s.tasks {
		switch w := t.waiting.(type) {
		case Awaitable:
			v, err := w.Await(s.rt.cur)
			// To the end of the line: what it starts next waits behind the others.
			s.tasks = append(append(s.tasks[:i:i], s.tasks[i+1:]...), t)
			if t.co == nil {
				t.finish(v, err)
			} else {
				s.resume(t)
			}
			return true, nil
		case time.Time:
			if earliest.IsZero() || w.Before(earliest) {
				earliest = w
			}
		}
	}
	if !until.IsZero() && (earliest.IsZero() || until.Before(earliest)) {
		earliest = until
	}
	if earliest.IsZero() {
		return false, nil
	}
	return true, s.rt.sleep(time.Until(earliest).Seconds())
}

func (rt *runtime) sleep(seconds float64) error {
	if seconds <= 0 {
		return nil
	}
	if rt.cfg.Sleep != nil {
		return rt.cfg.Sleep(rt.cur, seconds)
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for {
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		if err := rt.poll(); err != nil {
			return err
		}
		time.Sleep(min(left, 20*time.Millisecond))
	}
}

// waitFor is what a task yields to the scheduler.
type waitFor struct{ what any }

func (w *waitFor) String() string        { return "<wait>" }
func (w *waitFor) Type() string          { return "wait" }
func (w *waitFor) Freeze()               {}
func (w *waitFor) Truth() starlark.Bool  { return true }
func (w *waitFor) Hash() (uint32, error) { return 9, nil }

// await is Python's await on the current thread; plain values are themselves.
func (rt *runtime) await(v starlark.Value) (starlark.Value, error) { return rt.awaitOn(rt.cur, v) }

func (rt *runtime) awaitOn(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case *coroutine:
		if err := v.start(); err != nil {
			return nil, err
		}
		return starlark.Call(thread, v.fn, v.args, v.kwargs)
	case *task:
		if err := rt.waitTask(thread, v, time.Time{}); err != nil {
			return nil, err
		}
		return v.result, v.err
	case *gathered:
		out := make([]starlark.Value, len(v.tasks))
		for i, t := range v.tasks {
			if err := rt.waitTask(thread, t, time.Time{}); err != nil {
				return nil, err
			}
			switch {
			case t.err == nil:
				out[i] = t.result
			case v.exceptions:
				exc, fatal := rt.toException(t.err)
				if fatal != nil {
					return nil, fatal
				}
				out[i] = rt.instanceOf(exc)
			default:
				return nil, t.err
			}
		}
		return starlark.NewList(out), nil
	case *sleeper:
		t, err := rt.spawn(v)
		if err != nil {
			return nil, err
		}
		return v.result, rt.waitTask(thread, t, time.Time{})
	case *timed:
		err := rt.waitTask(thread, v.task, v.deadline)
		if err != nil {
			return nil, err
		}
		if !v.task.done {
			v.task.finish(nil, Raise("CancelledError", ""))
			return nil, Raise("TimeoutError", "")
		}
		return v.task.result, v.task.err
	case Awaitable:
		if cur, ok := thread.Local("pylang.task").(*task); ok && cur.co != nil {
			if _, err := rt.yieldValue(thread, &waitFor{v}); err != nil {
				return nil, err
			}
		}
		return v.Await(thread)
	case *Instance:
		if fn := v.class.lookup("__await__"); fn != nil {
			it, err := rt.call(v.bind(fn), nil, nil)
			if err != nil {
				return nil, err
			}
			return rt.awaitOn(thread, it)
		}
	}
	return v, nil
}

// waitTask lets other tasks run until t is done or the deadline has passed.
func (rt *runtime) waitTask(thread *starlark.Thread, t *task, deadline time.Time) error {
	if cur, ok := thread.Local("pylang.task").(*task); ok && cur.co != nil {
		for !t.done {
			if !deadline.IsZero() && !time.Now().Before(deadline) {
				return nil
			}
			what := any(t)
			if !deadline.IsZero() {
				what = any(time.Now().Add(time.Millisecond))
			}
			if _, err := rt.yieldValue(thread, &waitFor{what}); err != nil {
				return err
			}
		}
		return nil
	}
	for !t.done {
		if !deadline.IsZero() && !time.Now().Before(deadline) {
			return nil
		}
		if rt.sched.step() {
			continue
		}
		if t.done {
			return nil
		}
		ok, err := rt.sched.block(deadline)
		if err != nil {
			return err
		}
		if !ok {
			return Raise("RuntimeError", "await would wait for ever: no task can go on")
		}
		if err := rt.poll(); err != nil {
			return err
		}
	}
	return nil
}
