package pylang

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// typingForm is a name of the typing module where a program evaluates it.
// Annotations are not evaluated, so it needs to do little.
type typingForm struct {
	name string
	args starlark.Tuple
}

func (t *typingForm) String() string        { return "typing." + t.name }
func (t *typingForm) Type() string          { return "typing." + t.name }
func (t *typingForm) Freeze()               {}
func (t *typingForm) Truth() starlark.Bool  { return true }
func (t *typingForm) Hash() (uint32, error) { return starlark.String(t.name).Hash() }
func (t *typingForm) Get(k starlark.Value) (starlark.Value, bool, error) {
	args, ok := k.(starlark.Tuple)
	if !ok {
		args = starlark.Tuple{k}
	}
	return &typingForm{t.name, args}, true, nil
}

// Attr serves P.args and P.kwargs of a ParamSpec.
func (t *typingForm) AttrNames() []string { return []string{"args", "kwargs", "__name__"} }
func (t *typingForm) Attr(name string) (starlark.Value, error) {
	switch name {
	case "args", "kwargs":
		return t, nil
	case "__name__":
		return starlark.String(t.name), nil
	case "__args__":
		if t.args != nil {
			return t.args, nil
		}
		return starlark.Tuple{}, nil
	}
	return nil, nil
}

func (t *typingForm) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	return unionBinary(t, op, y, side)
}

func (rt *runtime) typingInstance(v starlark.Value, t *typingForm) (bool, error) {
	builtin := map[string]string{"List": "list", "Dict": "dict", "Set": "set", "Tuple": "tuple", "FrozenSet": "frozenset", "Type": "type"}
	switch t.name {
	case "Any":
		return true, nil
	case "Union":
		return rt.isInstance(v, t.args)
	case "Optional":
		if v == starlark.None {
			return true, nil
		}
		return rt.isInstance(v, t.args)
	case "Callable":
		_, ok := v.(starlark.Callable)
		return ok, nil
	case "Iterable":
		if c, ok := v.(*Class); ok {
			return c.enum, nil
		}
		_, err := rt.getattr(v, "__iter__")
		return err == nil, nil
	case "Sized", "Container", "Collection":
		_, err := rt.length(v)
		return err == nil, nil
	case "Sequence", "MutableSequence":
		switch v.(type) {
		case *starlark.List:
			return true, nil
		case starlark.Tuple, starlark.String, starlark.Bytes:
			return t.name == "Sequence", nil
		}
		return t.name == "Sequence" && rangeLike(v), nil
	case "AbstractSet":
		_, ok := asSet(v)
		return ok, nil
	case "Hashable":
		_, _, err := pyHash(v)
		return err == nil, nil
	case "Iterator", "Generator":
		it, ok := v.(*Iter)
		if i, isInst := v.(*Instance); isInst {
			return t.name == "Iterator" && i.class.lookup("__next__") != nil && i.class.lookup("__iter__") != nil, nil
		}
		return ok && (t.name == "Iterator" || it.name == "generator"), nil
	case "Awaitable", "Coroutine":
		_, ok := v.(*coroutine)
		_, isFuture := v.(*future)
		return ok || isFuture && t.name == "Awaitable", nil
	case "Mapping", "MutableMapping":
		return isMapping(v), nil
	}
	return typeName(v) == builtin[t.name], nil
}

// abstractBase is the class behind an abstract base class such as Mapping, whose
// methods come from those that the program's class defines; nil for the names of typing
// that say nothing at run time.
func (rt *runtime) abstractBase(c *Class, t *typingForm) (starlark.Value, error) {
	switch t.name {
	case "Generic", "Protocol", "Any":
		return nil, nil
	case "Dict", "List", "Set", "FrozenSet", "Tuple":
		return builtinValue(rt, strings.ToLower(t.name)), nil
	}
	name := t.name
	if name == "AbstractSet" {
		name = "Set"
	}
	lib, err := rt.library(abstractLibrary)
	if err != nil {
		return nil, err
	}
	if base := lib[name]; base != nil {
		return base, nil
	}
	e := Raise("TypeError", "class %s cannot derive from %s", c.name, t)
	e.Hint = "leave it out: annotations need no base class"
	return nil, e
}

// abstractLibrary holds the mixin methods of collections.abc.
var abstractLibrary = &Module{Name: "collections.abc", Source: abcSource}

func typingModule(fn func(string, helperFunc) starlark.Value) *Module {
	m := starlark.StringDict{}
	for _, n := range []string{"Any", "Optional", "Union", "List", "Dict", "Set", "Tuple", "FrozenSet", "Type", "Callable", "Iterable", "Iterator", "Generator", "AsyncIterator", "AsyncGenerator",
		"Sequence", "MutableSequence", "Mapping", "MutableMapping", "Collection", "Awaitable", "Coroutine", "Literal", "Final", "ClassVar", "Annotated", "Generic", "Protocol", "NoReturn", "Never", "Self", "Text",
		"Hashable", "Sized", "Deque", "DefaultDict", "Counter", "OrderedDict", "Pattern", "Match", "TypeAlias", "Concatenate", "ParamSpec", "Required", "NotRequired", "LiteralString", "AnyStr", "SupportsFloat", "SupportsInt", "AsyncIterable", "Reversible", "Container", "AbstractSet", "ByteString", "Unpack", "TypeGuard"} {
		m[n] = &typingForm{name: n}
	}
	m["TYPE_CHECKING"] = starlark.False
	m["TypedDict"] = &TypeObj{name: "TypedDict"}
	m["NamedTuple"] = &TypeObj{name: "NamedTuple"}
	first := func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 0 {
			return starlark.None, nil
		}
		return args[0], nil
	}
	m["cast"] = fn("cast", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if len(args) != 2 {
			return nil, Raise("TypeError", "cast() takes 2 arguments")
		}
		return args[1], nil
	})
	m["overload"], m["final"], m["no_type_check"], m["runtime_checkable"] = fn("overload", first), fn("final", first), fn("no_type_check", first), fn("runtime_checkable", first)
	form := func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return &typingForm{name: "Any"}, nil
	}
	m["TypeVar"], m["ParamSpec"], m["TypeVarTuple"] = fn("TypeVar", form), fn("ParamSpec", form), fn("TypeVarTuple", form)
	m["NewType"] = fn("NewType", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return fn("NewType", first), nil
	})
	m["get_type_hints"] = fn("get_type_hints", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := bind("get_type_hints", args, kwargs, "obj", "globalns?", "localns?", "include_extras?")
		if err != nil {
			return nil, err
		}
		return rt.typeHints(a[0])
	})
	m["get_origin"] = fn("get_origin", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		switch t := firstOr(args, starlark.None).(type) {
		case *genericAlias:
			return t.origin, nil
		case *typingForm:
			if t.args != nil {
				return &typingForm{name: t.name}, nil
			}
		case *typeUnion:
			return &typingForm{name: "Union"}, nil
		}
		return starlark.None, nil
	})
	m["get_args"] = fn("get_args", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		out := starlark.Tuple{}
		switch t := firstOr(args, starlark.None).(type) {
		case *genericAlias:
			out = t.args
		case *typingForm:
			if t.args != nil {
				out = t.args
			}
		case *typeUnion:
			out = t.members
		}
		return out, nil
	})
	return &Module{Name: "typing", Members: m, Doc: "Type hints. They are ignored, except where get_type_hints or __annotations__ asks for them."}
}
