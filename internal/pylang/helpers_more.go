package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// The longer helpers.

// spread gives the elements of *v.
func (rt *runtime) spread(v starlark.Value) ([]starlark.Value, error) {
	list, err := rt.list(v)
	if e, ok := err.(*Exception); ok && e.Class == "TypeError" && strings.HasSuffix(e.Message, "object is not iterable") {
		return nil, Raise("TypeError", "Value after * must be an iterable, not %s", typeName(v))
	}
	return list, err
}

func smallInt(v starlark.Value) int {
	n, _ := v.(starlark.Int).Int64()
	return int(n)
}

// loop prepares the iterable of a for statement.
func (rt *runtime) loop(v starlark.Value, pairs, fresh bool) (starlark.Value, error) {
	if l, ok := v.(*starlark.List); ok && !pairs {
		return &loop{rt: rt, v: l}, nil
	}
	if rangeLike(v) {
		return v, nil
	}
	next, err := rt.iterate(v)
	if err != nil {
		return nil, err
	}
	l := &loop{rt: rt, v: v, next: next, pairs: pairs}
	if it, ok := v.(*Iter); ok && fresh && it.name == "generator" && it.coro == nil {
		l.owned = it
	}
	return l, nil
}

// takeApart appends to flat what a value gives to the names of a target; pattern is as
// lowerer.targetPattern made it.
func (rt *runtime) takeApart(flat starlark.Tuple, v, pattern starlark.Value) (starlark.Tuple, error) {
	p, ok := pattern.(starlark.Tuple)
	if !ok {
		return append(flat, v), nil
	}
	star, elts := smallInt(p[0]), p[1:]
	before, after := len(elts), -1
	if star >= 0 {
		before, after = star, len(elts)-star-1
	}
	parts, err := rt.unpack(v, before, after)
	if err != nil {
		return nil, err
	}
	list, err := rt.list(parts)
	if err != nil {
		return nil, err
	}
	for i, e := range elts {
		if flat, err = rt.takeApart(flat, list[i], e); err != nil {
			return nil, err
		}
	}
	return flat, nil
}

// eqValue is == as an expression: __eq__ of instances may give any value.
func (rt *runtime) eqValue(x, y starlark.Value) (starlark.Value, error) {
	if v, err := rt.richCompare([2]string{"__eq__", "__eq__"}, x, y); v != nil || err != nil {
		return v, err
	}
	ok, err := rt.equal(x, y)
	return starlark.Bool(ok), err
}

// richCompare gives what the program's own comparison methods give, of x and then of
// y; nil when there are none.
func (rt *runtime) richCompare(names [2]string, x, y starlark.Value) (starlark.Value, error) {
	for i, v := range []starlark.Value{x, y} {
		inst, ok := v.(*Instance)
		if !ok {
			continue
		}
		if fn := inst.class.lookup(names[i]); fn != nil {
			other := y
			if i == 1 {
				other = x
			}
			r, err := rt.call(inst.bind(fn), starlark.Tuple{other}, nil)
			if err != nil || r != notImplemented {
				return r, err
			}
		}
	}
	return nil, nil
}

// compareValue is <, <=, > or >= as an expression.
func (rt *runtime) compareValue(op string, x, y starlark.Value) (starlark.Value, error) {
	if v, err := rt.richCompare(orderDunder[op], x, y); v != nil || err != nil {
		return v, err
	}
	ok, err := rt.compare(op, x, y)
	return starlark.Bool(ok), err
}

func (rt *runtime) neValue(x, y starlark.Value) (starlark.Value, error) {
	if a, ok := x.(*Instance); ok {
		if fn := a.class.lookup("__ne__"); fn != nil {
			v, err := rt.call(a.bind(fn), starlark.Tuple{y}, nil)
			if err != nil || v != notImplemented {
				return v, err
			}
		}
	}
	ok, err := rt.equal(x, y)
	return starlark.Bool(!ok), err
}

