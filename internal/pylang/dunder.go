package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// The operators of built-in values as methods, for programs that call them by name:
// super().__setitem__(k, v), list.__len__(x), hasattr(x, "__iter__").

// operatorKinds lists which built-in types have which operators.
var operatorKinds = map[string]string{
	"__len__ __contains__ __iter__": "str list dict tuple set frozenset bytes bytearray range",
	"__getitem__":                   "str list dict tuple bytes range",
	"__setitem__ __delitem__":       "list dict",
	"__reversed__":                  "list dict range",
	"__add__ __mul__ __rmul__":      "str list tuple bytes int float bool",
	"__iadd__ __imul__":             "list",
	"__mod__ __rmod__":              "str bytes int float bool",
	"__radd__ __sub__ __rsub__ __truediv__ __rtruediv__":           "int float bool",
	"__floordiv__ __rfloordiv__ __pow__ __rpow__":                  "int float bool",
	"__and__ __or__ __xor__ __rand__ __ror__ __rxor__":             "int bool set frozenset",
	"__lshift__ __rshift__ __invert__ __index__":                   "int bool",
	"__or__ __ror__ __ior__":                                       "dict",
	"__sub__ __rsub__":                                             "set frozenset",
	"__iand__ __ior__ __ixor__ __isub__":                           "set",
	"__neg__ __pos__ __abs__ __int__ __float__ __bool__ __round__": "int float bool",
	"__lt__ __le__ __gt__ __ge__":                                  "str list tuple set frozenset bytes int float bool",
	"__eq__ __ne__ __hash__ __repr__ __str__ __format__":           "str list dict tuple set frozenset bytes bytearray range int float bool",
}

var operatorTable = map[string]map[string]method{}

func init() {
	for names, kinds := range operatorKinds {
		for _, name := range strings.Fields(names) {
			for _, kind := range strings.Fields(kinds) {
				if operatorTable[kind] == nil {
					operatorTable[kind] = map[string]method{}
				}
				operatorTable[kind][name] = operator(name)
			}
		}
	}
}

// operatorOf gives a built-in type's operator as a method; nil when it has none.
func operatorOf(kind, name string) method { return operatorTable[kind][name] }

// operatorMethod is operatorOf for values of modules, iterators and views.
func (rt *runtime) operatorMethod(x starlark.Value, name string) starlark.Value {
	has := false
	switch x.(type) {
	case *Instance, *Class, *TypeObj, *superObject, *moduleValue, *Iter, Awaitable:
		return nil
	case *dictView:
		has = name == "__len__" || name == "__iter__" || name == "__contains__" || name == "__eq__"
	default:
		switch name {
		case "__len__":
			_, has = x.(starlark.Sequence)
		case "__iter__", "__contains__":
			_, has = x.(starlark.Iterable)
		case "__getitem__":
			_, has = x.(starlark.Mapping)
			_, indexed := x.(starlark.Indexable)
			has = has || indexed
		case "__setitem__":
			_, has = x.(starlark.HasSetKey)
			_, indexed := x.(starlark.HasSetIndex)
			has = has || indexed
		case "__delitem__":
			_, has = x.(DelItem)
		case "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__":
			_, has = x.(starlark.Comparable)
		case "__add__", "__sub__", "__and__", "__or__", "__radd__", "__rsub__", "__mul__", "__rmul__":
			_, has = x.(starlark.HasBinary)
		case "__repr__", "__str__", "__hash__", "__format__":
			has = true
		}
	}
	if !has {
		return nil
	}
	return rt.bound(name, x, operator(name))
}

