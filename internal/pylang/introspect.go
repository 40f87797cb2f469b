package pylang

import (
	"strings"

	"go.starlark.net/starlark"
)

// The modules that show a program something of itself: sys, traceback and inspect.
// Most of them is Python, in lib; here is what needs the runtime.

// maxRecursionLimit is how deep sys.setrecursionlimit may let calls nest: an agent's
// call takes up to three of Starlark's.
const maxRecursionLimit = 100_000

func sysModule(fn moduleFunc) *Module {
	return &Module{Name: "sys", Source: sysSource, Doc: "stdout and stderr (both are printed), exit, version_info, maxsize, float_info, setrecursionlimit.", Members: starlark.StringDict{
		"_exc_info": fn("_exc_info", func(rt *runtime, _ *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if n := len(rt.current); n > 0 && rt.current[n-1] != nil {
				return rt.current[n-1], nil
			}
			return starlark.None, nil
		}),
		"_get_limit": fn("_get_limit", func(rt *runtime, _ *starlark.Thread, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.MakeInt(max(rt.shownLimit, 1000)), nil
		}),
		"_set_limit": fn("_set_limit", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			n, err := intArg(args[0], 0)
			if err != nil {
				return nil, err
			}
			if n > maxRecursionLimit {
				e := Raise("ValueError", "recursion limit must be at most %d here", maxRecursionLimit)
				e.Hint = "use a loop with a list as its stack"
				return nil, e
			}
			rt.shownLimit = int(n)
			rt.limit = max(rt.maxDepth(), min(3*int(n), maxStack))
			return starlark.None, nil
		}),
	}}
}

// maxStack bounds what setrecursionlimit can raise the limit to: each level takes some
// kilobytes.
const maxStack = 30_000

func tracebackModule(fn moduleFunc) *Module {
	return &Module{Name: "traceback", Source: tracebackSource, Doc: "format_exc, print_exc, format_exception, format_exception_only, format_tb.", Members: starlark.StringDict{
		"_frames": fn("_frames", func(rt *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			var e *Exception
			switch v := args[0].(type) {
			case *Instance:
				e = v.exc
			case *traceback:
				e = v.exc
			}
			var out []starlark.Value
			if e != nil {
				frames := e.Stack
				if e.caught > 0 && e.caught <= len(frames) {
					frames = frames[e.caught-1:]
				}
				for _, f := range frames {
					out = append(out, starlark.Tuple{starlark.String(f.Name), starlark.MakeInt(f.Line), starlark.String(rt.sourceLine(f.Line))})
				}
			}
			return starlark.NewList(out), nil
		}),
	}}
}

// sourceLine is a line of the program, without the blanks around it.
func (rt *runtime) sourceLine(n int) string {
	if rt.lines == nil {
		rt.lines = strings.Split(rt.source, "\n")
	}
	if n < 1 || n > len(rt.lines) {
		return ""
	}
	return strings.TrimSpace(rt.lines[n-1])
}

func inspectModule(fn moduleFunc) *Module {
	return &Module{Name: "inspect", Source: inspectSource, Doc: "isclass, isfunction, iscoroutinefunction, isawaitable, getdoc, getmembers and their like; no sources and no signatures.", Members: starlark.StringDict{
		"_kind": fn("_kind", func(_ *runtime, _ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.String(kindOf(args[0], len(args) > 1)), nil
		}),
	}}
}

// kindOf names what inspect tells apart; asFunction asks what calling gives.
func kindOf(v starlark.Value, asFunction bool) string {
	switch f := v.(type) {
	case *boundMethod:
		if asFunction {
			return kindOf(f.fn, true)
		}
		return "method"
	case *starlark.Function:
		return "function"
	case *funcWrap:
		switch {
		case !asFunction:
			return "function"
		case f.async:
			return "coroutine function"
		case f.agen:
			return "asyncgen function"
		}
		return "generator function"
	case *starlark.Builtin:
		return "builtin"
	case *coroutine:
		return "coroutine"
	case *future, Awaitable:
		return "future"
	case *Iter:
		return f.name
	}
	return ""
}
