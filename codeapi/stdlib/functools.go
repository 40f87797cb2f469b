package stdlib

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const functoolsText = `
"""Functions on functions; also the decorators total_ordering and singledispatch."""

def reduce(function, iterable, initial=None, /):
    """Combines the elements from left to right."""

def partial(func, /, *args, **keywords):
    """func with some arguments already given."""

def cmp_to_key(mycmp):
    """A key function for sorted of a function that compares two values."""

def lru_cache(maxsize=128, typed=False):
    """Decorator that remembers results by arguments; with maxsize=None all of them."""

def cache(user_function, /):
    """lru_cache(maxsize=None)"""

def wraps(wrapped, assigned=None, updated=None):
    """Decorator for wrappers: they get the name, text and attributes of what they wrap."""

def cached_property(func):
    """Decorator: a property that is computed once and kept."""
`

var functoolsDoc = guest.Lazy(functoolsText)

func makeFunctools(_ *Env, c *guest.Contract) starlark.StringDict {
	return c.Bind("functools", map[string]guest.Impl{
		"reduce": reduce, "partial": newPartial, "cmp_to_key": cmpToKey,
		"lru_cache": lruCache, "wraps": wraps,
		"cached_property": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			return pylang.CachedProperty(a.V[0]), nil
		},
		"cache": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return newMemo(t, a.V[0], -1) },
	})
}

