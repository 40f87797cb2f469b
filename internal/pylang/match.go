package pylang

import (
	"go.starlark.net/starlark"
)

// matchCase tries a lowered pattern. It gives the captures, or None.
func (rt *runtime) matchCase(subject starlark.Value, pat starlark.Tuple) (starlark.Value, error) {
	var caps starlark.Tuple
	ok, err := rt.matchOne(subject, pat, &caps)
	if err != nil {
		return nil, err
	}
	if !ok {
		return starlark.None, nil
	}
	if caps == nil {
		caps = starlark.Tuple{}
	}
	return caps, nil
}

func (rt *runtime) matchOne(v starlark.Value, pat starlark.Tuple, caps *starlark.Tuple) (bool, error) {
	put := func(slot starlark.Value, x starlark.Value) {
		i := smallInt(slot)
		if i < 0 {
			return
		}
		for len(*caps) <= i {
			*caps = append(*caps, starlark.None)
		}
		(*caps)[i] = x
	}
	kind, args := string(pat[0].(starlark.String)), pat[1:]
	switch kind {
	case "value":
		return rt.equal(v, args[0])
	case "is":
		return identical(v, args[0]), nil
	case "capture":
		put(args[0], v)
		return true, nil
	case "as":
		ok, err := rt.matchOne(v, args[1].(starlark.Tuple), caps)
		if ok {
			put(args[0], v)
		}
		return ok, err
	case "or":
		for _, p := range args {
			if ok, err := rt.matchOne(v, p.(starlark.Tuple), caps); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case "seq":
		var list []starlark.Value
		switch s := plain(v).(type) {
		case *starlark.List:
			list = listElems(s)
		case starlark.Tuple:
			list = s
		default:
			if !rangeLike(v) {
				return false, nil
			}
			l, err := rt.list(v)
			if err != nil {
				return false, err
			}
			list = l
		}
		star, pats := smallInt(args[0]), args[1:]
		if star < 0 && len(list) != len(pats) || star >= 0 && len(list) < len(pats)-1 {
			return false, nil
		}
		for i, p := range pats {
			x := starlark.Value(nil)
			switch {
			case star >= 0 && i == star:
				x = starlark.NewList(append([]starlark.Value(nil), list[i:len(list)-(len(pats)-i-1)]...))
			case star >= 0 && i > star:
				x = list[len(list)-(len(pats)-i)]
			default:
				x = list[i]
			}
			if ok, err := rt.matchOne(x, p.(starlark.Tuple), caps); !ok || err != nil {
				return ok, err
			}
		}
		return true, nil
	case "map":
		d, ok := asDict(v)
		if !ok {
			return false, nil
		}
		keys, pats := args[0].(starlark.Tuple), args[1].(starlark.Tuple)
		for i, k := range keys {
			x, found, err := dictGet(d, k)
			if !found || err != nil {
				return false, err
			}
			if ok, err := rt.matchOne(x, pats[i].(starlark.Tuple), caps); !ok || err != nil {
				return ok, err
			}
		}
		if smallInt(args[2]) >= 0 {
			rest := copyDict(d)
			for _, k := range keys {
				if s, found, _ := dictKey(rest, k); found {
					_, _, _ = rest.Delete(s)
				}
			}
			put(args[2], rest)
		}
		return true, nil
	case "class":
		return rt.matchClass(v, args, caps)
	}
	return false, nil
}

func (rt *runtime) matchClass(v starlark.Value, args starlark.Tuple, caps *starlark.Tuple) (bool, error) {
	if ok, err := rt.isInstance(v, args[0]); !ok || err != nil {
		return false, err
	}
	names, pats := args[1].(starlark.Tuple), args[2].(starlark.Tuple)
	for i, p := range pats {
		name := string(names[i].(starlark.String))
		x := v
		if name == "" {
			c, isClass := args[0].(*Class)
			switch {
			case !isClass && i == 0: // str(x), int(x)
			case isClass && c.data != nil && i < len(c.data.fields):
				name = c.data.fields[i].name
			case isClass && c.lookup("__match_args__") != nil:
				m, err := rt.getitem(c.lookup("__match_args__"), starlark.MakeInt(i))
				if err != nil {
					return false, err
				}
				name, _ = starlark.AsString(m)
			default:
				return false, Raise("TypeError", "%s() accepts 0 positional sub-patterns (%d given)", typeNameOf(args[0]), len(pats))
			}
		}
		if name != "" {
			a, err := rt.getattr(v, name)
			if err != nil {
				if rt.isClass(err, "AttributeError") {
					return false, nil
				}
				return false, err
			}
			x = a
		}
		if ok, err := rt.matchOne(x, p.(starlark.Tuple), caps); !ok || err != nil {
			return ok, err
		}
	}
	return true, nil
}

func typeNameOf(v starlark.Value) string {
	if c, ok := v.(starlark.Callable); ok {
		return c.Name()
	}
	return typeName(v)
}
