package pylang

import (
	"fmt"
	"math"
	"sync"

	"go.starlark.net/starlark"
)

const (
	defaultMaxAlloc = 256 << 20
	defaultMaxDepth = 4000
)

// runtime is the state of one run. Everything runs on one goroutine at a time:
// generators and coroutines have threads of their own but take turns.
type runtime struct {
	cfg                 *Config
	main                *starlark.Thread
	cur                 *starlark.Thread
	done                bool
	stores, augs, frees map[syntaxPos]bool
	kwOnly, posOnly     map[string]bool // see lowerer
	required            map[string]int
	pending             error // raised inside a loop's iterator; the loop's end reports it
	poller              *starlark.Function
	limit               int // how deep calls may nest
	shownLimit          int // what the program set it to, 0 for nothing
	source              string
	lines               []string                          // of source, once asked for
	annotators          map[starlark.Value]starlark.Value // see annotations.go
	annotations         map[starlark.Value]*starlark.Dict
	overflows           int // how often they nested deeper
	depth               int // frames below the current thread's own
	events              *eventLoop
	libraries           map[*Module]starlark.StringDict
	redirected          []starlark.Value          // where print writes, by contextlib.redirect_stdout
	funcAttrs           map[starlark.Value]*attrs // of functions
	module              string                    // the library being loaded
	current             []*Instance               // exceptions being handled, for a bare raise
	builtinValues       map[string]starlark.Value
	coros               []*coro
}

const localKey = "pylang.runtime"

func newRuntime(cfg *Config, thread *starlark.Thread) *runtime {
	rt := &runtime{cfg: cfg, main: thread, cur: thread}
	rt.limit = rt.maxDepth()
	rt.events = &eventLoop{rt: rt}
	thread.SetLocal(localKey, rt)
	return rt
}

// runtimeOf finds the run a thread belongs to; nil outside of one.
func runtimeOf(thread *starlark.Thread) *runtime {
	rt, _ := thread.Local(localKey).(*runtime)
	return rt
}

func (rt *runtime) maxAlloc() int64 {
	if rt != nil && rt.cfg.MaxAlloc > 0 {
		return rt.cfg.MaxAlloc
	}
	return defaultMaxAlloc
}

func (rt *runtime) maxDepth() int {
	if rt.cfg.MaxDepth > 0 {
		return rt.cfg.MaxDepth
	}
	return defaultMaxDepth
}

// alloc refuses an operation that would take more memory than one may.
func (rt *runtime) alloc(n, unit int64) error {
	if n > 0 && (n > math.MaxInt64/unit || n*unit > rt.maxAlloc()) {
		return &Fatal{Kind: "memory", Message: fmt.Sprintf("one operation needs %d × %d bytes; the limit is %d MiB", n, unit, rt.maxAlloc()>>20)}
	}
	return nil
}

// poll ends long built-in loops once the run is cancelled or out of steps.
// Calling a Starlark function makes the thread look at both.
func (rt *runtime) poll() error {
	if rt.cfg.Cancelled != nil && rt.cfg.Cancelled() {
		return &Fatal{Kind: "cancelled", Message: "the program was cancelled"}
	}
	_, err := starlark.Call(rt.main, rt.poller, nil, nil)
	return err
}

// chunk is after how many elements long built-in loops look up.
const chunk = 4096

// work is poll after a chunk of a built-in loop, whose elements count as steps.
func (rt *runtime) work() error {
	rt.main.Steps += chunk
	return rt.poll()
}

// maxOverflows is how often calls may nest too deeply in one run: each time is a
// RecursionError that the program can catch; one that goes on is ended.
const maxOverflows = 100

// enter is called at the start of the agent's functions.
func (rt *runtime) enter() error {
	if d := rt.depth + rt.cur.CallStackDepth(); d > rt.limit {
		return rt.overflow("")
	}
	return nil
}

// overflow is the error of calls or values that nest too deeply; doing says of what,
// or is empty.
func (rt *runtime) overflow(doing string) error {
	if rt != nil {
		if rt.overflows++; rt.overflows > maxOverflows {
			return &Fatal{Kind: "recursion", Message: fmt.Sprintf("calls were nested too deeply %d times", rt.overflows)}
		}
	}
	e := Raise("RecursionError", "maximum recursion depth exceeded%s", doing)
	e.Hint = "does a function call itself without end? A loop needs no depth"
	return e
}

// rtValue is the identifier §rt of the lowered program: reading an attribute
// costs less than a call. d checks the depth, e raises a pending error.
type rtValue struct{ rt *runtime }

