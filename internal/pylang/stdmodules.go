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
		"copy":        copyModule(fn),
		"abc": {Name: "abc", Members: starlark.StringDict{
			"ABC": &TypeObj{name: "ABC"}, "ABCMeta": &TypeObj{name: "ABCMeta"},
			"abstractmethod": fn("abstractmethod", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return &abstractMethod{wrapper{"abstractmethod", args[0]}}, nil
			}),
		}},
		"enum": {Name: "enum", Members: starlark.StringDict{
			"Enum": &TypeObj{name: "Enum"}, "IntEnum": &TypeObj{name: "IntEnum"}, "StrEnum": &TypeObj{name: "StrEnum"},
			"auto": fn("auto", func(*runtime, *starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
				return autoValue, nil
			}),
			"unique": fn("unique", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
				return args[0], nil
			}),
		}},
	}
}
