package codeapi

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const builtinText = `
"""Names that need no import."""

def attempt(fn, *args, **kwargs):
    """Calls fn(*args, **kwargs) and returns {"ok", "value", "error"}: a failure is a value
    instead of an exception. error is "ValueError: what was wrong", or None."""

def help(thing=None):
    """Prints what a module, a function or a hit can do; without thing, what there is."""
`

var builtinDoc = guest.Lazy(builtinText)

func attempt(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	value, err := pylang.Call(t, a.V[0], a.Rest, a.Kw)
	if err == nil {
		value, err = pylang.Await(t, value)
	}
	out := starlark.NewDict(3)
	message := starlark.Value(starlark.None)
	if err != nil {
		x, fatal := pylang.AsException(t, err)
		if fatal != nil {
			return nil, fatal
		}
		value = starlark.None
		message = starlark.String(x.Error())
	}
	for _, kv := range []starlark.Tuple{set("ok", starlark.Bool(err == nil)), set("value", value), set("error", message)} {
		if err := out.SetKey(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
