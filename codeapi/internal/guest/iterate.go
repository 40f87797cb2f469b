package guest

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/internal/pylang"
)

// Next returns the next element of an iteration; ok is false at its end.
type Next = func() (v starlark.Value, ok bool, err error)

// Truth is bool(v), as far as no code of the program is needed for it.
func Truth(v starlark.Value) bool { return bool(v.Truth()) }

// Each calls f for each element of v, in order, until f fails.
func Each(t *starlark.Thread, v starlark.Value, f func(starlark.Value) error) error {
	next, err := pylang.Next(t, v)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		x, ok, err := next()
		if err != nil || !ok {
			return err
		}
		if n%pollEvery == 0 {
			if err := pylang.Poll(t); err != nil {
				return err
			}
		}
		if err := f(x); err != nil {
			return err
		}
	}
}

// pollEvery is how many elements a loop of ours takes before it looks whether the
// run has ended.
const pollEvery = 1024

// Patient wraps a step of an iteration that may run on without giving anything
// out: it looks now and then whether the run has ended.
func Patient(t *starlark.Thread, next Next) Next {
	n := 0
	return func() (starlark.Value, bool, error) {
		if n++; n%pollEvery == 0 {
			if err := pylang.Poll(t); err != nil {
				return nil, false, err
			}
		}
		return next()
	}
}

// Sequence lists the elements of anything that can be iterated. More than limit
// elements are a ValueError.
func Sequence(t *starlark.Thread, v starlark.Value, limit int) ([]starlark.Value, error) {
	if n := starlark.Len(v); n > limit {
		return nil, TooMany(limit)
	}
	var out []starlark.Value
	err := Each(t, v, func(x starlark.Value) error {
		if len(out) >= limit {
			return TooMany(limit)
		}
		out = append(out, x)
		return nil
	})
	return out, err
}

// TooMany is the error for a collection that is larger than a function takes.
func TooMany(limit int) error {
	return pylang.Raise("ValueError", "more than %d elements at once are not possible here", limit)
}
