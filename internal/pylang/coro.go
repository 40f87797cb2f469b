package pylang

import (
	"errors"
	"iter"

	"go.starlark.net/starlark"
)

// coro runs a function on a Starlark thread of its own, taking turns with its
// caller: the base of generators and of coroutines. Only one side runs at a
// time.
type coro struct {
	rt      *runtime
	thread  *starlark.Thread
	next    func() (starlark.Value, bool)
	stop    func()
	yield   func(starlark.Value) bool
	result  starlark.Value
	err     error
	done    bool
	running bool
	begun   bool           // has been resumed once
	async   bool           // of a task or an async generator: it yields what it waits for, too
	sent    starlark.Value // what the yield that it waits at gives, nil is None
	thrown  error          // or raises
}

// quantum is how many steps a coroutine's thread takes before the main thread's
// limit and cancellation are looked at.
const quantum = 5000

var errClosed = errors.New("generator closed")

func (rt *runtime) newCoro(fn starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) *coro {
	co := &coro{rt: rt, thread: &starlark.Thread{Name: "coroutine", Print: rt.main.Print, Load: rt.main.Load}}
	co.thread.SetLocal(localKey, rt)
	co.thread.SetLocal("pylang.coro", co)
	co.thread.SetMaxExecutionSteps(quantum)
	co.thread.OnMaxSteps = func(t *starlark.Thread) {
		rt.main.Steps += quantum
		if err := rt.poll(); err != nil {
			t.Cancel(err.Error())
			return
		}
		t.SetMaxExecutionSteps(t.ExecutionSteps() + quantum)
	}
	body := func(yield func(starlark.Value) bool) {
		co.yield = yield
		co.result, co.err = starlark.Call(co.thread, fn, args, kwargs)
	}
	co.next, co.stop = iter.Pull(iter.Seq[starlark.Value](body))
	rt.coros = append(rt.coros, co)
	return co
}

// resume runs until the next yield; false means the function has ended, with
// co.result or co.err.
func (co *coro) resume() (starlark.Value, bool) {
	if co.done {
		return nil, false
	}
	rt := co.rt
	if co.running {
		co.err = Raise("ValueError", "generator already executing")
		return nil, false
	}
	prev, depth := rt.cur, rt.depth
	if d := depth + prev.CallStackDepth(); d > rt.limit {
		co.done = true
		co.err = rt.overflow("")
		return nil, false
	}
	rt.depth = depth + prev.CallStackDepth()
	rt.cur = co.thread
	co.running, co.begun = true, true
	v, ok := co.next()
	co.running = false
	rt.cur, rt.depth = prev, depth
	if !ok {
		co.done = true
		co.stop()
	}
	return v, ok
}

// close ends what still waits, when the program is over.
func (rt *runtime) close() {
	rt.done = true
	for _, co := range rt.coros {
		if !co.done {
			co.done = true
			co.thread.Cancel("closed")
			co.stop()
		}
	}
	rt.coros = nil
}

// generator starts a generator function: the body runs when values are asked for.
func (rt *runtime) generator(f *funcWrap, args starlark.Tuple, kwargs []starlark.Tuple) (*Iter, error) {
	var co *coro
	it := &Iter{name: "generator"}
	if f.agen {
		it.name = asyncGenerator
	}
	it.next = func() (starlark.Value, bool, error) {
		if co == nil {
			co = rt.newCoro(f.fn, args, kwargs)
			co.async = f.agen
			it.coro = co
		}
		return rt.step(co)
	}
	return it, nil
}

const asyncGenerator = "async_generator"

// step runs a generator to its next yield.
func (rt *runtime) step(co *coro) (starlark.Value, bool, error) {
	v, ok := co.resume()
	for ok {
		w, isWait := v.(*waitFor)
		if !isWait {
			return v, true, nil
		}
		// An async generator waits: whoever asked for its value waits with it.
		if w.what == nil {
			co.thrown = rt.pass(rt.cur)
		} else {
			co.thrown = rt.wait(rt.cur, w.what)
		}
		v, ok = co.resume()
	}
	if err := co.err; err != nil {
		if rt.isClass(err, "StopIteration") {
			err = Raise("RuntimeError", "generator raised StopIteration")
		}
		return nil, false, err
	}
	return nil, false, nil
}

// send continues a generator with v as the value of its yield.
func (rt *runtime) send(it *Iter, v starlark.Value) (starlark.Value, bool, error) {
	if v == starlark.None || it.done {
		return it.Next()
	}
	if it.coro == nil {
		return nil, false, Raise("TypeError", "can't send non-None value to a just-started generator")
	}
	it.coro.sent = v
	return it.Next()
}

// throw continues a generator with an exception raised at its yield.
func (rt *runtime) throw(it *Iter, err error) (starlark.Value, bool, error) {
	if it.coro == nil || it.done {
		it.done = true
		return nil, false, err
	}
	it.coro.thrown = err
	return it.Next()
}

