package pylang

import (
	"go.starlark.net/starlark"
)

func dictMethods() map[string]method {
	t := map[string]method{}
	def := func(name string, fn func(rt *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error), params ...string) {
		t[name] = func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("dict."+name, args, kwargs, params...)
			if err != nil {
				return nil, err
			}
			return fn(rt, recv.(*starlark.Dict), a)
		}
	}
	def("get", func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
		v, found, err := dictGet(d, a[0])
		if err != nil || found {
			return v, err
		}
		if a[1] == nil {
			return starlark.None, nil
		}
		return a[1], nil
	}, "key", "default?")
	for _, kind := range []string{"keys", "values", "items"} {
		def(kind, func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
			return &dictView{d: d, kind: kind}, nil
		})
	}
	def("pop", func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
		k, found, err := dictKey(d, a[0])
		if err != nil {
			return nil, err
		}
		if !found {
			if a[1] == nil {
				return nil, newKeyError(a[0])
			}
			return a[1], nil
		}
		v, _, err := d.Delete(k)
		return v, err
	}, "key", "default?")
	def("popitem", func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
		items := d.Items()
		if len(items) == 0 {
			e := newKeyError(starlark.String("popitem(): dictionary is empty"))
			return nil, e
		}
		last := items[len(items)-1]
		_, _, err := d.Delete(last[0])
		return last, err
	})
	def("setdefault", func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
		v, found, err := dictGet(d, a[0])
		if err != nil || found {
			return v, err
		}
		v = a[1]
		if v == nil {
			v = starlark.None
		}
		return v, dictSet(d, a[0], v)
	}, "key", "default?")
	t["update"] = func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		d := recv.(*starlark.Dict)
		if len(args) > 1 {
			return nil, Raise("TypeError", "update expected at most 1 argument, got %d", len(args))
		}
		if len(args) == 1 {
			if err := rt.dictUpdate(d, args[0]); err != nil {
				return nil, err
			}
		}
		for _, kv := range kwargs {
			if err := dictSet(d, kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		return starlark.None, nil
	}
	def("clear", func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
		return starlark.None, d.Clear()
	})
	def("copy", func(_ *runtime, d *starlark.Dict, a []starlark.Value) (starlark.Value, error) {
		return copyDict(d), nil
	})
	return t
}

// dictFromKeys is dict.fromkeys.
func dictFromKeys(rt *runtime, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	a, err := bind("fromkeys", args, kwargs, "iterable", "value?")
	if err != nil {
		return nil, err
	}
	v := a[1]
	if v == nil {
		v = starlark.None
	}
	d := new(starlark.Dict)
	return d, rt.each(a[0], func(k starlark.Value) error { return dictSet(d, k, v) })
}

func setMethods(frozen bool) map[string]method {
	t := map[string]method{}
	def := func(name string, fn func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error), params ...string) {
		t[name] = func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a, err := bind("set."+name, args, kwargs, params...)
			if err != nil {
				return nil, err
			}
			return fn(rt, recv.(*Set), a)
		}
	}
	// toSet gives the elements of any iterable as a set.
	toSet := func(rt *runtime, v starlark.Value) (*Set, error) {
		if s, ok := v.(*Set); ok {
			return s, nil
		}
		return rt.newSet(v)
	}
	many := func(name, op string, update bool) {
		t[name] = func(rt *runtime, recv starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			s := recv.(*Set)
			cur := s.clone()
			cur.frozen = s.frozen
			if update && op == "|" {
				cur = s
			}
			for _, a := range args {
				if update && op == "|" {
					if o, ok := a.(*Set); ok {
						s.merge(o)
						continue
					}
					if err := rt.each(a, s.add); err != nil {
						return nil, err
					}
					continue
				}
				if op == "|" {
					if _, isSet := a.(*Set); !isSet {
						if err := rt.each(a, cur.add); err != nil {
							return nil, err
						}
						continue
					}
				}
				o, err := toSet(rt, a)
				if err != nil {
					return nil, err
				}
				v, err := setBinary(op, cur, o)
				if err != nil {
					return nil, err
				}
				cur = v.(*Set)
			}
			if update {
				if op != "|" {
					s.replace(cur)
				}
				return starlark.None, nil
			}
			return cur, nil
		}
	}
	many("union", "|", false)
	many("intersection", "&", false)
	many("difference", "-", false)
	many("symmetric_difference", "^", false)
	test := func(name string, fn func(a, b *Set) bool) {
		def(name, func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
			o, err := toSet(rt, a[0])
			if err != nil {
				return nil, err
			}
			return starlark.Bool(fn(s, o)), nil
		}, "other")
	}
	test("issubset", func(a, b *Set) bool { return a.subsetOf(b) })
	// until answers as soon as one element is found, or is not.
	until := func(name string, bad bool) {
		def(name, func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
			answer := true
			err := rt.each(a[0], func(v starlark.Value) error {
				found, err := s.has(v)
				if err == nil && found == bad {
					answer = false
					return errStop
				}
				return err
			})
			if err == errStop {
				err = nil
			}
			return starlark.Bool(answer), err
		}, "other")
	}
	until("issuperset", false)
	until("isdisjoint", true)
	def("copy", func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
		c := s.clone()
		c.frozen = s.frozen
		return c, nil
	})
	if frozen {
		return t
	}
	many("update", "|", true)
	many("intersection_update", "&", true)
	many("difference_update", "-", true)
	many("symmetric_difference_update", "^", true)
	def("add", func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
		return starlark.None, s.add(a[0])
	}, "elem")
	def("remove", func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
		ok, err := s.remove(searched(a[0]))
		if err == nil && !ok {
			err = newKeyError(a[0])
		}
		return starlark.None, err
	}, "elem")
	def("discard", func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
		_, err := s.remove(searched(a[0]))
		return starlark.None, err
	}, "elem")
	def("pop", func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
		if s.used == 0 {
			return nil, newKeyError(starlark.String("pop from an empty set"))
		}
		v := s.elems()[0]
		_, err := s.remove(v)
		return v, err
	})
	def("clear", func(rt *runtime, s *Set, a []starlark.Value) (starlark.Value, error) {
		*s = Set{}
		return starlark.None, nil
	})
	return t
}
