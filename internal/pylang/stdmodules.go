package pylang

import (
	"go.starlark.net/starlark"
)

// builtinModules are the modules that belong to the language itself.
var builtinModules map[string]*Module

func init() {
	fn := func(name string, f helperFunc) starlark.Value {
		return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return f(rtOf(thread), thread, args, kwargs)
		})
	}
	builtinModules = map[string]*Module{
		"asyncio":     asyncioModule(fn),
		"dataclasses": dataclassesModule(fn),
		"typing":      typingModule(fn),
		"contextlib":  contextlibModule(fn),
		"types":       {Name: "types", Members: starlark.StringDict{}, Source: typesSource, Doc: "SimpleNamespace, MappingProxyType, FunctionType and their like."},
		"copy":        copyModule(fn),
		"inspect":     inspectModule(fn),
		"sys":         sysModule(fn),
		"traceback":   tracebackModule(fn),
		"abc": {Name: "abc", Members: starlark.StringDict{
			"ABC": &TypeObj{name: "ABC"}, "ABCMeta": &TypeObj{name: "ABCMeta"},
			"abstractmethod": fn("abstractmethod", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return &abstractMethod{wrapper{"abstractmethod", args[0]}}, nil
			}),
		}},
		"enum": {Name: "enum", Members: starlark.StringDict{
			"Enum": &TypeObj{name: "Enum", make: makeEnum("Enum")}, "IntEnum": &TypeObj{name: "IntEnum", make: makeEnum("IntEnum")}, "StrEnum": &TypeObj{name: "StrEnum", make: makeEnum("StrEnum")},
			"Flag": &TypeObj{name: "Flag", make: makeEnum("Flag")}, "IntFlag": &TypeObj{name: "IntFlag", make: makeEnum("IntFlag")}, "EnumMeta": &TypeObj{name: "EnumMeta"}, "EnumType": &TypeObj{name: "EnumMeta"},
			"auto": fn("auto", func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				return autoValue, nil
			}),
			"unique": fn("unique", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return uniqueEnum(firstOr(args, starlark.None))
			}),
		}},
	}
	builtinModules["collections.abc"] = abstractCollections(builtinModules["typing"])
}

// abstractCollections has the names that collections.abc shares with typing.
func abstractCollections(typing *Module) *Module {
	m := &Module{Name: "collections.abc", Members: starlark.StringDict{}, Doc: "Names for type hints and isinstance."}
	for _, n := range []string{"AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Callable", "Collection", "Container", "Coroutine", "Generator", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping", "MutableSequence", "Reversible", "Sequence", "Sized"} {
		m.Members[n] = typing.Members[n]
	}
	m.Members["Set"], m.Members["MutableSet"] = typing.Members["AbstractSet"], typing.Members["AbstractSet"]
	return m
}