func reduce(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	acc := a.V[2]
	err := guest.Each(t, a.V[1], func(v starlark.Value) error {
		if acc == nil {
			acc = v
			return nil
		}
		var err error
		acc, err = pylang.Call(t, a.V[0], starlark.Tuple{acc, v}, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if acc == nil {
		return nil, raise("TypeError", "reduce() of empty iterable with no initial value")
	}
	return acc, nil
}

func callable(v starlark.Value, what string) error {
	if _, ok := v.(starlark.Callable); !ok {
		return raise("TypeError", "%s", what)
	}
	return nil
}

type partial struct {
	*starlark.Builtin
	fn   starlark.Value
	args starlark.Tuple
	kw   []starlark.Tuple
}

func newPartial(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if err := callable(a.V[0], "the first argument must be callable"); err != nil {
		return nil, err
	}
	p := &partial{fn: a.V[0], args: a.Rest, kw: a.Kw}
	p.Builtin = method("functools.partial", func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		all := append(append(starlark.Tuple{}, p.args...), args...)
		var kw []starlark.Tuple
		for _, old := range p.kw {
			overridden := false
			for _, k := range kwargs {
				overridden = overridden || k[0] == old[0]
			}
			if !overridden {
				kw = append(kw, old)
			}
		}
		return pylang.Call(t, p.fn, all, append(kw, kwargs...))
	}).(*starlark.Builtin)
	return p, nil
}

func (p *partial) Type() string { return "partial" }

func (p *partial) Attr(name string) (starlark.Value, error) {
	switch name {
	case "func":
		return p.fn, nil
	case "args":
		return p.args, nil
	case "keywords":
		d := starlark.NewDict(len(p.kw))
		for _, kv := range p.kw {
			if err := d.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	return nil, raise("AttributeError", "'functools.partial' object has no attribute '%s'", name)
}

func (p *partial) AttrNames() []string { return []string{"args", "func", "keywords"} }

// keyed orders by a comparing function.
type keyed struct {
	t   *starlark.Thread
	cmp starlark.Value
	v   starlark.Value
}

func cmpToKey(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	cmp := a.V[0]
	if err := callable(cmp, "the argument must be callable"); err != nil {
		return nil, err
	}
	return method("cmp_to_key", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 1 {
			return nil, raise("TypeError", "a key function takes one argument")
		}
		return &keyed{t, cmp, args[0]}, nil
	}), nil
}

func (k *keyed) String() string        { return "<functools.KeyWrapper object>" }
func (k *keyed) Type() string          { return "functools.KeyWrapper" }
func (k *keyed) Freeze()               {}
func (k *keyed) Truth() starlark.Bool  { return true }
func (k *keyed) Hash() (uint32, error) { return 0, raise("TypeError", "unhashable type") }

func (k *keyed) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	v, err := pylang.Call(k.t, k.cmp, starlark.Tuple{k.v, other.(*keyed).v}, nil)
	if err != nil {
		return false, err
	}
	zero := starlark.Value(starlark.MakeInt(0))
	switch op {
	case syntax.LT:
		return pylang.Less(k.t, v, zero)
	case syntax.GT:
		return pylang.Less(k.t, zero, v)
	case syntax.LE:
		gt, err := pylang.Less(k.t, zero, v)
		return !gt, err
	case syntax.GE:
		lt, err := pylang.Less(k.t, v, zero)
		return !lt, err
	case syntax.EQL:
		return pylang.Equal(k.t, v, zero)
	}
	eq, err := pylang.Equal(k.t, v, zero)
	return !eq, err
}

func lruCache(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if fn, ok := a.V[0].(starlark.Callable); ok { // @lru_cache without brackets
		return newMemo(t, fn, 128)
	}
	size := 128
	if a.V[0] == starlark.None {
		size = -1
	} else if n, err := a.Index(0, 128); err != nil {
		return nil, raise("TypeError", "Expected first argument to be an integer, a callable, or None")
	} else {
		size = max(0, n)
	}
	return method("lru_cache", func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 1 {
			return nil, raise("TypeError", "a decorator takes one function")
		}
		return newMemo(t, args[0], size)
	}), nil
}

// memo is a function with a memory.
type memo struct {
	*starlark.Builtin
	t            *starlark.Thread
	fn           starlark.Value
	size         int // -1: no bound
	known        *starlark.Dict
	hits, misses int
}

func newMemo(t *starlark.Thread, fn starlark.Value, size int) (starlark.Value, error) {
	if err := callable(fn, "the first argument must be callable"); err != nil {
		return nil, err
	}
	m := &memo{t: t, fn: fn, size: size, known: new(starlark.Dict)}
	m.Builtin = method(strings.TrimPrefix(fn.(starlark.Callable).Name(), "functools."), m.call).(*starlark.Builtin)
	return m, nil
}

func (m *memo) call(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var kw starlark.Tuple
	for _, kv := range kwargs {
		kw = append(kw, kv)
	}
	var key starlark.Value = args
	if len(kw) > 0 {
		key = starlark.Tuple{args, kw}
	}
	v, err := pylang.DictGet(t, m.known, key)
	if err != nil {
		return nil, raise("TypeError", "arguments of a function with a cache must be hashable: %v", err)
	}
	if v != nil {
		m.hits++
		if m.size >= 0 { // used last goes last
			_, _, _ = m.known.Delete(key)
			_ = pylang.DictSet(m.known, key, v)
		}
		return v, nil
	}
	m.misses++
	if v, err = pylang.Call(t, m.fn, args, kwargs); err != nil {
		return nil, err
	}
	if m.size == 0 {
		return v, nil
	}
	if m.size > 0 && m.known.Len() >= m.size {
		oldest := m.known.Keys()[0]
		_, _, _ = m.known.Delete(oldest)
	}
	return v, pylang.DictSet(m.known, key, v)
}

func (m *memo) AttrNames() []string { return []string{"__wrapped__", "cache_clear", "cache_info"} }

func (m *memo) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__wrapped__":
		return m.fn, nil
	case "__name__", "__qualname__", "__doc__", "__module__", "__annotations__":
		return pylang.GetAttr(m.t, m.fn, name)
	case "cache_clear":
		return method(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			m.hits, m.misses = 0, 0
			return starlark.None, m.known.Clear()
		}), nil
	case "cache_info":
		return method(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			size := starlark.Value(starlark.None)
			if m.size >= 0 {
				size = starlark.MakeInt(m.size)
			}
			return cacheInfo.make(starlark.Tuple{starlark.MakeInt(m.hits), starlark.MakeInt(m.misses), size, starlark.MakeInt(m.known.Len())}), nil
		}), nil
	}
	return nil, raise("AttributeError", "function has no attribute '%s'", name)
}

var cacheInfo = &tupleType{name: "CacheInfo", fields: []string{"hits", "misses", "maxsize", "currsize"}}

func wraps(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	return method("wraps", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 1 {
			return nil, raise("TypeError", "a decorator takes one function")
		}
		return args[0], pylang.Wraps(t, a.V[0], args[0])
	}), nil
}
