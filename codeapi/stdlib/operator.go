package stdlib

import (
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const operatorText = `
"""Python's operators as functions."""

def itemgetter(item, /, *items): """A function that takes x[item], or a tuple of several."""
def attrgetter(attr, /, *attrs): """A function that takes x.attr, also dotted, or a tuple of several."""
def methodcaller(name, /, *args, **kwargs): """A function that calls x.name(...)."""
def add(a, b, /): ...
def sub(a, b, /): ...
def mul(a, b, /): ...
def truediv(a, b, /): ...
def floordiv(a, b, /): ...
def mod(a, b, /): ...
def matmul(a, b, /): ...
def pow(a, b, /): ...
def and_(a, b, /): ...
def or_(a, b, /): ...
def xor(a, b, /): ...
def concat(a, b, /): ...
def eq(a, b, /): ...
def ne(a, b, /): ...
def lt(a, b, /): ...
def le(a, b, /): ...
def gt(a, b, /): ...
def ge(a, b, /): ...
def is_(a, b, /): ...
def is_not(a, b, /): ...
def neg(a, /): ...
def pos(a, /): ...
def abs(a, /): ...
def not_(a, /): ...
def truth(a, /): ...
def contains(a, b, /): """b in a"""
def getitem(a, b, /): """a[b]"""
def countOf(a, b, /): """How often b is in a."""
def indexOf(a, b, /): """Place of the first b in a."""
`

var operatorDoc = guest.Lazy(operatorText)

func makeOperator(_ *Env, c *guest.Contract) starlark.StringDict {
	impls := map[string]guest.Impl{
		"itemgetter": itemgetter, "attrgetter": attrgetter, "methodcaller": methodcaller,
		"eq": comparison(func(t *starlark.Thread, a, b starlark.Value) (bool, error) { return pylang.Equal(t, a, b) }),
		"ne": comparison(func(t *starlark.Thread, a, b starlark.Value) (bool, error) {
			eq, err := pylang.Equal(t, a, b)
			return !eq, err
		}),
		"lt": comparison(pylang.Less),
		"gt": comparison(func(t *starlark.Thread, a, b starlark.Value) (bool, error) { return pylang.Less(t, b, a) }),
		"le": comparison(lessOrEqual),
		"ge": comparison(func(t *starlark.Thread, a, b starlark.Value) (bool, error) { return lessOrEqual(t, b, a) }),
		"is_": comparison(func(_ *starlark.Thread, a, b starlark.Value) (bool, error) {
			return identical(a, b), nil
		}),
		"is_not": comparison(func(_ *starlark.Thread, a, b starlark.Value) (bool, error) { return !identical(a, b), nil }),
		"not_": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			yes, err := pylang.Truth(t, a.V[0])
			return starlark.Bool(!yes), err
		},
		"truth": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			yes, err := pylang.Truth(t, a.V[0])
			return starlark.Bool(yes), err
		},
		"neg": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return negated(t, a.V[0]) },
		"pos": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			return pylang.Binary(t, "+", starlark.MakeInt(0), a.V[0])
		},
		"abs": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			below, err := pylang.Less(t, a.V[0], starlark.MakeInt(0))
			if err != nil || !below {
				if f, ok := a.V[0].(starlark.Float); ok && f == 0 {
					return float(0), nil
				}
				return a.V[0], err
			}
			return negated(t, a.V[0])
		},
		"contains": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			if c, ok := a.V[0].(starlark.Container); ok {
				yes, err := c.Has(a.V[1])
				return starlark.Bool(yes), err
			}
			has, err := pylang.GetAttr(t, a.V[0], "__contains__")
			if err != nil {
				return nil, raise("TypeError", "argument of type '%s' is not iterable", pylang.TypeName(a.V[0]))
			}
			return pylang.Call(t, has, starlark.Tuple{a.V[1]}, nil)
		},
		"getitem": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			return pylang.Index(t, a.V[0], a.V[1])
		},
		"countOf": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			n := 0
			err := guest.Each(t, a.V[0], func(v starlark.Value) error {
				eq, err := pylang.Equal(t, v, a.V[1])
				if eq {
					n++
				}
				return err
			})
			return starlark.MakeInt(n), err
		},
		"indexOf": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			next, err := patient(t, a.V[0])
			if err != nil {
				return nil, err
			}
			for i := 0; ; i++ {
				v, ok, err := next()
				if err != nil {
					return nil, err
				}
				if !ok {
					return nil, raise("ValueError", "sequence.index(x): x not in sequence")
				}
				if eq, err := pylang.Equal(t, v, a.V[1]); err != nil || eq {
					return starlark.MakeInt(i), err
				}
			}
		},
	}
	for name, op := range map[string]string{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
		"pow": "**", "and_": "&", "or_": "|", "xor": "^", "concat": "+", "matmul": "@"} {
		impls[name] = func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			return pylang.Binary(t, op, a.V[0], a.V[1])
		}
	}
	return c.Bind("operator", impls)
}

func comparison(f func(t *starlark.Thread, a, b starlark.Value) (bool, error)) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		yes, err := f(t, a.V[0], a.V[1])
		return starlark.Bool(yes), err
	}
}

func lessOrEqual(t *starlark.Thread, a, b starlark.Value) (bool, error) {
	if eq, err := pylang.Equal(t, a, b); err != nil || eq {
		return eq, err
	}
	return pylang.Less(t, a, b)
}

func identical(a, b starlark.Value) bool {
	defer func() { _ = recover() }() // tuples cannot be compared in Go
	return a == b
}

func negated(t *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	if f, ok := v.(starlark.Float); ok {
		return -f, nil
	}
	return pylang.Binary(t, "-", starlark.MakeInt(0), v)
}

// several applies a getter for each key: one value, or a tuple of several.
func several(name string, keys starlark.Tuple, get func(t *starlark.Thread, x, key starlark.Value) (starlark.Value, error)) starlark.Value {
	return method(name, func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 1 || len(kwargs) > 0 {
			return nil, raise("TypeError", "%s expected 1 argument, got %d", name, len(args)+len(kwargs))
		}
		if len(keys) == 1 {
			return get(t, args[0], keys[0])
		}
		out := make(starlark.Tuple, len(keys))
		for i, k := range keys {
			v, err := get(t, args[0], k)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	})
}

func itemgetter(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	return several("itemgetter", append(starlark.Tuple{a.V[0]}, a.Rest...), pylang.Index), nil
}

func attrgetter(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	keys := append(starlark.Tuple{a.V[0]}, a.Rest...)
	for _, k := range keys {
		if _, ok := k.(starlark.String); !ok {
			return nil, raise("TypeError", "attribute name must be a string")
		}
	}
	return several("attrgetter", keys, func(t *starlark.Thread, x, key starlark.Value) (starlark.Value, error) {
		var err error
		for _, part := range strings.Split(string(key.(starlark.String)), ".") {
			if x, err = pylang.GetAttr(t, x, part); err != nil {
				return nil, err
			}
		}
		return x, nil
	}), nil
}

func methodcaller(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	name, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	return method("methodcaller", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 1 {
			return nil, raise("TypeError", "methodcaller expected 1 argument, got %d", len(args))
		}
		f, err := pylang.GetAttr(t, args[0], name)
		if err != nil {
			return nil, err
		}
		return pylang.Call(t, f, a.Rest, a.Kw)
	}), nil
}