func (rtValue) String() string        { return "<runtime>" }
func (rtValue) Type() string          { return "runtime" }
func (rtValue) Freeze()               {}
func (rtValue) Truth() starlark.Bool  { return true }
func (rtValue) Hash() (uint32, error) { return 0, nil }
func (rtValue) AttrNames() []string   { return nil }
func (v rtValue) Attr(name string) (starlark.Value, error) {
	if name[0] == 'd' {
		if v.rt.depth+v.rt.cur.CallStackDepth() > v.rt.limit {
			return nil, v.rt.enter()
		}
	} else if v.rt.pending != nil {
		return nil, v.rt.takePending()
	}
	return starlark.None, nil
}

func (rt *runtime) takePending() error {
	err := rt.pending
	rt.pending = nil
	return err
}

// box holds a variable that several Starlark functions share.
type box struct {
	name  string
	v     starlark.Value
	local bool // of a function
}

func (b *box) String() string        { return "<box " + b.name + ">" }
func (b *box) Type() string          { return "box" }
func (b *box) Freeze()               {}
func (b *box) Truth() starlark.Bool  { return true }
func (b *box) Hash() (uint32, error) { return 0, nil }
func (b *box) AttrNames() []string   { return nil }
func (b *box) Attr(string) (starlark.Value, error) {
	if b.v == nil {
		return nil, b.unset()
	}
	return b.v, nil
}
func (b *box) unset() *Exception {
	if b.local {
		return unboundLocal(b.name)
	}
	return Raise("NameError", "name '%s' is not defined", b.name)
}

func (b *box) SetField(_ string, v starlark.Value) error {
	b.v = v
	return nil
}

// marker is a value of which only the identity matters.
type marker string

func (m marker) String() string        { return string(m) }
func (m marker) Type() string          { return string(m) }
func (m marker) Freeze()               {}
func (m marker) Truth() starlark.Bool  { return true }
func (m marker) Hash() (uint32, error) { return 7, nil }

var skipMarker = marker("skip")

// ellipsis is Python's Ellipsis.
type ellipsisType struct{}

func (ellipsisType) String() string        { return "Ellipsis" }
func (ellipsisType) Type() string          { return "ellipsis" }
func (ellipsisType) Freeze()               {}
func (ellipsisType) Truth() starlark.Bool  { return true }
func (ellipsisType) Hash() (uint32, error) { return 11, nil }

type helperFunc func(rt *runtime, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var (
	helperOnce  sync.Once
	helperTable map[string]helperFunc
)

// helper makes the value of a name of ours.
func (rt *runtime) helper(name string) starlark.Value {
	helperOnce.Do(func() { helperTable = makeHelpers() })
	switch {
	case name == "rt":
		return rtValue{rt}
	case name == "cmp":
		return &box{name: "cmp"}
	case name == "skip":
		return skipMarker
	case name == "ellipsis":
		return ellipsisType{}
	case len(name) > 2 && name[:2] == "b_":
		return builtinValue(rt, name[2:])
	case len(name) > 2 && name[:2] == "m_":
		return rt.methodHelper(name[2:])
	case len(name) > 2 && name[:2] == "c_":
		return rt.cfg.Context[name[2:]]
	case len(name) > 2 && name[:2] == "p_":
		return rt.cfg.Predeclared[name[2:]]
	case len(name) > 4 && name[:4] == "mod_":
		return rt.moduleValue(name[4:])
	case len(name) > 4 && name[:4] == "pkg_":
		return rt.packageValue(name[4:])
	}
	fn := helperTable[name]
	if fn == nil {
		panic("pylang: no helper " + name)
	}
	return rt.builtin(mark+name, fn)
}

func (rt *runtime) builtin(name string, fn helperFunc) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return fn(rt, thread, args, kwargs)
	})
}

// call calls any callable on the current thread.
func (rt *runtime) call(fn starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if _, ok := fn.(starlark.Callable); !ok {
		return nil, Raise("TypeError", "'%s' object is not callable", typeName(fn))
	}
	if d := rt.depth + rt.cur.CallStackDepth(); d > rt.limit*2 {
		return nil, rt.overflow("")
	}
	return starlark.Call(rt.cur, fn, args, kwargs)
}

// force waits for a pending host call.
func (rt *runtime) force(v starlark.Value) (starlark.Value, error) {
	for i := 0; i < 8; i++ {
		a, ok := v.(Awaitable)
		if !ok {
			return v, nil
		}
		w, err := a.Await(rt.cur)
		if err != nil {
			return nil, err
		}
		if w == v {
			return v, nil
		}
		v = w
	}
	return v, nil
}
