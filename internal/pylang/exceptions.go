package pylang

import (
	"fmt"
	"sync"

	"go.starlark.net/starlark"
)

// The classes of Python's exceptions. Modules add theirs with
// NewExceptionClass; all are shared by every run and never change.

var (
	excMu      sync.RWMutex
	excClasses = map[string]*Class{}
)

// NewExceptionClass registers an exception class of a module, for example
// ("JSONDecodeError", "ValueError"), and returns it as a value for the module's
// members. Raise(name, ...) then makes exceptions of it. Call it from init.
func NewExceptionClass(name, base string) starlark.Value {
	excMu.Lock()
	defer excMu.Unlock()
	if c := excClasses[name]; c != nil {
		return c
	}
	c := &Class{name: name, attrs: starlark.StringDict{}, exc: true}
	if b := excClasses[base]; b != nil {
		c.bases = []*Class{b}
	}
	_ = c.linearize()
	excClasses[name] = c
	return c
}

func exceptionClass(name string) *Class {
	excMu.RLock()
	c := excClasses[name]
	excMu.RUnlock()
	if c == nil {
		return NewExceptionClass(name, "Exception").(*Class)
	}
	return c
}

func builtinException(name string) *Class {
	excMu.RLock()
	defer excMu.RUnlock()
	return excClasses[name]
}

// exceptionTree lists base and derived classes; bases come first.
var exceptionTree = []struct{ base, names string }{
	{"", "BaseException"},
	{"BaseException", "Exception KeyboardInterrupt SystemExit GeneratorExit CancelledError BaseExceptionGroup"},
	{"BaseExceptionGroup", "ExceptionGroup"},
	{"Exception", "ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError TypeError ValueError Warning InvalidStateError"},
	{"ArithmeticError", "FloatingPointError OverflowError ZeroDivisionError"},
	{"ImportError", "ModuleNotFoundError"},
	{"LookupError", "IndexError KeyError"},
	{"NameError", "UnboundLocalError"},
	{"OSError", "BlockingIOError ConnectionError FileExistsError FileNotFoundError InterruptedError IsADirectoryError NotADirectoryError PermissionError TimeoutError"},
	{"ConnectionError", "BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError"},
	{"RuntimeError", "NotImplementedError RecursionError"},
	{"SyntaxError", "IndentationError"},
	{"ValueError", "UnicodeError"},
	{"UnicodeError", "UnicodeDecodeError UnicodeEncodeError"},
	{"Warning", "DeprecationWarning FutureWarning RuntimeWarning UserWarning"},
	{"AttributeError", "FrozenInstanceError"},
}

// hiddenExceptions are no built-in names; modules export them.
var hiddenExceptions = map[string]bool{"CancelledError": true, "InvalidStateError": true, "FrozenInstanceError": true}

func init() {
	for _, row := range exceptionTree {
		for _, n := range fields(row.names) {
			NewExceptionClass(n, row.base)
		}
	}
	group := excClasses["ExceptionGroup"]
	group.bases = append(group.bases, excClasses["Exception"])
	_ = group.linearize()
	for name := range excClasses {
		if !hiddenExceptions[name] {
			exceptionNames = append(exceptionNames, name)
		}
	}
	excClasses["IOError"] = excClasses["OSError"]
	excClasses["EnvironmentError"] = excClasses["OSError"]
	exceptionNames = append(exceptionNames, "IOError", "EnvironmentError")
}

var exceptionNames []string

func fields(s string) []string {
	var out []string
	start := -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != ' ' {
			if start < 0 {
				start = i
			}
		} else if start >= 0 {
			out = append(out, s[start:i])
			start = -1
		}
	}
	return out
}

func newKeyError(k starlark.Value) *Exception {
	e := &Exception{Class: "KeyError"}
	e.value = &Instance{class: exceptionClass("KeyError"), args: starlark.Tuple{k}}
	e.Message = reprPlain(k)
	return e
}

