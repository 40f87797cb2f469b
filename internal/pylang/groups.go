package pylang

import (
	"go.starlark.net/starlark"
)

// Exception groups, and except*, which takes them apart.

func isGroup(i *Instance) bool { return i.class.subclassOf(exceptionClass("BaseExceptionGroup")) }

// takePart is an except* clause: the part of the exception with the given types, as a
// group, or None.
func (rt *runtime) takePart(st *tryState, types starlark.Value) (starlark.Value, error) {
	if !st.split {
		st.split, st.rest = true, st.inst
		if !isGroup(st.inst) { // an exception by itself counts as a group of one
			g, err := rt.groupLike(nil, []starlark.Value{st.inst})
			if err != nil {
				return nil, err
			}
			st.rest = g
		}
	}
	if st.rest == nil {
		return starlark.None, nil
	}
	part, rest, err := rt.splitGroup(st.rest, types)
	if err != nil {
		return nil, err
	}
	st.rest = rest
	if part == nil {
		return starlark.None, nil
	}
	rt.current = append(rt.current[:0], part)
	return part, nil
}

// raiseRest raises what no except* has taken.
func (rt *runtime) raiseRest(st *tryState) error {
	if st.rest == nil {
		return nil
	}
	if !isGroup(st.inst) || st.rest == st.inst {
		return st.err
	}
	return rt.raiseInstance(st.rest)
}

// splitGroup divides a group by the types of its leaves; a part without leaves is nil.
func (rt *runtime) splitGroup(g *Instance, types starlark.Value) (part, rest *Instance, err error) {
	if ok, err := rt.catches(g, types); ok || err != nil {
		return g, nil, err
	}
	list, _ := g.attrs.get("exceptions")
	all, _ := list.(starlark.Tuple)
	var in, out []starlark.Value
	for _, v := range all {
		e, ok := v.(*Instance)
		if !ok {
			continue
		}
		if isGroup(e) {
			a, b, err := rt.splitGroup(e, types)
			if err != nil {
				return nil, nil, err
			}
			if a != nil {
				in = append(in, a)
			}
			if b != nil {
				out = append(out, b)
			}
			continue
		}
		ok, err := rt.catches(e, types)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			in = append(in, e)
		} else {
			out = append(out, e)
		}
	}
	switch {
	case len(out) == 0:
		return g, nil, nil
	case len(in) == 0:
		return nil, g, nil
	}
	if part, err = rt.groupLike(g, in); err != nil {
		return nil, nil, err
	}
	rest, err = rt.groupLike(g, out)
	return part, rest, err
}

// groupLike is a group of some exceptions with the text of another, nil for none.
func (rt *runtime) groupLike(g *Instance, list []starlark.Value) (*Instance, error) {
	made := &Instance{class: exceptionClass("BaseExceptionGroup"), args: starlark.Tuple{starlark.String(""), starlark.NewList(list)}}
	if g != nil {
		made.args[0], made.cause, made.context = g.args[0], g.cause, g.context
	}
	return made, rt.newGroup(made)
}
