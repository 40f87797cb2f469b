package stdlib

import (
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

func newCounter(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	m := newMapping(t, "Counter")
	var args starlark.Tuple
	if a.Given(0) {
		args = starlark.Tuple{a.V[0]}
	}
	_, err := counterAdd(t, m, args, a.Kw, "+")
	return m, err
}

// counterAdd counts an iterable's elements, or adds (op "+") or takes away (op
// "-") the counts of a mapping.
func counterAdd(t *starlark.Thread, m *mapping, args starlark.Tuple, kwargs []starlark.Tuple, op string) (starlark.Value, error) {
	if len(args) > 1 {
		return nil, raise("TypeError", "expected at most 1 argument, got %d", len(args))
	}
	one := starlark.Value(starlark.MakeInt(1))
	add := func(k, n starlark.Value) error {
		old, err := pylang.DictGet(t, m.store, k)
		if err != nil {
			return err
		}
		if old == nil {
			if op == "+" {
				return pylang.DictSet(m.store, k, n)
			}
			old = starlark.MakeInt(0)
		}
		v, err := pylang.Binary(t, op, old, n)
		if err != nil {
			return err
		}
		return pylang.DictSet(m.store, k, v)
	}
	if len(args) == 1 && args[0] != starlark.None {
		if src, ok := args[0].(starlark.IterableMapping); ok {
			for _, kv := range src.Items() {
				if err := add(kv[0], kv[1]); err != nil {
					return nil, err
				}
			}
		} else if err := guest.Each(t, args[0], func(v starlark.Value) error { return add(v, one) }); err != nil {
			return nil, err
		}
	}
	for _, kv := range kwargs {
		if err := add(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

// mostCommon sorts by count, the largest first; equal counts keep their order.
func (m *mapping) mostCommon() ([]starlark.Tuple, error) {
	items := append([]starlark.Tuple(nil), m.Items()...)
	var failed error
	sort.SliceStable(items, func(i, j int) bool {
		lt, err := pylang.Less(m.t, items[j][1], items[i][1])
		if err != nil && failed == nil {
			failed = err
		}
		return lt
	})
	return items, failed
}

type counterMethod func(t *starlark.Thread, m *mapping, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var counterMethods = map[string]counterMethod{
	"update": func(t *starlark.Thread, m *mapping, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return counterAdd(t, m, args, kwargs, "+")
	},
	"subtract": func(t *starlark.Thread, m *mapping, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return counterAdd(t, m, args, kwargs, "-")
	},
	"most_common": func(_ *starlark.Thread, m *mapping, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var n starlark.Value
		if err := starlark.UnpackArgs("most_common", args, kwargs, "n?", &n); err != nil {
			return nil, raise("TypeError", "%v", err)
		}
		items, err := m.mostCommon()
		if err != nil {
			return nil, err
		}
		if n != nil && n != starlark.None {
			k, ok := guest.AsInt(n)
			limit, fits := k.Int64()
			if !ok {
				return nil, raise("TypeError", "'%s' object cannot be interpreted as an integer", guest.TypeName(n))
			}
			if fits && limit < int64(len(items)) {
				items = items[:max(0, limit)]
			}
		}
		out := make([]starlark.Value, len(items))
		for i, kv := range items {
			out[i] = kv
		}
		return list(out), nil
	},
	"elements": func(t *starlark.Thread, m *mapping, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		items := m.Items()
		i, left := -1, int64(0)
		return pylang.NewIter("itertools.chain", func() (starlark.Value, bool, error) {
			for left <= 0 {
				if i++; i >= len(items) {
					return nil, false, nil
				}
				n, ok := guest.AsInt(items[i][1])
				if !ok {
					return nil, false, raise("TypeError", "'%s' object cannot be interpreted as an integer", guest.TypeName(items[i][1]))
				}
				left, _ = n.Int64()
			}
			left--
			return items[i][0], true, nil
		}), nil
	},
	"total": func(t *starlark.Thread, m *mapping, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		var sum starlark.Value = starlark.MakeInt(0)
		for _, kv := range m.Items() {
			var err error
			if sum, err = pylang.Binary(t, "+", sum, kv[1]); err != nil {
				return nil, err
			}
		}
		return sum, nil
	},
}

// Binary is + - | & of counters and | of other dicts.
func (m *mapping) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	o, ok := y.(*mapping)
	if m.class != "Counter" || !ok || o.class != "Counter" {
		return m.union(op, y, side)
	}
	if side == starlark.Right {
		m, o = o, m
	}
	var combine func(a, b starlark.Value) (starlark.Value, error)
	smaller := func(a, b starlark.Value, wantLess bool) (starlark.Value, error) {
		lt, err := pylang.Less(m.t, a, b)
		if lt == wantLess {
			return a, err
		}
		return b, err
	}
	switch op {
	case syntax.PLUS:
		combine = func(a, b starlark.Value) (starlark.Value, error) { return pylang.Binary(m.t, "+", a, b) }
	case syntax.MINUS:
		combine = func(a, b starlark.Value) (starlark.Value, error) { return pylang.Binary(m.t, "-", a, b) }
	case syntax.PIPE:
		combine = func(a, b starlark.Value) (starlark.Value, error) { return smaller(a, b, false) }
	case syntax.AMP:
		combine = func(a, b starlark.Value) (starlark.Value, error) { return smaller(a, b, true) }
	default:
		return nil, nil
	}
	out := newMapping(m.t, "Counter")
	add := func(k starlark.Value) error {
		a, _, err := m.Get(k)
		if err != nil {
			return err
		}
		b, _, err := o.Get(k)
		if err != nil {
			return err
		}
		v, err := combine(a, b)
		if err != nil {
			return err
		}
		positive, err := pylang.Less(m.t, starlark.MakeInt(0), v)
		if err != nil || !positive {
			return err
		}
		return out.SetKey(k, v)
	}
	for _, k := range m.Keys() {
		if err := add(k); err != nil {
			return nil, err
		}
	}
	for _, k := range o.Keys() {
		if known, err := m.Has(k); err != nil {
			return nil, err
		} else if !known {
			if err := add(k); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Unary is + and - of counters: what is above zero, and what is below it.
func (m *mapping) Unary(op syntax.Token) (starlark.Value, error) {
	if m.class != "Counter" {
		return nil, nil
	}
	empty := newMapping(m.t, "Counter")
	switch op {
	case syntax.PLUS:
		return m.Binary(syntax.PLUS, empty, starlark.Left)
	case syntax.MINUS:
		return empty.Binary(syntax.MINUS, m, starlark.Left)
	}
	return nil, nil
}

func (m *mapping) union(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	other, ok := y.(starlark.IterableMapping)
	if op != syntax.PIPE || !ok {
		return nil, nil
	}
	out := m.copy()
	if side == starlark.Right {
		if err := out.store.Clear(); err != nil {
			return nil, err
		}
	}
	first, second := m.Items(), other.Items()
	if side == starlark.Right {
		first, second = second, first
	}
	for _, items := range [][]starlark.Tuple{first, second} {
		for _, kv := range items {
			if err := out.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// CompareSameType compares the contents.
func (m *mapping) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	o := y.(*mapping)
	if op != syntax.EQL && op != syntax.NEQ {
		return false, raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, m.class, o.class)
	}
	eq, err := starlark.EqualDepth(m.store, o.store, depth-1)
	return eq == (op == syntax.EQL), err
}