// instanceOf gives the exception as the program sees it.
func (rt *runtime) instanceOf(e *Exception) *Instance {
	if e.value == nil {
		inst := &Instance{class: exceptionClass(e.Class), exc: e}
		if e.Message != "" {
			inst.args = starlark.Tuple{starlark.String(e.Message)}
		}
		for _, name := range e.Attrs.Keys() {
			inst.attrs.set(name, e.Attrs[name])
		}
		e.value = inst
	}
	if e.value.exc == nil {
		e.value.exc = e
	}
	return e.value
}

// newGroup fills in an exception group.
func (rt *runtime) newGroup(i *Instance) error {
	if len(i.args) != 2 {
		return Raise("TypeError", "BaseExceptionGroup.__new__() takes exactly 2 arguments (%d given)", len(i.args))
	}
	if _, ok := i.args[0].(starlark.String); !ok {
		return Raise("TypeError", "argument 1 must be str, not %s", typeName(i.args[0]))
	}
	list, err := rt.list(i.args[1])
	if err != nil {
		return Raise("TypeError", "second argument (exceptions) must be a sequence")
	}
	if len(list) == 0 {
		return Raise("ValueError", "second argument (exceptions) must be a non-empty sequence")
	}
	plain := true // no BaseException among them
	for k, v := range list {
		e, ok := v.(*Instance)
		if !ok || !e.class.exc {
			return Raise("ValueError", "Item %d of second argument (exceptions) is not an exception", k)
		}
		plain = plain && e.class.subclassOf(exceptionClass("Exception"))
	}
	if i.class.name == "BaseExceptionGroup" && plain {
		i.class = exceptionClass("ExceptionGroup")
	}
	i.attrs.set("message", i.args[0])
	i.attrs.set("exceptions", starlark.Tuple(list))
	return nil
}

// errnoClasses are the classes that OSError(errno, text) turns into.
var errnoClasses = map[int]string{1: "PermissionError", 2: "FileNotFoundError", 4: "InterruptedError", 11: "BlockingIOError", 13: "PermissionError", 17: "FileExistsError", 20: "NotADirectoryError",
	21: "IsADirectoryError", 32: "BrokenPipeError", 103: "ConnectionAbortedError", 104: "ConnectionResetError", 110: "TimeoutError", 111: "ConnectionRefusedError"}

// errnoClass is the class to use for OSError(errno, text); nil for others.
func errnoClass(c *Class, args starlark.Tuple) *Class {
	if len(args) < 2 || c != exceptionClass("OSError") {
		return nil
	}
	if n, ok := args[0].(starlark.Int); ok {
		if name := errnoClasses[smallInt(n)]; name != "" {
			return exceptionClass(name)
		}
	}
	return nil
}

// excAttr is an attribute that exceptions have by themselves; nil for other names.
func (i *Instance) excAttr(name string) starlark.Value {
	switch name {
	case "args":
		return i.args
	case "__cause__":
		if i.cause != nil {
			return i.cause
		}
		return starlark.None
	case "__context__":
		if i.context != nil {
			return i.context
		}
		return starlark.None
	case "__traceback__":
		if i.exc == nil {
			return starlark.None
		}
		return &traceback{i.exc}
	case "__suppress_context__":
		return starlark.Bool(i.cause != nil || i.suppress)
	case "__notes__":
		if i.notes != nil {
			return i.notes
		}
	case "value":
		if i.class.name == "StopIteration" {
			return firstOr(i.args, starlark.None)
		}
	case "code":
		if i.class.subclassOf(exceptionClass("SystemExit")) {
			return firstOr(i.args, starlark.None)
		}
	case "add_note":
		return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, Raise("TypeError", "BaseException.add_note() takes exactly one argument (%d given)", len(args))
			}
			if i.notes == nil {
				i.notes = starlark.NewList(nil)
			}
			return starlark.None, i.notes.Append(args[0])
		})
	case "with_traceback":
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return i, nil
		})
	case "errno", "strerror", "filename":
		if i.class.subclassOf(exceptionClass("OSError")) {
			k := map[string]int{"errno": 0, "strerror": 1, "filename": 2}[name]
			if len(i.args) >= 2 && k < len(i.args) {
				return i.args[k]
			}
			return starlark.None
		}
	case "name", "path", "obj":
		for _, c := range []string{"ImportError", "NameError", "AttributeError"} {
			if i.class.subclassOf(exceptionClass(c)) {
				return starlark.None
			}
		}
	}
	return nil
}

