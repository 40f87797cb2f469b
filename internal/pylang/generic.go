package pylang

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// genericAlias is a subscripted built-in type where a program evaluates it,
// such as list[int] outside of an annotation.
type genericAlias struct {
	origin *TypeObj
	args   starlark.Tuple
}

// subscript gives t[key].
func (t *TypeObj) subscript(key starlark.Value) (starlark.Value, error) {
	switch t.name {
	case "list", "dict", "set", "frozenset", "tuple", "type", "enumerate", "filter", "map", "zip", "reversed", "collections.deque", "collections.defaultdict", "deque", "defaultdict", "Counter", "OrderedDict":
	default:
		return nil, Raise("TypeError", "type '%s' is not subscriptable", t.name)
	}
	args, ok := key.(starlark.Tuple)
	if !ok {
		args = starlark.Tuple{key}
	}
	return &genericAlias{t, args}, nil
}

func (g *genericAlias) String() string {
	if len(g.args) == 0 {
		return g.origin.name + "[()]"
	}
	parts := make([]string, len(g.args))
	for i, a := range g.args {
		parts[i] = typeText(a)
	}
	return g.origin.name + "[" + strings.Join(parts, ", ") + "]"
}
func (g *genericAlias) Type() string         { return "types.GenericAlias" }
func (g *genericAlias) Freeze()              {}
func (g *genericAlias) Truth() starlark.Bool { return true }
func (g *genericAlias) Name() string         { return g.origin.name }
func (g *genericAlias) Hash() (uint32, error) {
	h, err := g.args.Hash()
	return h ^ 0x5bd1e995, err
}
func (g *genericAlias) AttrNames() []string {
	return append(g.origin.AttrNames(), "__args__", "__origin__")
}
func (g *genericAlias) Attr(name string) (starlark.Value, error) {
	switch name {
	case "__origin__":
		return g.origin, nil
	case "__args__":
		return g.args, nil
	}
	return g.origin.Attr(name)
}

func (g *genericAlias) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return g.origin.CallInternal(thread, args, kwargs)
}

// CompareSameType makes list[int] equal to another list[int].
func (g *genericAlias) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	o := y.(*genericAlias)
	same := g.origin.name == o.origin.name
	if same {
		var err error
		if same, err = starlark.EqualDepth(g.args, o.args, depth); err != nil {
			return false, err
		}
	}
	return same == (op == syntax.EQL), nil
}

// Get refuses what CPython refuses where no type variable is left.
func (g *genericAlias) Get(starlark.Value) (starlark.Value, bool, error) {
	return nil, false, Raise("TypeError", "%s is not a generic class", g.String())
}

// Binary serves list[int] | None.
func (g *genericAlias) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	return unionBinary(g, op, y, side)
}

// typeUnion is int | None. A union of types for isinstance is also what
// Optional and Union stand for.
type typeUnion struct{ members starlark.Tuple }

func (u *typeUnion) String() string {
	parts := make([]string, len(u.members))
	for i, m := range u.members {
		parts[i] = typeText(m)
	}
	return strings.Join(parts, " | ")
}
func (u *typeUnion) Type() string         { return "types.UnionType" }
func (u *typeUnion) Freeze()              {}
func (u *typeUnion) Truth() starlark.Bool { return true }
func (u *typeUnion) Hash() (uint32, error) {
	var h uint32
	for _, m := range u.members { // the order of members does not count
		x, err := m.Hash()
		if err != nil {
			return 0, err
		}
		h ^= x
	}
	return h, nil
}

func (u *typeUnion) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o := y.(*typeUnion)
	same := len(u.members) == len(o.members)
	for _, m := range u.members {
		same = same && o.has(m)
	}
	return same == (op == syntax.EQL), nil
}

func (u *typeUnion) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	return unionBinary(u, op, y, side)
}

func (u *typeUnion) has(t starlark.Value) bool {
	for _, m := range u.members {
		if eq, err := starlark.Equal(m, t); eq && err == nil {
			return true
		}
	}
	return false
}

// unionBinary serves | of everything that may be part of a union; nil for others.
func unionBinary(t starlark.Value, op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if op != syntax.PIPE || !isTypeLike(y) {
		return nil, nil
	}
	if side == starlark.Right {
		t, y = y, t
	}
	u := &typeUnion{}
	for _, v := range []starlark.Value{t, y} {
		members := starlark.Tuple{v}
		if w, ok := v.(*typeUnion); ok {
			members = w.members
		}
		for _, m := range members {
			if !u.has(m) {
				u.members = append(u.members, m)
			}
		}
	}
	if len(u.members) == 1 {
		return u.members[0], nil
	}
	return u, nil
}

// typeText is how a type reads inside another one's text.
func typeText(v starlark.Value) string {
	switch v := v.(type) {
	case *TypeObj:
		return v.name
	case *Class:
		return v.qualname()
	case ellipsisType:
		return "..."
	case *starlark.List:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = typeText(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return reprPlain(v)
}
