package pylang

import "go.starlark.net/starlark"

// The functions below are for authors of modules, who need Python's meaning of
// everyday operations. Thread is the thread their builtin was called with.

// Str is Python's str(v).
func Str(thread *starlark.Thread, v starlark.Value) (string, error) { return rtOf(thread).str(v) }

// Repr is Python's repr(v).
func Repr(thread *starlark.Thread, v starlark.Value) (string, error) { return rtOf(thread).repr(v) }

// Format is Python's format(v, spec).
func Format(thread *starlark.Thread, v starlark.Value, spec string) (string, error) {
	return rtOf(thread).format(v, spec)
}

// Equal is Python's x == y.
func Equal(thread *starlark.Thread, x, y starlark.Value) (bool, error) {
	return rtOf(thread).equal(x, y)
}

// Less is Python's x < y.
func Less(thread *starlark.Thread, x, y starlark.Value) (bool, error) {
	return rtOf(thread).compare("<", x, y)
}

// Truth is Python's bool(v).
func Truth(thread *starlark.Thread, v starlark.Value) (bool, error) { return rtOf(thread).truth(v) }

// Add, and Binary for any operator such as "*" or "//", are Python's operators.
func Binary(thread *starlark.Thread, op string, x, y starlark.Value) (starlark.Value, error) {
	return rtOf(thread).binary(op, x, y)
}

// Index is Python's x[key].
func Index(thread *starlark.Thread, x, key starlark.Value) (starlark.Value, error) {
	return rtOf(thread).getitem(x, key)
}

// GetAttr is Python's x.name, including the methods of built-in types.
func GetAttr(thread *starlark.Thread, x starlark.Value, name string) (starlark.Value, error) {
	return rtOf(thread).getattr(x, name)
}

// Len is Python's len(v).
func Len(thread *starlark.Thread, v starlark.Value) (int, error) { return rtOf(thread).length(v) }

// TypeName is type(v).__name__.
func TypeName(v starlark.Value) string { return typeName(v) }

// Next returns a function that steps through any Python iterable: list, str
// (code points), dict (keys), generator, instance with __iter__. After false or
// an error it must not be called again.
func Next(thread *starlark.Thread, v starlark.Value) (func() (starlark.Value, bool, error), error) {
	return rtOf(thread).iterate(v)
}

// List collects any iterable, within the allocation limit.
func List(thread *starlark.Thread, v starlark.Value) ([]starlark.Value, error) {
	return rtOf(thread).list(v)
}

// Call calls any callable.
func Call(thread *starlark.Thread, fn starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return rtOf(thread).call(fn, args, kwargs)
}

// CheckAlloc refuses, with a *Fatal no program can catch, an operation that
// would allocate more than Config.MaxAlloc bytes.
func CheckAlloc(thread *starlark.Thread, bytes int64) error { return rtOf(thread).alloc(bytes, 1) }

// Poll is called now and then by long built-in loops; its error ends them.
func Poll(thread *starlark.Thread) error { return rtOf(thread).poll() }

// Await waits for an Awaitable, runs a coroutine, and gives back other values.
func Await(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	return rtOf(thread).await(v)
}

// DictGet and DictSet are Python's lookups in a dict, where True, 1 and 1.0 are
// one key. DictGet gives nil when there is none.
func DictGet(thread *starlark.Thread, d *starlark.Dict, key starlark.Value) (starlark.Value, error) {
	v, found, err := dictGet(d, key)
	if !found {
		return nil, err
	}
	return v, err
}

// DictSet sets a key; see DictGet.
func DictSet(d *starlark.Dict, key, value starlark.Value) error { return dictSet(d, key, value) }

// NoKey is the KeyError of a key that is not there.
func NoKey(key starlark.Value) *Exception { return newKeyError(key) }

// Underlying is the built-in value that v stands for: the value of a member of a str
// or int enum, the dict inside an instance of class C(dict); any other value is itself.
func Underlying(v starlark.Value) starlark.Value { return plain(v) }

// OfLibrary says that v is of a class of the library with a text of its own, such as
// Decimal.
func OfLibrary(v starlark.Value) bool {
	i, ok := v.(*Instance)
	return ok && i.class.module != "" && i.class.module != "__main__" && i.class.lookup("__str__") != nil
}

// Real is the number that v counts as in arithmetic on floats: a number, or what
// __float__ or __index__ gives; v itself when it is none.
func Real(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	v = plain(v)
	i, ok := v.(*Instance)
	if !ok {
		return v, nil
	}
	for _, name := range []string{"__float__", "__index__"} {
		if fn := i.class.lookup(name); fn != nil {
			return rtOf(thread).call(i.bind(fn), nil, nil)
		}
	}
	return v, nil
}

// Dunder calls a method of v's class such as __floor__; nil when it has none.
func Dunder(thread *starlark.Thread, v starlark.Value, name string) (starlark.Value, error) {
	i, ok := v.(*Instance)
	if !ok {
		return nil, nil
	}
	fn := i.class.lookup(name)
	if fn == nil {
		return nil, nil
	}
	return rtOf(thread).call(i.bind(fn), nil, nil)
}

// Wraps gives wrapper the name, text and attributes of the function that it
// wraps, as functools.wraps does. Wrappers that are no functions stay as they are.
func Wraps(thread *starlark.Thread, wrapped, wrapper starlark.Value) error {
	return rtOf(thread).wraps(wrapped, wrapper)
}

// CachedProperty makes a method an attribute that is computed once.
func CachedProperty(fn starlark.Value) starlark.Value {
	return &property{wrapper: wrapper{"cached_property", fn}, cached: true}
}

// Builtin gives a built-in function or type of Python by name, for example
// "filter"; nil when there is none. Only valid for the run of thread.
func Builtin(thread *starlark.Thread, name string) starlark.Value {
	if !isBuiltinName(name) {
		return nil
	}
	return builtinValue(rtOf(thread), name)
}

// rtOf finds the run; outside of one it gives a bare one, so that modules can
// be tested alone.
func rtOf(thread *starlark.Thread) *runtime {
	if rt := runtimeOf(thread); rt != nil {
		return rt
	}
	rt := newRuntime(&Config{}, thread)
	rt.poller, _ = starlark.ExprFuncOptions(fileOptions, "poll", "None", nil)
	return rt
}