// closeIter ends a generator; what it has to do finally is done.
func (rt *runtime) closeIter(it *Iter) error {
	if it.coro == nil || it.done {
		it.done = true
		return nil
	}
	_, ok, err := rt.throw(it, Raise("GeneratorExit", ""))
	it.done = true
	if ok {
		return Raise("RuntimeError", "generator ignored GeneratorExit")
	}
	if rt.isClass(err, "GeneratorExit") {
		return nil
	}
	return err
}

func (rt *runtime) yieldValue(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	co, _ := thread.Local("pylang.coro").(*coro)
	if co == nil {
		return nil, Raise("RuntimeError", "yield outside of a running generator")
	}
	if !co.yield(v) {
		return nil, errClosed
	}
	if err := co.thrown; err != nil {
		co.thrown, co.sent = nil, nil
		return nil, err
	}
	if sent := co.sent; sent != nil {
		co.sent = nil
		return sent, nil
	}
	return starlark.None, nil
}

func (rt *runtime) yieldFrom(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	next, err := rt.iterate(v)
	if err != nil {
		return nil, err
	}
	inner, _ := v.(*Iter)
	x, ok, err := next()
	for {
		if err != nil {
			return nil, err
		}
		if !ok {
			if inner != nil && inner.coro != nil && inner.coro.result != nil {
				return inner.coro.result, nil
			}
			return starlark.None, nil
		}
		sent, raised := rt.yieldValue(thread, x)
		switch {
		case raised != nil && (inner == nil || inner.coro == nil || errors.Is(raised, errClosed)):
			return nil, raised
		case raised != nil:
			x, ok, err = rt.throw(inner, raised)
		case sent != starlark.None && inner != nil:
			x, ok, err = rt.send(inner, sent)
		default:
			x, ok, err = next()
		}
	}
}

// funcWrap is a generator function or an async function.
type funcWrap struct {
	rt    *runtime
	fn    *starlark.Function
	async bool
	agen  bool // of an async generator
}

func (f *funcWrap) Name() string          { return f.fn.Name() }
func (f *funcWrap) String() string        { return f.fn.String() }
func (f *funcWrap) Type() string          { return "function" }
func (f *funcWrap) Freeze()               {}
func (f *funcWrap) Truth() starlark.Bool  { return true }
func (f *funcWrap) Hash() (uint32, error) { return f.fn.Hash() }

func (f *funcWrap) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := f.rt.checkArity(f.fn, args, kwargs); err != nil {
		return nil, err
	}
	args = append(starlark.Tuple(nil), args...)
	if f.async {
		return &coroutine{rt: f.rt, fn: f.fn, args: args, kwargs: kwargs}, nil
	}
	return f.rt.generator(f, args, kwargs)
}

// checkArity reports at once what a call by position alone would get wrong.
func (rt *runtime) checkArity(fn *starlark.Function, args starlark.Tuple, kwargs []starlark.Tuple) error {
	n := fn.NumParams()
	if fn.HasKwargs() {
		n--
	}
	if fn.HasVarargs() {
		n--
	}
	pos := n - fn.NumKwonlyParams()
	if len(args) > pos && !fn.HasVarargs() {
		return callError(fn, pos, len(args))
	}
	given := map[string]bool{}
	for i := 0; i < n; i++ {
		name, _ := fn.Param(i)
		if i < len(args) && i < pos {
			given[name] = true
		}
	}
	for _, kv := range kwargs {
		k, _ := starlark.AsString(kv[0])
		known := false
		for i := 0; i < n; i++ {
			if name, _ := fn.Param(i); name == k {
				known = true
			}
		}
		if !known && !fn.HasKwargs() {
			return rt.unexpectedKeyword(plainName(fn.Name()), k)
		}
		if given[k] {
			return Raise("TypeError", "%s() got multiple values for argument '%s'", plainName(fn.Name()), k)
		}
		given[k] = true
	}
	var missing []string
	for i := 0; i < n; i++ {
		name, _ := fn.Param(i)
		if !given[name] && fn.ParamDefault(i) == nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return rt.missingArgs(fn.Name(), missing)
	}
	return nil
}

// asyncStep continues an async generator by one of its methods.
func (rt *runtime) asyncStep(it *Iter, method string, args starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	var ok bool
	var err error
	switch {
	case method == "aclose":
		return starlark.None, rt.closeIter(it)
	case method == "__anext__":
		v, ok, err = it.Next()
	case len(args) == 0:
		return nil, Raise("TypeError", "%s expected at least 1 argument, got 0", method)
	case method == "asend":
		v, ok, err = rt.send(it, args[0])
	default:
		v, ok, err = rt.throw(it, rt.raise(args[:1]))
	}
	if err == nil && !ok {
		err = Raise("StopAsyncIteration", "")
	}
	return v, err
}
