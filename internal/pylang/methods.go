package pylang

import (
	"strings"
	"sync"

	"go.starlark.net/starlark"
)

// A method of a built-in type: its receiver comes first.
type method func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var (
	tablesOnce sync.Once
	tables     map[string]map[string]method
	methodSet  map[string]bool
)

// methodTables lists the methods of each built-in type.
func methodTables() map[string]map[string]method {
	tablesOnce.Do(func() {
		tables = map[string]map[string]method{
			"str": strMethods(), "list": listMethods(), "tuple": tupleMethods(), "dict": dictMethods(), "set": setMethods(false), "frozenset": setMethods(true),
			"int": intMethods(), "float": floatMethods(), "bytes": bytesMethods(false), "bytearray": bytesMethods(true), "range": tupleMethods(),
		}
		tables["bool"] = tables["int"]
		methodSet = map[string]bool{}
		for _, t := range tables {
			for n := range t {
				methodSet[n] = true
			}
		}
		for _, n := range []string{"send", "throw", "close", "asend", "athrow", "aclose", "mapping", "real", "imag", "numerator", "denominator", "start", "stop", "step"} {
			methodSet[n] = true
		}
	})
	return tables
}

func isMethodName(name string) bool {
	methodTables()
	return methodSet[name]
}

// kindName gives the table that holds a value's methods.
func kindName(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String:
		return "str"
	case *starlark.List:
		return "list"
	case *starlark.Dict:
		return "dict"
	case starlark.Tuple:
		return "tuple"
	case *Set:
		return v.Type()
	case starlark.Int:
		return "int"
	case starlark.Float:
		return "float"
	case starlark.Bool:
		return "bool"
	case starlark.Bytes:
		return "bytes"
	case *bytearray:
		return "bytearray"
	}
	if rangeLike(v) {
		return "range"
	}
	return ""
}

// methodHelper makes §m_name, which lowered calls of x.name(...) use.
func (rt *runtime) methodHelper(name string) starlark.Value {
	t := methodTables()
	str, list, dict := t["str"][name], t["list"][name], t["dict"][name]
	return starlark.NewBuiltin(mark+"m_"+name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		recv := args[0]
		var m method
		switch recv.(type) {
		case starlark.String:
			m = str
		case *starlark.List:
			m = list
		case *starlark.Dict:
			m = dict
		default:
			m = t[kindName(recv)][name]
		}
		if m != nil {
			return m(rt, recv, args[1:], kwargs)
		}
		fn, err := rt.getattr(recv, name)
		if err != nil {
			return nil, err
		}
		return rt.call(fn, args[1:], kwargs)
	})
}

