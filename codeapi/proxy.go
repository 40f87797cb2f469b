package codeapi

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/internal/pylang"
)

// A future that is used instead of awaited behaves as its answer: it waits at
// first use. Where an operation has no way to fail, a failed call shows as an
// empty value, and the error is raised by the next operation that can.

var (
	_ starlark.Sequence  = (*future)(nil)
	_ starlark.Sliceable = (*future)(nil)
	_ starlark.Mapping   = (*future)(nil)
	_ starlark.HasAttrs  = (*future)(nil)
	_ starlark.HasBinary = (*future)(nil)
)

func (f *future) Type() string { return "coroutine" }
func (f *future) Freeze()      { f.frozen = true }

func (f *future) String() string {
	if !f.done {
		return "<call of " + f.method + ", not awaited>"
	}
	if f.err != nil {
		return "<failed call of " + f.method + ">"
	}
	return f.value.String()
}

func (f *future) Truth() starlark.Bool {
	v, err := f.force()
	return err != nil || v.Truth()
}

func (f *future) Hash() (uint32, error) {
	v, err := f.force()
	if err != nil {
		return 0, err
	}
	return v.Hash()
}

func (f *future) Len() int {
	v, err := f.force()
	if err != nil {
		return 0
	}
	return max(0, starlark.Len(v))
}

func (f *future) Iterate() starlark.Iterator {
	v, err := f.force()
	if err == nil {
		if it := starlark.Iterate(v); it != nil {
			return it
		}
	}
	return starlark.Tuple(nil).Iterate()
}

// Index implements starlark.Indexable for slices and unpacking.
func (f *future) Index(i int) starlark.Value {
	if v, err := f.force(); err == nil {
		if x, ok := v.(starlark.Indexable); ok && i < x.Len() {
			return x.Index(i)
		}
	}
	return starlark.None
}

func (f *future) Slice(start, end, step int) starlark.Value {
	if v, err := f.force(); err == nil {
		if x, ok := v.(starlark.Sliceable); ok {
			return x.Slice(start, end, step)
		}
	}
	return starlark.None
}

// Get implements f[key] for lists and dicts alike.
func (f *future) Get(key starlark.Value) (starlark.Value, bool, error) {
	v, err := f.force()
	if err != nil {
		return nil, false, err
	}
	x, err := pylang.Index(f.thread, v, key)
	return x, err == nil, err
}

func (f *future) AttrNames() []string { return nil }

func (f *future) Attr(name string) (starlark.Value, error) {
	v, err := f.force()
	if err != nil {
		return nil, err
	}
	return pylang.GetAttr(f.thread, v, name)
}

func (f *future) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	v, err := f.force()
	if err != nil {
		return nil, err
	}
	if side == starlark.Left {
		return starlark.Binary(op, v, y)
	}
	return starlark.Binary(op, y, v)
}
