package stdlib

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const bisectText = `
"""Places in sorted lists."""

def bisect_left(a, x, lo=0, hi=None, *, key=None): """The first place for x that keeps a sorted."""
def bisect_right(a, x, lo=0, hi=None, *, key=None): """The last place for x that keeps a sorted."""
def bisect(a, x, lo=0, hi=None, *, key=None): """bisect_right"""
def insort_left(a, x, lo=0, hi=None, *, key=None): """Inserts x before its equals."""
def insort_right(a, x, lo=0, hi=None, *, key=None): """Inserts x behind its equals."""
def insort(a, x, lo=0, hi=None, *, key=None): """insort_right"""
`

var bisectDoc = guest.Lazy(bisectText)

func makeBisect(_ *Env, c *guest.Contract) starlark.StringDict {
	return c.Bind("bisect", map[string]guest.Impl{
		"bisect_left": bisectAt(true), "bisect_right": bisectAt(false), "bisect": bisectAt(false),
		"insort_left": insort(true), "insort_right": insort(false), "insort": insort(false),
	})
}

func bisectAt(left bool) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		i, err := placeOf(t, a, a.V[1], left)
		return starlark.MakeInt(i), err
	}
}

func insort(left bool) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		x := a.V[1]
		if a.Given(4) {
			var err error
			if x, err = pylang.Call(t, a.V[4], starlark.Tuple{x}, nil); err != nil {
				return nil, err
			}
		}
		i, err := placeOf(t, a, x, left)
		if err != nil {
			return nil, err
		}
		insert, err := pylang.GetAttr(t, a.V[0], "insert")
		if err != nil {
			return nil, err
		}
		return pylang.Call(t, insert, starlark.Tuple{starlark.MakeInt(i), a.V[1]}, nil)
	}
}

// placeOf halves the range until one place is left.
func placeOf(t *starlark.Thread, a *guest.Args, x starlark.Value, left bool) (int, error) {
	lo, err := a.Index(2, 0)
	if err != nil {
		return 0, err
	}
	if lo < 0 {
		return 0, raise("ValueError", "lo must be non-negative")
	}
	hi, err := pylang.Len(t, a.V[0])
	if a.Given(3) {
		hi, err = a.Index(3, 0)
	}
	if err != nil {
		return 0, err
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		v, err := pylang.Index(t, a.V[0], starlark.MakeInt(mid))
		if err != nil {
			return 0, err
		}
		if a.Given(4) {
			if v, err = pylang.Call(t, a.V[4], starlark.Tuple{v}, nil); err != nil {
				return 0, err
			}
		}
		var below bool
		if left {
			below, err = pylang.Less(t, v, x)
		} else {
			below, err = pylang.Less(t, x, v)
			below = !below
		}
		if err != nil {
			return 0, err
		}
		if below {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}
