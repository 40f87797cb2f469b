package stdlib

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const collectionsText = `
"""Counter, defaultdict, OrderedDict, namedtuple and deque; also ChainMap and UserDict."""

def Counter(iterable=None, /, **kwds):
    """A dict that counts: most_common(n), elements(), total(), update(), subtract(), and
    + - | & of two counters. A missing key counts 0."""

def defaultdict(default_factory=None, /, *args, **kwargs):
    """A dict whose missing keys get default_factory()."""

def OrderedDict(items=None, /, **kwds):
    """A dict with move_to_end(key, last=True) and popitem(last=True)."""

def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    """A class of tuples with named fields."""

def deque(iterable=None, maxlen=None):
    """A list with two ends: append, appendleft, pop, popleft, extend, extendleft,
    rotate, ..."""
`

var collectionsDoc = guest.Lazy(collectionsText)

func makeCollections(_ *Env, c *guest.Contract) starlark.StringDict {
	m := c.Bind("collections", map[string]guest.Impl{
		"Counter": newCounter, "defaultdict": newDefaultDict, "OrderedDict": newOrderedDict,
		"namedtuple": namedtuple, "deque": newDeque,
	})
	for _, name := range []string{"Counter", "defaultdict", "OrderedDict", "deque"} {
		m[name] = classOf(name, m[name])
	}
	for _, name := range []string{"OrderedDict", "defaultdict"} {
		if c := classOf(name, nil); c.attrs == nil {
			c.attrs = starlark.StringDict{"fromkeys": fromKeysHead().Func("fromkeys").Builtin("", fromKeys(name))}
		}
	}
	return m
}

var fromKeysHead = guest.Lazy(`def fromkeys(iterable, value=None, /): ...`)

// fromKeys is OrderedDict.fromkeys and defaultdict.fromkeys.
func fromKeys(class string) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		m := newMapping(t, class)
		value := starlark.Value(starlark.None)
		if a.V[1] != nil {
			value = a.V[1]
		}
		return m, guest.Each(t, a.V[0], func(k starlark.Value) error { return m.SetKey(k, value) })
	}
}

// store is the dict inside a mapping.
type store = starlark.Dict

// mapping is a dict of another class.
type mapping struct {
	*store
	class   string
	t       *starlark.Thread
	factory starlark.Value // of a defaultdict
}

var (
	_ starlark.HasSetKey       = (*mapping)(nil)
	_ starlark.IterableMapping = (*mapping)(nil)
	_ starlark.Container       = (*mapping)(nil)
	_ starlark.HasBinary       = (*mapping)(nil)
)

func newMapping(t *starlark.Thread, class string) *mapping {
	return &mapping{store: new(starlark.Dict), class: class, t: t}
}

var _ pylang.Dicter = (*mapping)(nil)

func (m *mapping) Type() string           { return m.class }
func (m *mapping) Dict() *starlark.Dict   { return m.store }
func (m *mapping) PyType() starlark.Value { return classOf(m.class, nil) }

// Get is m[key]: missing keys are made by a defaultdict and are 0 in a Counter.
func (m *mapping) Get(key starlark.Value) (starlark.Value, bool, error) {
	v, err := pylang.DictGet(m.t, m.store, key)
	if err != nil || v != nil {
		return v, v != nil, err
	}
	switch {
	case m.class == "Counter":
		return starlark.MakeInt(0), true, nil
	case m.factory != nil:
		if v, err = pylang.Call(m.t, m.factory, nil, nil); err != nil {
			return nil, false, err
		}
		return v, true, pylang.DictSet(m.store, key, v)
	}
	return nil, false, nil
}

// Has is key in m: it never makes a key.
func (m *mapping) Has(key starlark.Value) (bool, error) {
	v, err := pylang.DictGet(m.t, m.store, key)
	return v != nil, err
}

func (m *mapping) SetKey(k, v starlark.Value) error { return pylang.DictSet(m.store, k, v) }

// DelItem is del m[key].
func (m *mapping) DelItem(k starlark.Value) error {
	_, ok, err := m.store.Delete(k)
	if err == nil && !ok && m.class != "Counter" {
		return pylang.NoKey(k)
	}
	return err
}

func (m *mapping) String() string {
	s, err := m.repr(m.t)
	if err != nil {
		return "<" + m.class + ">"
	}
	return s
}