// operator makes the method that does what an operator does.
func operator(name string) method {
	type value = starlark.Value
	boolean := func(b bool, err error) (value, error) { return starlark.Bool(b), err }
	one := func(f func(rt *runtime, x, y value) (value, error)) method {
		return func(rt *runtime, x value, args starlark.Tuple, kwargs []starlark.Tuple) (value, error) {
			if len(args) != 1 || len(kwargs) > 0 {
				return nil, Raise("TypeError", "expected 1 argument, got %d", len(args))
			}
			return f(rt, x, args[0])
		}
	}
	none := func(f func(rt *runtime, x value) (value, error)) method {
		return func(rt *runtime, x value, args starlark.Tuple, kwargs []starlark.Tuple) (value, error) {
			if len(args)+len(kwargs) > 0 {
				return nil, Raise("TypeError", "expected 0 arguments, got %d", len(args)+len(kwargs))
			}
			return f(rt, x)
		}
	}
	// quiet gives NotImplemented where an operator would raise TypeError.
	quiet := func(rt *runtime, v value, err error) (value, error) {
		if err != nil && rt.isClass(err, "TypeError") {
			return notImplemented, nil
		}
		return v, err
	}
	for op, names := range binaryDunder {
		switch name {
		case names[0]:
			return one(func(rt *runtime, x, y value) (value, error) {
				v, err := rt.binary(op, x, plain(y))
				return quiet(rt, v, err)
			})
		case names[1]:
			return one(func(rt *runtime, x, y value) (value, error) {
				v, err := rt.binary(op, plain(y), x)
				return quiet(rt, v, err)
			})
		case "__i" + names[0][2:]:
			return one(func(rt *runtime, x, y value) (value, error) { return rt.inplace(op, x, y) })
		}
	}
	for op, names := range orderDunder {
		if name == names[0] {
			return one(func(rt *runtime, x, y value) (value, error) {
				ok, err := rt.compare(op, x, plain(y))
				return quiet(rt, starlark.Bool(ok), err)
			})
		}
	}
	switch name {
	case "__len__":
		return none(func(rt *runtime, x value) (value, error) {
			n, err := rt.length(x)
			return starlark.MakeInt(n), err
		})
	case "__contains__":
		return one(func(rt *runtime, x, y value) (value, error) { return boolean(rt.contains(y, x)) })
	case "__iter__":
		return none(func(rt *runtime, x value) (value, error) { return rt.iterValue(x) })
	case "__reversed__":
		return none(func(rt *runtime, x value) (value, error) {
			return rt.call(builtinValue(rt, "reversed"), starlark.Tuple{x}, nil)
		})
	case "__getitem__":
		return one(func(rt *runtime, x, y value) (value, error) { return rt.getitem(x, y) })
	case "__delitem__":
		return one(func(rt *runtime, x, y value) (value, error) { return starlark.None, rt.delitem(x, y) })
	case "__setitem__":
		return func(rt *runtime, x value, args starlark.Tuple, kwargs []starlark.Tuple) (value, error) {
			a, err := bind(name, args, kwargs, "key", "value")
			if err != nil {
				return nil, err
			}
			return starlark.None, rt.setitem(x, a[0], a[1])
		}
	case "__eq__", "__ne__":
		return one(func(rt *runtime, x, y value) (value, error) {
			y = plain(y)
			if typeName(x) != typeName(y) && !(isNumber(x) && isNumber(y)) {
				return notImplemented, nil
			}
			eq, err := rt.equal(x, y)
			return starlark.Bool(eq == (name == "__eq__")), err
		})
	case "__neg__", "__pos__", "__invert__":
		op := map[string]string{"__neg__": "-", "__pos__": "+", "__invert__": "~"}[name]
		return none(func(rt *runtime, x value) (value, error) { return rt.unary(op, x) })
	case "__index__":
		return none(func(rt *runtime, x value) (value, error) { return num(x), nil })
	case "__bool__":
		return none(func(rt *runtime, x value) (value, error) { return x.Truth(), nil })
	case "__format__":
		return one(func(rt *runtime, x, y value) (value, error) {
			spec, err := strArg(name, y)
			if err != nil {
				return nil, err
			}
			s, err := rt.format(x, spec)
			return starlark.String(s), err
		})
	}
	builtin := strings.Trim(name, "_") // __abs__ is abs, and so on
	return func(rt *runtime, x value, args starlark.Tuple, kwargs []starlark.Tuple) (value, error) {
		return rt.call(builtinValue(rt, builtin), append(starlark.Tuple{x}, args...), kwargs)
	}
}
