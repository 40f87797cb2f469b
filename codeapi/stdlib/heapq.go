package stdlib

import (
	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const heapqText = `
"""Lists kept as heaps: heap[0] is the smallest element."""

def heappush(heap, item, /): """Adds item."""
def heappop(heap, /): """Takes the smallest element away and returns it."""
def heapify(x, /): """Makes a heap of a list, in place."""
def heappushpop(heap, item, /): """heappush, then heappop."""
def heapreplace(heap, item, /): """heappop, then heappush."""
def nsmallest(n, iterable, key=None): """sorted(iterable, key=key)[:n]"""
def nlargest(n, iterable, key=None): """sorted(iterable, key=key, reverse=True)[:n]"""
def merge(*iterables, key=None, reverse=False): """All elements of sorted iterables, sorted."""
`

var heapqDoc = guest.Lazy(heapqText)

func makeHeapq(_ *Env, c *guest.Contract) starlark.StringDict {
	return c.Bind("heapq", map[string]guest.Impl{
		"heappush": heapPush, "heappop": heapPop, "heapify": heapify,
		"heappushpop": heapPushPop, "heapreplace": heapReplace,
		"nsmallest": ends(false), "nlargest": ends(true), "merge": heapMerge,
	})
}

// heapOf is the argument that must be a list, as a heap. The moves are those of
// CPython, so that programs see the same list: an element goes down to a leaf along
// the smaller children and from there up to its place.
func heapOf(t *starlark.Thread, a *guest.Args) (*heap, error) {
	l, ok := a.V[0].(*starlark.List)
	if !ok {
		return nil, raise("TypeError", "heap argument must be a list, not %s", pylang.TypeName(a.V[0]))
	}
	return &heap{l, t}, nil
}

type heap struct {
	*starlark.List
	t *starlark.Thread
}

// less compares by the program's own rules, which must leave the list alone.
func (h *heap) less(x, y starlark.Value) (bool, error) {
	n := h.Len()
	ok, err := pylang.Less(h.t, x, y)
	if err == nil && h.Len() != n {
		err = raise("RuntimeError", "list changed size during iteration")
	}
	return ok, err
}

// up moves the element at i towards the root, no further than to start.
func (h *heap) up(start, i int) error {
	v := h.Index(i)
	for i > start {
		parent := (i - 1) / 2
		less, err := h.less(v, h.Index(parent))
		if err != nil {
			return err
		}
		if !less {
			break
		}
		if err := h.SetIndex(i, h.Index(parent)); err != nil {
			return err
		}
		i = parent
	}
	return h.SetIndex(i, v)
}

// down moves the element at start to its place below.
func (h *heap) down(start int) error {
	v, i := h.Index(start), start
	for 2*i+1 < h.Len() {
		child := 2*i + 1
		if right := child + 1; right < h.Len() {
			less, err := h.less(h.Index(child), h.Index(right))
			if err != nil {
				return err
			}
			if !less {
				child = right
			}
		}
		if err := h.SetIndex(i, h.Index(child)); err != nil {
			return err
		}
		i = child
	}
	if err := h.SetIndex(i, v); err != nil {
		return err
	}
	return h.up(start, i)
}

func heapPush(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	h, err := heapOf(t, a)
	if err != nil {
		return nil, err
	}
	if err := h.Append(a.V[1]); err != nil {
		return nil, err
	}
	return starlark.None, h.up(0, h.Len()-1)
}

func heapPop(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	h, err := heapOf(t, a)
	if err != nil {
		return nil, err
	}
	if h.Len() == 0 {
		return nil, raise("IndexError", "index out of range")
	}
	pop, err := pylang.GetAttr(t, h.List, "pop")
	if err != nil {
		return nil, err
	}
	last, err := pylang.Call(t, pop, nil, nil)
	if err != nil || h.Len() == 0 {
		return last, err
	}
	return h.replace(last)
}

// replace puts v in place of the smallest element, which it returns.
func (h *heap) replace(v starlark.Value) (starlark.Value, error) {
	least := h.Index(0)
	if err := h.SetIndex(0, v); err != nil {
		return nil, err
	}
	return least, h.down(0)
}

func heapify(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	h, err := heapOf(t, a)
	if err != nil {
		return nil, err
	}
	for i := h.Len()/2 - 1; i >= 0; i-- {
		if err := h.down(i); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

func heapPushPop(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	h, err := heapOf(t, a)
	if err != nil || h.Len() == 0 {
		return a.V[1], err
	}
	less, err := h.less(h.Index(0), a.V[1])
	if err != nil || !less {
		return a.V[1], err
	}
	return h.replace(a.V[1])
}

func heapReplace(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	h, err := heapOf(t, a)
	if err != nil {
		return nil, err
	}
	if h.Len() == 0 {
		return nil, raise("IndexError", "index out of range")
	}
	return h.replace(a.V[1])
}

// sorted is Python's function.
func sorted(t *starlark.Thread, v, key starlark.Value, reverse bool) (*starlark.List, error) {
	kw := []starlark.Tuple{{text("reverse"), starlark.Bool(reverse)}}
	if key != nil {
		kw = append(kw, starlark.Tuple{text("key"), key})
	}
	out, err := pylang.Call(t, pylang.Builtin(t, "sorted"), starlark.Tuple{v}, kw)
	if err != nil {
		return nil, err
	}
	return out.(*starlark.List), nil
}

func ends(largest bool) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		n, err := a.Index(0, 0)
		if err != nil {
			return nil, err
		}
		l, err := sorted(t, a.V[1], a.V[2], largest)
		if err != nil {
			return nil, err
		}
		return l.Slice(0, max(0, min(n, l.Len())), 1), nil
	}
}

func heapMerge(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	all := new(starlark.List)
	for _, v := range a.Rest {
		if err := guest.Each(t, v, all.Append); err != nil {
			return nil, err
		}
	}
	l, err := sorted(t, all, a.V[0], a.Bool(1, false))
	if err != nil {
		return nil, err
	}
	i := 0
	return pylang.NewIter("generator", func() (starlark.Value, bool, error) {
		if i >= l.Len() {
			return nil, false, nil
		}
		i++
		return l.Index(i - 1), true, nil
	}), nil
}