func (m *mapping) repr(t *starlark.Thread) (string, error) {
	d := m.store
	if m.class == "Counter" { // most frequent first
		d = new(starlark.Dict)
		items, err := m.mostCommon()
		if err != nil {
			items = m.Items()
		}
		for _, kv := range items {
			if err := d.SetKey(kv[0], kv[1]); err != nil {
				return "", err
			}
		}
	}
	inner, err := pylang.Repr(t, d)
	if err != nil {
		return "", err
	}
	switch m.class {
	case "defaultdict":
		f := "None"
		if m.factory != nil {
			if f, err = pylang.Repr(t, m.factory); err != nil {
				return "", err
			}
		}
		return "defaultdict(" + f + ", " + inner + ")", nil
	case "OrderedDict":
		if m.Len() > 0 {
			pairs := make([]starlark.Value, 0, m.Len())
			for _, kv := range m.Items() {
				pairs = append(pairs, kv)
			}
			if inner, err = pylang.Repr(t, list(pairs)); err != nil {
				return "", err
			}
			return "OrderedDict(" + inner + ")", nil
		}
	}
	if m.Len() == 0 {
		return m.class + "()", nil
	}
	return m.class + "(" + inner + ")", nil
}

func (m *mapping) AttrNames() []string { return append(m.store.AttrNames(), "copy") }

func (m *mapping) Attr(name string) (starlark.Value, error) {
	if m.class == "Counter" {
		if f, ok := counterMethods[name]; ok {
			return method(name, func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return f(t, m, args, kwargs)
			}), nil
		}
	}
	switch name {
	case "copy", "__copy__":
		return method(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) { return m.copy(), nil }), nil
	case "default_factory":
		if m.class == "defaultdict" {
			if m.factory == nil {
				return starlark.None, nil
			}
			return m.factory, nil
		}
	case "update":
		return method(name, func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, m.fill(t, args, kwargs)
		}), nil
	case "move_to_end":
		if m.class == "OrderedDict" {
			return method(name, m.moveToEnd), nil
		}
	case "popitem":
		return method(name, m.popitem), nil
	}
	v, err := pylang.GetAttr(m.t, m.store, name)
	if err != nil {
		return nil, raise("AttributeError", "'%s' object has no attribute '%s'", m.class, name)
	}
	return v, nil
}

func (m *mapping) copy() *mapping {
	n := newMapping(m.t, m.class)
	n.factory = m.factory
	for _, kv := range m.Items() {
		_ = n.store.SetKey(kv[0], kv[1]) // keys of a dict
	}
	return n
}

// fill takes what dict(...) takes.
func (m *mapping) fill(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
	if len(args) > 1 {
		return raise("TypeError", "%s expected at most 1 argument, got %d", m.class, len(args))
	}
	if len(args) == 1 && args[0] != starlark.None {
		if src, ok := args[0].(starlark.IterableMapping); ok {
			for _, kv := range src.Items() {
				if err := m.SetKey(kv[0], kv[1]); err != nil {
					return err
				}
			}
		} else {
			i := 0
			err := guest.Each(t, args[0], func(v starlark.Value) error {
				kv, err := elements(t, v)
				if err != nil {
					return raise("TypeError", "cannot convert dictionary update sequence element #%d to a sequence", i)
				}
				if len(kv) != 2 {
					return raise("ValueError", "dictionary update sequence element #%d has length %d; 2 is required", i, len(kv))
				}
				i++
				return m.SetKey(kv[0], kv[1])
			})
			if err != nil {
				return err
			}
		}
	}
	for _, kv := range kwargs {
		if err := m.SetKey(kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}

func newDefaultDict(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	m := newMapping(t, "defaultdict")
	if a.Given(0) {
		if _, ok := a.V[0].(starlark.Callable); !ok {
			return nil, raise("TypeError", "first argument must be callable or None")
		}
		m.factory = a.V[0]
	}
	return m, m.fill(t, a.Rest, a.Kw)
}

func newOrderedDict(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	m := newMapping(t, "OrderedDict")
	var args starlark.Tuple
	if a.V[0] != nil {
		args = starlark.Tuple{a.V[0]}
	}
	return m, m.fill(t, args, a.Kw)
}

var lastFlag = guest.Lazy(`def popitem(last=True): ...
def move_to_end(key, last=True): ...`)

func (m *mapping) popitem(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := lastFlag().Func("popitem").Call(args, kwargs)
	if err != nil {
		return nil, err
	}
	keys := m.Keys()
	if len(keys) == 0 {
		if m.class != "OrderedDict" {
			return nil, pylang.NoKey(text("popitem(): dictionary is empty"))
		}
		return nil, pylang.NoKey(text("dictionary is empty"))
	}
	k := keys[len(keys)-1]
	if !a.Bool(0, true) {
		k = keys[0]
	}
	v, _, err := m.store.Delete(k)
	return starlark.Tuple{k, v}, err
}

func (m *mapping) moveToEnd(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := lastFlag().Func("move_to_end").Call(args, kwargs)
	if err != nil {
		return nil, err
	}
	v, ok, err := m.store.Delete(a.V[0])
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, pylang.NoKey(a.V[0])
	}
	items := m.Items()
	if !a.Bool(1, true) {
		if err := m.store.Clear(); err != nil {
			return nil, err
		}
	}
	if err := m.store.SetKey(a.V[0], v); err != nil {
		return nil, err
	}
	for _, kv := range items {
		if !a.Bool(1, true) {
			if err := m.store.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
	}
	return starlark.None, nil
}