// getattr is x.name at run time.
func (rt *runtime) getattr(x starlark.Value, name string) (starlark.Value, error) {
	if kind := kindName(x); kind != "" {
		if m := methodTables()[kind][name]; m != nil {
			return rt.bound(name, x, m), nil
		}
		if m := operatorOf(kind, name); m != nil {
			return rt.bound(name, x, m), nil
		}
		switch name {
		case "__class__":
			return rt.typeOf(x), nil
		case "__doc__":
			return starlark.None, nil
		case "real", "numerator":
			if isNumber(x) && (name == "real" || kind != "float") {
				return num(x), nil
			}
		case "denominator":
			if isNumber(x) && kind != "float" {
				return starlark.MakeInt(1), nil
			}
		case "imag":
			if isNumber(x) {
				return starlark.MakeInt(0), nil
			}
		case "start", "stop", "step":
			if kind == "range" {
				return rangePart(x, name), nil
			}
		}
		e := Raise("AttributeError", "'%s' object has no attribute '%s'", kind, name)
		e.Hint = attrHint(kind, name)
		if kind == "bytes" && methodTables()["str"][name] != nil {
			e = Raise("AttributeError", "bytes.%s is not available", name)
			e.Hint = "decode() gives a str, which has it"
		}
		return nil, e
	}
	if isDunder(name) {
		if m := rt.operatorMethod(x, name); m != nil {
			return m, nil
		}
	}
	switch v := x.(type) {
	case *Iter:
		if m := iterMethod(rt, v, name); m != nil {
			return m, nil
		}
	case *property:
		if name == "__doc__" {
			if v.doc != nil || v.fn == nil {
				return v.doc, nil
			}
			return rt.getattr(v.fn, name)
		}
	case Awaitable:
		if h, ok := x.(starlark.HasAttrs); ok {
			if a, err := h.Attr(name); a != nil && err == nil {
				return a, nil
			}
		}
		f, err := rt.force(v)
		if err != nil {
			return nil, err
		}
		if f != x {
			return rt.getattr(f, name)
		}
	case *dictView:
		switch name {
		case "isdisjoint":
			if s, ok := v.asSet(); ok {
				return rt.getattr(s, name)
			}
		case "mapping":
			return v.d, nil
		}
	case *starlark.Function, *funcWrap, *starlark.Builtin, *boundMethod:
		if a, ok := rt.ofFunc(x).get(name); ok {
			return a, nil
		}
		switch name {
		case "__name__", "__qualname__":
			n := x.(starlark.Callable).Name()
			n = strings.TrimPrefix(strings.TrimPrefix(n, mark+"b_"), methodPrefix)
			n = plainName(n)
			if name == "__name__" {
				n = shortName(n)
			}
			return starlark.String(n), nil
		case "__doc__":
			if b, ok := x.(*boundMethod); ok {
				return rt.getattr(b.fn, name)
			}
			if f, ok := x.(*starlark.Function); ok && f.Doc() != "" {
				return starlark.String(f.Doc()), nil
			}
			return starlark.None, nil
		case "__module__":
			return starlark.String("__main__"), nil
		case "__annotations__":
			d, err := rt.typeHints(x)
			return d, err
		case "__defaults__":
			return defaultsOf(x), nil
		case "__self__":
			if b, ok := x.(*boundMethod); ok {
				return b.self, nil
			}
		case "__func__":
			if b, ok := x.(*boundMethod); ok {
				return b.fn, nil
			}
		case "__dict__":
			return rt.attrsOfFunc(x).dict(), nil
		case "__class__":
			return rt.typeOf(x), nil
		}
	case starlark.NoneType:
		if name == "__class__" {
			return rt.typeOf(x), nil
		}
		e := Raise("AttributeError", "'NoneType' object has no attribute '%s'", name)
		e.Hint = "the value is None: check it first"
		return nil, e
	}
	if h, ok := x.(starlark.HasAttrs); ok {
		v, err := h.Attr(name)
		if err != nil {
			if _, noAttr := err.(starlark.NoSuchAttrError); !noAttr {
				return nil, err
			}
		} else if v != nil {
			return v, nil
		}
		if name == "__class__" {
			return rt.typeOf(x), nil
		}
		e := Raise("AttributeError", "'%s' object has no attribute '%s'", typeName(x), name)
		if n := nearest(name, h.AttrNames()); n != "" {
			e.Hint = "did you mean ." + n + "?"
		}
		return nil, e
	}
	if name == "__class__" {
		return rt.typeOf(x), nil
	}
	return nil, Raise("AttributeError", "'%s' object has no attribute '%s'", typeName(x), name)
}

// defaultsOf is __defaults__ of a function.
func defaultsOf(f starlark.Value) starlark.Value {
	switch x := f.(type) {
	case *boundMethod:
		return defaultsOf(x.fn)
	case *funcWrap:
		return defaultsOf(x.fn)
	case *starlark.Function:
		var out starlark.Tuple
		for i := range x.NumParams() {
			if d := x.ParamDefault(i); d != nil {
				out = append(out, d)
			}
		}
		if out != nil {
			return out
		}
	}
	return starlark.None
}

// ofFunc gives the attributes that a program has set on a function.
func (rt *runtime) ofFunc(f starlark.Value) *attrs {
	if b, ok := f.(*boundMethod); ok {
		f = b.fn
	}
	if a := rt.funcAttrs[f]; a != nil {
		return a
	}
	return &attrs{}
}

// attrsOfFunc is ofFunc for writing.
func (rt *runtime) attrsOfFunc(f starlark.Value) *attrs {
	if b, ok := f.(*boundMethod); ok {
		f = b.fn
	}
	if rt.funcAttrs == nil {
		rt.funcAttrs = map[starlark.Value]*attrs{}
	}
	if rt.funcAttrs[f] == nil {
		rt.funcAttrs[f] = &attrs{}
	}
	return rt.funcAttrs[f]
}

// setattr is x.name = v.
func (rt *runtime) setattr(x starlark.Value, name string, v starlark.Value) error {
	switch x.(type) {
	case *starlark.Function, *funcWrap:
		rt.attrsOfFunc(x).set(name, v)
		return nil
	}
	if s, ok := x.(starlark.HasSetField); ok {
		return s.SetField(name, v)
	}
	return Raise("AttributeError", "'%s' object has no attribute '%s'", typeName(x), name)
}