func firstOr(t starlark.Tuple, dflt starlark.Value) starlark.Value {
	if len(t) > 0 {
		return t[0]
	}
	return dflt
}

// setExcAttr sets what excAttr reads; false for other names.
func (i *Instance) setExcAttr(name string, v starlark.Value) bool {
	switch name {
	case "args":
		if t, ok := v.(starlark.Tuple); ok {
			i.args = t
			return true
		}
	case "__cause__", "__context__":
		cause, _ := v.(*Instance)
		if name == "__context__" {
			i.context = cause
		} else {
			i.cause = v
		}
		return true
	case "__traceback__", "__suppress_context__":
		return true
	}
	return false
}

// traceback is __traceback__: where the exception was raised.
type traceback struct{ exc *Exception }

func (t *traceback) String() string        { return "<traceback object>" }
func (t *traceback) Type() string          { return "traceback" }
func (t *traceback) Freeze()               {}
func (t *traceback) Truth() starlark.Bool  { return true }
func (t *traceback) Hash() (uint32, error) { return addressHash(t), nil }
func (t *traceback) AttrNames() []string   { return []string{"tb_lineno"} }
func (t *traceback) Attr(name string) (starlark.Value, error) {
	if name == "tb_lineno" {
		line := t.exc.Line
		if len(t.exc.Stack) > 0 {
			line = t.exc.Stack[0].Line
		}
		return starlark.MakeInt(line), nil
	}
	return nil, nil
}

// excText is str(e).
func (rt *runtime) excText(i *Instance) (string, error) {
	if list, ok := i.attrs.get("exceptions"); ok && i.class.subclassOf(exceptionClass("BaseExceptionGroup")) {
		n := starlark.Len(list)
		text, err := rt.str(i.args[0])
		return fmt.Sprintf("%s (%d sub-exception%s)", text, n, plural(n)), err
	}
	if i.class.subclassOf(exceptionClass("UnicodeError")) {
		if text, ok := codecErrorText(i); ok {
			return text, nil
		}
	}
	if len(i.args) == 2 && i.class.subclassOf(exceptionClass("OSError")) {
		if _, isInt := i.args[0].(starlark.Int); isInt {
			text, err := rt.str(i.args[1])
			return fmt.Sprintf("[Errno %s] %s", i.args[0], text), err
		}
	}
	switch len(i.args) {
	case 0:
		return "", nil
	case 1:
		if i.class.subclassOf(exceptionClass("KeyError")) {
			if i.exc != nil && i.exc.Class == "KeyError" && i.exc.Message != "" {
				if _, isStr := i.args[0].(starlark.String); isStr && i.exc.cause != nil {
					return i.exc.Message, nil
				}
			}
			return rt.repr(i.args[0])
		}
		return rt.str(i.args[0])
	}
	return rt.repr(i.args)
}

// raise raises a class or an instance; the result is the error to return.
func (rt *runtime) raise(args starlark.Tuple) error {
	if len(args) == 0 {
		if n := len(rt.current); n > 0 {
			return rt.raiseInstance(rt.current[n-1])
		}
		return Raise("RuntimeError", "No active exception to reraise")
	}
	inst, err := rt.asException(args[0])
	if err != nil {
		return err
	}
	inst.suppress = len(args) > 1
	if len(args) > 1 && args[1] != starlark.None {
		cause, err := rt.asException(args[1])
		if err != nil {
			return err
		}
		inst.cause = cause
	}
	inst.exc = nil // a new place
	return rt.raiseInstance(inst)
}