// kwargs joins **a, **b.
func (rt *runtime) kwargs(maps starlark.Tuple) (starlark.Value, error) {
	d := new(starlark.Dict)
	for _, m := range maps {
		items, err := rt.items(m)
		if err != nil {
			return nil, Raise("TypeError", "argument after ** must be a mapping, not %s", typeName(m))
		}
		for _, kv := range items {
			if _, ok := kv[0].(starlark.String); !ok {
				return nil, Raise("TypeError", "keywords must be strings")
			}
			if _, dup, _ := d.Get(kv[0]); dup {
				return nil, Raise("TypeError", "got multiple values for keyword argument '%s'", string(kv[0].(starlark.String)))
			}
			if err := d.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// genMap and genFlat are the clauses of a generator expression.
func (rt *runtime) genMap(iterable starlark.Value, arity int, fn starlark.Value) (starlark.Value, error) {
	step, err := rt.clause(iterable, arity, fn)
	if err != nil {
		return nil, err
	}
	return &Iter{name: "generator", next: step}, nil
}

func (rt *runtime) clause(iterable starlark.Value, arity int, fn starlark.Value) (nextFunc, error) {
	next, err := rt.iterate(iterable)
	if err != nil {
		return nil, err
	}
	return func() (starlark.Value, bool, error) {
		for {
			v, ok, err := next()
			if !ok || err != nil {
				return nil, false, err
			}
			args := starlark.Tuple{v}
			if arity >= 0 {
				s, err := rt.seq(v)
				if err != nil {
					return nil, false, err
				}
				if args, ok = s.(starlark.Tuple); !ok {
					args = listElems(s.(*starlark.List))
				}
				if len(args) > arity {
					return nil, false, Raise("ValueError", "too many values to unpack (expected %d)", arity)
				}
				if len(args) < arity {
					return nil, false, Raise("ValueError", "not enough values to unpack (expected %d, got %d)", arity, len(args))
				}
			}
			r, err := rt.call(fn, args, nil)
			if err != nil {
				return nil, false, err
			}
			if r != skipMarker {
				return r, true, nil
			}
		}
	}, nil
}

func (rt *runtime) genFlat(iterable starlark.Value, arity int, fn starlark.Value) (starlark.Value, error) {
	outer, err := rt.clause(iterable, arity, fn)
	if err != nil {
		return nil, err
	}
	var inner nextFunc
	return &Iter{name: "generator", next: func() (starlark.Value, bool, error) {
		for {
			if inner != nil {
				v, ok, err := inner()
				if ok || err != nil {
					return v, ok, err
				}
				inner = nil
			}
			v, ok, err := outer()
			if !ok || err != nil {
				return nil, false, err
			}
			inner = v.(*Iter).Next
		}
	}}, nil
}

// enterContext and exitContext serve with, and async with.
func (rt *runtime) enterContext(v starlark.Value, async bool) (starlark.Value, error) {
	name, other, protocol := "__enter__", "__aenter__", "context manager"
	if async {
		name, other, protocol = other, name, "asynchronous context manager"
	}
	if fn, err := rt.getattr(v, name); err == nil && fn != nil {
		r, err := rt.call(fn, nil, nil)
		if err != nil || !async {
			return r, err
		}
		return rt.await(r)
	}
	e := Raise("TypeError", "'%s' object does not support the %s protocol", typeName(v), protocol)
	if fn, err := rt.getattr(v, other); err == nil && fn != nil {
		e.Hint = "write async with"
		if async {
			e.Hint = "write with, without async"
		}
	}
	return nil, e
}

func (rt *runtime) exitContext(v, state starlark.Value, async bool) error {
	st, _ := state.(*tryState)
	args := starlark.Tuple{starlark.None, starlark.None, starlark.None}
	if st != nil && st.err != nil {
		args[0], args[1] = st.inst.class, st.inst
	}
	name := "__exit__"
	if async {
		name = "__aexit__"
	}
	if fn, err := rt.getattr(v, name); err == nil && fn != nil {
		r, err := rt.call(fn, args, nil)
		if err == nil && async {
			r, err = rt.await(r)
		}
		if err != nil {
			return err
		}
		if st != nil && st.err != nil {
			if ok, err := rt.truth(r); ok || err != nil {
				st.err = nil
				return err
			}
			return st.err
		}
		return nil
	}
	if st != nil && st.err != nil {
		return st.err
	}
	return nil
}