// wraps gives a wrapper the names of the function that it wraps.
func (rt *runtime) wraps(wrapped, wrapper starlark.Value) error {
	switch wrapper.(type) {
	case *starlark.Function, *funcWrap:
	default:
		return nil
	}
	for _, name := range []string{"__module__", "__name__", "__qualname__", "__doc__"} {
		if v, err := rt.getattr(wrapped, name); err == nil {
			if err := rt.setattr(wrapper, name, v); err != nil {
				return err
			}
		}
	}
	a := rt.ofFunc(wrapped)
	for _, name := range a.list() {
		v, _ := a.get(name)
		if err := rt.setattr(wrapper, name, v); err != nil {
			return err
		}
	}
	return rt.setattr(wrapper, "__wrapped__", wrapped)
}

func rangePart(x starlark.Value, part string) starlark.Value {
	// A range shows its parts only in its text.
	s := strings.TrimSuffix(strings.TrimPrefix(x.String(), "range("), ")")
	parts := strings.Split(s, ", ")
	i := map[string]int{"start": 0, "stop": 1, "step": 2}[part]
	if len(parts) == 1 {
		parts = []string{"0", parts[0]}
	}
	if i < len(parts) {
		return parseKey(parts[i])
	}
	return starlark.MakeInt(1)
}

func (rt *runtime) delattr(x starlark.Value, name string) error {
	switch v := x.(type) {
	case *Instance:
		if fn := v.class.lookup("__delattr__"); fn != nil {
			_, err := rt.call(v.bind(fn), starlark.Tuple{starlark.String(name)}, nil)
			return err
		}
		if v.class.data != nil && v.class.data.frozen {
			return Raise("FrozenInstanceError", "cannot delete field '%s'", name)
		}
		return v.delField(name)
	case *Class:
		if v.rt != nil && v.del(name) {
			return nil
		}
	}
	return Raise("AttributeError", "'%s' object has no attribute '%s'", typeName(x), name)
}

// bound makes a method of a value as a value of its own.
func (rt *runtime) bound(name string, recv starlark.Value, m method) starlark.Value {
	b := starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return m(rt, recv, args, kwargs)
	})
	return b.BindReceiver(recv)
}

// unbound makes str.upper and the like: functions of the receiver.
func (rt *runtime) unbound(typ, name string, m method) starlark.Value {
	return starlark.NewBuiltin(typ+"."+name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 0 {
			return nil, Raise("TypeError", "unbound method %s.%s() needs an argument", typ, name)
		}
		recv := plain(args[0])
		if k := kindName(recv); k != typ && !(typ == "int" && k == "bool") {
			return nil, Raise("TypeError", "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, typ, typeName(args[0]))
		}
		return m(rt, recv, args[1:], kwargs)
	})
}

func iterMethod(rt *runtime, it *Iter, name string) starlark.Value {
	switch name {
	case "__next__":
		return rt.bound(name, it, func(rt *runtime, _ starlark.Value, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			v, ok, err := it.Next()
			if err == nil && !ok {
				err = it.stop()
			}
			return v, err
		})
	case "close":
		return rt.bound(name, it, func(*runtime, starlark.Value, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, rt.closeIter(it)
		})
	case "__anext__", "asend", "athrow", "aclose":
		if it.name != asyncGenerator {
			return nil
		}
		return rt.bound(name, it, func(rt *runtime, _ starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return &coroutine{rt: rt, fn: rt.builtin(name, func(rt *runtime, _ *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return rt.asyncStep(it, name, args)
			})}, nil
		})
	case "send", "throw":
		if it.name != "generator" {
			return nil
		}
		return rt.bound(name, it, func(rt *runtime, _ starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("generator."+name, args, kwargs, "value")
			if err != nil {
				return nil, err
			}
			var v starlark.Value
			var ok bool
			if name == "send" {
				v, ok, err = rt.send(it, a[0])
			} else {
				v, ok, err = rt.throw(it, rt.raise(starlark.Tuple(a)))
			}
			if err == nil && !ok {
				err = it.stop()
			}
			return v, err
		})
	}
	return nil
}

// stop is the StopIteration at the end, with what a generator returned.
func (it *Iter) stop() error {
	e := Raise("StopIteration", "")
	if co := it.coro; co != nil && co.result != nil && co.result != starlark.None {
		e.value = &Instance{class: exceptionClass("StopIteration"), args: starlark.Tuple{co.result}}
		e.Message = reprPlain(co.result)
		co.result = starlark.None // the next StopIteration has none
	}
	return e
}