func (rt *runtime) asException(v starlark.Value) (*Instance, error) {
	switch v := v.(type) {
	case *Class:
		if v.exc {
			r, err := rt.call(v, nil, nil)
			if err != nil {
				return nil, err
			}
			return r.(*Instance), nil
		}
	case *Instance:
		if v.class.exc {
			return v, nil
		}
	}
	e := Raise("TypeError", "exceptions must derive from BaseException")
	if _, ok := v.(starlark.String); ok {
		e.Hint = "raise ValueError(...) or another exception class"
	}
	return nil, e
}

func (rt *runtime) raiseInstance(i *Instance) error {
	if i.exc != nil {
		return i.exc
	}
	e := &Exception{Class: i.class.name, value: i}
	i.exc = e
	msg, err := rt.str(i)
	if err == nil {
		e.Message = msg
	}
	return e
}

// catches says whether an except clause's type takes the exception.
func (rt *runtime) catches(inst *Instance, types starlark.Value) (bool, error) {
	switch t := types.(type) {
	case *Class:
		if t.exc {
			return inst.class.subclassOf(t), nil
		}
	case starlark.Tuple:
		for _, x := range t {
			if ok, err := rt.catches(inst, x); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	return false, Raise("TypeError", "catching classes that do not inherit from BaseException is not allowed")
}

// isClass says whether an error is an exception of the named class.
func (rt *runtime) isClass(err error, class string) bool {
	if err == nil {
		return false
	}
	e, fatal := rt.toException(err)
	if fatal != nil {
		return false
	}
	return rt.instanceOf(e).class.subclassOf(exceptionClass(class))
}

// tryState is how the body of a try ended, when not by running through.
type tryState struct {
	err   *Exception
	inst  *Instance
	rest  *Instance // what no except* has taken yet
	split bool      // an except* has looked
	brk   bool
	cnt   bool
	ret   bool
	value starlark.Value
}

func (t *tryState) String() string        { return "<try>" }
func (t *tryState) Type() string          { return "try" }
func (t *tryState) Freeze()               {}
func (t *tryState) Truth() starlark.Bool  { return true }
func (t *tryState) Hash() (uint32, error) { return 0, nil }
func (t *tryState) AttrNames() []string   { return nil }
func (t *tryState) Attr(name string) (starlark.Value, error) {
	switch name {
	case "failed":
		return starlark.Bool(t.err != nil), nil
	case "exc":
		return t.inst, nil
	case "ret":
		return starlark.Bool(t.ret), nil
	case "value":
		return t.value, nil
	case "brk":
		return starlark.Bool(t.brk), nil
	case "cnt":
		return starlark.Bool(t.cnt), nil
	}
	return nil, nil
}

// try runs the body of a try statement.
func (rt *runtime) try(thread *starlark.Thread, body starlark.Value) (starlark.Value, error) {
	v, err := starlark.Call(thread, body, nil, nil)
	if err == nil && rt.pending != nil {
		err = rt.takePending()
	}
	if err != nil {
		e, fatal := rt.toException(err)
		if fatal != nil {
			return nil, fatal
		}
		if e.caught == 0 && rt.libraries[builtinModules["traceback"]] != nil { // it wants the frames inside the try
			frames, _, _ := rt.place(thread.CallStack())
			e.caught = len(frames)
		}
		return &tryState{err: e, inst: rt.instanceOf(e)}, nil
	}
	switch v := v.(type) {
	case starlark.Int:
		n, _ := v.Int64()
		return &tryState{brk: n == 1, cnt: n == 2}, nil
	case starlark.Tuple:
		return &tryState{ret: true, value: v[0]}, nil
	}
	return starlark.None, nil
}
