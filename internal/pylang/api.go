package pylang

import "go.starlark.net/starlark"

// Iter is Python's iterator: a lazy sequence with a next function, which may
// fail. It is what generators, zip, map and the functions of itertools return.
type Iter struct {
	name string
	next func() (starlark.Value, bool, error)
}

// NewIter makes an iterator of the named type ("zip", "itertools.count"). next
// returns false at the end; it is not called again after that or after an error.
func NewIter(name string, next func() (v starlark.Value, ok bool, err error)) *Iter {
	return &Iter{name: name, next: next}
}
