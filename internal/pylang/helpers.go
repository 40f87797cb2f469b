package pylang

import (
	"go.starlark.net/starlark"
)

// makeHelpers lists the functions that lowered programs call by name.
func makeHelpers() map[string]helperFunc {
	h := map[string]helperFunc{}
	type tuple = starlark.Tuple
	type value = starlark.Value
	boolean := func(b bool, err error) (value, error) { return starlark.Bool(b), err }
	for op, name := range opName {
		h[name] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
			return rt.binary(op, a[0], a[1])
		}
		h["i"+name] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
			return rt.inplace(op, a[0], a[1])
		}
		h["augitem_"+name] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
			old, err := rt.getitem(a[0], a[1])
			if err != nil {
				return nil, err
			}
			v, err := rt.inplace(op, old, a[2])
			if err != nil {
				return nil, err
			}
			return starlark.None, rt.setitem(a[0], a[1], v)
		}
	}
	for op, name := range map[string]string{"-": "neg", "+": "pos", "~": "invert"} {
		h[name] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) { return rt.unary(op, a[0]) }
	}
	for _, op := range []string{"<", "<=", ">", ">="} {
		h[compareName[op]] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
			return rt.compareValue(op, a[0], a[1])
		}
	}
	h["eq"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.eqValue(a[0], a[1])
	}
	h["ne"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.neValue(a[0], a[1])
	}
	h["in"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return boolean(rt.contains(a[0], a[1]))
	}
	h["notin"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		ok, err := rt.contains(a[0], a[1])
		return starlark.Bool(!ok), err
	}
	h["is"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.Bool(identical(a[0], a[1])), nil
	}
	h["isnot"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.Bool(!identical(a[0], a[1])), nil
	}
	h["truth"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return boolean(rt.truth(a[0]))
	}
	h["getitem"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.getitem(a[0], a[1])
	}
	h["setitem"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.setitem(a[1], a[2], a[0])
	}
	h["delitem"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.delitem(a[0], a[1])
	}
	h["slice"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.slice(a[0], a[1], a[2], a[3])
	}
	h["setslice"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.setslice(a[1], a[2], a[3], a[4], a[0])
	}
	h["delslice"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.delslice(a[0], a[1], a[2], a[3])
	}
	h["getattr"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.getattr(a[0], string(a[1].(starlark.String)))
	}
	h["setattr"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.setattr(a[1], string(a[2].(starlark.String)), a[0])
	}
	h["delattr"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.delattr(a[0], string(a[1].(starlark.String)))
	}
	h["iter"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.loop(a[0], false, len(a) > 1)
	}
	h["iterseq"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.loop(a[0], true, len(a) > 1)
	}
	h["iterstar"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		next, err := rt.iterate(a[0])
		if err != nil {
			return nil, err
		}
		before, after := smallInt(a[1]), smallInt(a[2])
		return &loop{rt: rt, next: func() (value, bool, error) {
			v, ok, err := next()
			if !ok || err != nil {
				return nil, false, err
			}
			t, err := rt.unpack(v, before, after)
			return t, err == nil, err
		}}, nil
	}
	h["iterpat"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		next, err := rt.iterate(a[0])
		if err != nil {
			return nil, err
		}
		return &loop{rt: rt, next: func() (value, bool, error) {
			v, ok, err := next()
			if !ok || err != nil {
				return nil, false, err
			}
			flat, err := rt.takeApart(nil, v, a[1])
			return flat, err == nil, err
		}}, nil
	}
	h["chk"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		if err := rt.takePending(); err != nil {
			return nil, err
		}
		return a[0], nil
	}
	h["spread"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		list, err := rt.spread(a[0])
		return starlark.NewList(list), err
	}
	h["mapping"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		v, err := rt.force(a[0])
		if err == nil {
			err = noKeys(v)
		}
		if err == nil && !isMapping(v) {
			err = Raise("TypeError", "'%s' object is not a mapping", typeName(v))
		}
		if d, ok := asDict(v); ok && err == nil {
			return copyDict(d), nil // what later entries of the display do to it is too late
		}
		return v, err
	}
	h["hasmethod"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		name := string(a[1].(starlark.String))
		if k := kindName(a[0]); k == "" || methodTables()[k][name] == nil {
			if _, err := rt.getattr(a[0], name); err != nil {
				return nil, err
			}
		}
		return a[0], nil
	}
	h["seq"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) { return rt.seq(a[0]) }
	h["unpack"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.unpack(a[0], smallInt(a[1]), smallInt(a[2]))
	}
	h["args"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		list, err := rt.spread(a[0])
		return starlark.Tuple(list), err
	}
	h["kwargs"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) { return rt.kwargs(a) }
	h["concat"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		parts := a[0].(*starlark.List)
		var out []value
		for i := 0; i < parts.Len(); i++ {
			list, err := rt.spread(parts.Index(i))
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
		return starlark.NewList(out), nil
	}
	h["set"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		s := &Set{}
		l := a[0].(*starlark.List)
		for i := 0; i < l.Len(); i++ {
			if err := s.add(l.Index(i)); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	// CPython builds a display of constants as a frozen set and merges that
	// into an empty one, which shows in the order.
	h["setconst"] = func(rt *runtime, t *starlark.Thread, a tuple, _ []tuple) (value, error) {
		v, err := h["set"](rt, t, a, nil)
		if err != nil {
			return nil, err
		}
		return v.(*Set).clone(), nil
	}
	h["dict"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		l := a[0].(*starlark.List)
		d := starlark.NewDict(l.Len())
		for i := 0; i < l.Len(); i++ {
			t := l.Index(i).(starlark.Tuple)
			if len(t) == 1 {
				if err := rt.dictUpdate(d, t[0]); err != nil {
					return nil, err
				}
				continue
			}
			if err := dictSet(d, t[0], t[1]); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	h["hashable"] = func(_ *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		_, _, err := pyHash(a[0])
		return a[0], err
	}
	h["pair"] = func(_ *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		_, _, err := pyHash(a[0])
		return a, err
	}
	h["box"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		b := &box{name: string(a[0].(starlark.String))}
		if len(a) > 1 {
			b.v = a[1]
		}
		return b, nil
	}
	h["lbox"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		b := &box{name: string(a[0].(starlark.String)), local: true}
		if len(a) > 1 {
			b.v = a[1]
		}
		return b, nil
	}
	h["setbox"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		a[0].(*box).v = a[1]
		return a[1], nil
	}
	h["unset"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		b := a[0].(*box)
		if b.v == nil {
			return nil, b.unset()
		}
		b.v = nil
		return starlark.None, nil
	}
	h["unset_"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		a[0].(*box).v = nil
		return starlark.None, nil
	}
	h["assert"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		inst := &Instance{class: exceptionClass("AssertionError"), args: append(tuple(nil), a...)}
		return nil, rt.raiseInstance(inst)
	}
	h["raise"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) { return nil, rt.raise(a) }
	h["raisein"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		err := rt.raise(a[1:])
		if e, ok := err.(*Exception); ok { // raised while another one was handled
			if i, old := rt.instanceOf(e), a[0].(*tryState).inst; i != old && i.context == nil {
				i.context = old
			}
		}
		return nil, err
	}
	h["reraise"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return nil, a[0].(*tryState).err
	}
	h["catches"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		st := a[0].(*tryState)
		ok, err := rt.catches(st.inst, a[1])
		if ok {
			rt.current = append(rt.current[:0], st.inst)
		}
		return starlark.Bool(ok), err
	}
	h["exsplit"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.takePart(a[0].(*tryState), a[1])
	}
	h["exrest"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.raiseRest(a[0].(*tryState))
	}
	h["try"] = func(rt *runtime, thread *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.try(thread, a[0])
	}
	h["enter"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.enterContext(a[0], false)
	}
	h["aenter"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.enterContext(a[0], true)
	}
	h["exit"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.exitContext(a[0], a[1], false)
	}
	h["aexit"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.None, rt.exitContext(a[0], a[1], true)
	}
	h["aiter"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) { return rt.asyncIter(a[0]) }
	h["await"] = func(rt *runtime, thread *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.awaitOn(thread, a[0])
	}
	h["yield"] = func(rt *runtime, thread *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.yieldValue(thread, a[0])
	}
	h["yieldfrom"] = func(rt *runtime, thread *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.yieldFrom(thread, a[0])
	}
	h["genfn"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return &funcWrap{rt: rt, fn: a[0].(*starlark.Function)}, nil
	}
	h["agenfn"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return &funcWrap{rt: rt, fn: a[0].(*starlark.Function), agen: true}, nil
	}
	h["asyncfn"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return &funcWrap{rt: rt, fn: a[0].(*starlark.Function), async: true}, nil
	}
	h["genmap"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.genMap(a[0], smallInt(a[1]), a[2])
	}
	h["genflat"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.genFlat(a[0], smallInt(a[1]), a[2])
	}
	h["class"] = func(rt *runtime, _ *starlark.Thread, a tuple, kw []tuple) (value, error) {
		c, err := rt.newClass(a, kw)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	h["classhas"] = func(_ *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return starlark.Bool(a[0].(*Class).attrs.Has(string(a[1].(starlark.String)))), nil
	}
	h["noname"] = func(_ *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return nil, Raise("NameError", "name '%s' is not defined", string(a[0].(starlark.String)))
	}
	h["endclass"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.endClass(a[0].(*Class))
	}
	h["field"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		c := a[0].(*Class)
		c.fields = append(c.fields, string(a[1].(starlark.String)))
		return starlark.None, nil
	}
	h["initvar"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		c, name := a[0].(*Class), string(a[1].(starlark.String))
		c.fields = append(c.fields, name)
		c.initVars = append(c.initVars, name)
		return starlark.None, nil
	}
	h["kwonly"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		c := a[0].(*Class)
		c.kwOnly = len(c.fields) + 1
		return starlark.None, nil
	}
	h["annotate"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		if rt.annotators == nil {
			rt.annotators = map[value]value{}
		}
		rt.annotators[a[0]] = a[1]
		return a[0], nil
	}
	h["classvar"] = func(*runtime, *starlark.Thread, tuple, []tuple) (value, error) { return starlark.None, nil }
	h["super"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return &superObject{rt: rt, after: a[0].(*Class), self: a[1]}, nil
	}
	h["resolve"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		mod, name := string(a[0].(starlark.String)), string(a[1].(starlark.String))
		m := rt.cfg.module(mod)
		if m == nil || m.Resolve == nil {
			return nil, Raise("ImportError", "cannot import name '%s' from '%s'", name, mod)
		}
		v, err := m.Resolve(name)
		if v == nil && err == nil {
			err = Raise("ImportError", "cannot import name '%s' from '%s'", name, mod)
		}
		return v, err
	}
	h["match"] = func(rt *runtime, _ *starlark.Thread, a tuple, _ []tuple) (value, error) {
		return rt.matchCase(a[0], a[1].(tuple))
	}
	return h
}
