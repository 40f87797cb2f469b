package stdlib

import (
	"strconv"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// deque is a ring of values.
type deque struct {
	t      *starlark.Thread
	ring   []starlark.Value
	head   int
	n      int
	max    int // -1: no bound
	frozen bool
	iters  int // iterations under way
}

var (
	_ starlark.HasSetIndex = (*deque)(nil)
	_ starlark.Sequence    = (*deque)(nil)
	_ starlark.Comparable  = (*deque)(nil)
	_ starlark.HasBinary   = (*deque)(nil)
)

func newDeque(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	d := &deque{t: t, max: -1}
	if a.Given(1) {
		n, err := a.Index(1, 0)
		if err != nil {
			return nil, raise("TypeError", "an integer is required")
		}
		if n < 0 {
			return nil, raise("ValueError", "maxlen must be non-negative")
		}
		d.max = n
	}
	if a.Given(0) {
		return d, d.extend(t, a.V[0], false)
	}
	return d, nil
}

func (d *deque) at(i int) *starlark.Value { return &d.ring[(d.head+i)%len(d.ring)] }

func (d *deque) list() []starlark.Value {
	out := make([]starlark.Value, d.n)
	for i := range out {
		out[i] = *d.at(i)
	}
	return out
}

func (d *deque) grow() {
	if d.n < len(d.ring) {
		return
	}
	ring := make([]starlark.Value, max(8, 2*d.n))
	copy(ring, d.list())
	d.ring, d.head = ring, 0
}

func (d *deque) push(v starlark.Value, left bool) {
	if d.max == 0 {
		return
	}
	if d.n == d.max {
		d.drop(!left)
	}
	d.grow()
	if left {
		d.head = (d.head + len(d.ring) - 1) % len(d.ring)
		d.n++
		*d.at(0) = v
		return
	}
	d.n++
	*d.at(d.n - 1) = v
}

func (d *deque) drop(left bool) starlark.Value {
	i := d.n - 1
	if left {
		i = 0
	}
	v := *d.at(i)
	*d.at(i) = nil
	if left {
		d.head = (d.head + 1) % len(d.ring)
	}
	d.n--
	return v
}

func (d *deque) extend(t *starlark.Thread, v starlark.Value, left bool) error {
	if v == d {
		for _, x := range d.list() {
			d.push(x, left)
		}
		return nil
	}
	return guest.Each(t, v, func(x starlark.Value) error {
		if d.n > 1<<16 && d.n&(d.n-1) == 0 {
			if err := pylang.CheckAlloc(t, int64(d.n)*32); err != nil {
				return err
			}
		}
		d.push(x, left)
		return nil
	})
}

func (d *deque) String() string {
	s, err := d.repr(d.t)
	if err != nil {
		return "deque(...)"
	}
	return s
}

func (d *deque) repr(t *starlark.Thread) (string, error) {
	s, err := pylang.Repr(t, list(d.list()))
	if err != nil {
		return "", err
	}
	if d.max >= 0 {
		return "deque(" + s + ", maxlen=" + strconv.Itoa(d.max) + ")", nil
	}
	return "deque(" + s + ")", nil
}

func (d *deque) PyType() starlark.Value { return classOf("deque", nil) }

func (d *deque) Type() string          { return "deque" }
func (d *deque) Truth() starlark.Bool  { return d.n > 0 }
func (d *deque) Hash() (uint32, error) { return 0, raise("TypeError", "unhashable type: 'deque'") }
func (d *deque) Len() int              { return d.n }

func (d *deque) Freeze() {
	d.frozen = true
	for i := range d.n {
		(*d.at(i)).Freeze()
	}
}

func (d *deque) Index(i int) starlark.Value { return *d.at(i) }

func (d *deque) SetIndex(i int, v starlark.Value) error {
	*d.at(i) = v
	return nil
}

func (d *deque) Iterate() starlark.Iterator {
	d.iters++
	return &dequeIter{d: d}
}

type dequeIter struct {
	d *deque
	i int
}

func (it *dequeIter) Next(p *starlark.Value) bool {
	if it.i >= it.d.n {
		return false
	}
	*p = *it.d.at(it.i)
	it.i++
	return true
}

func (it *dequeIter) Done() { it.d.iters-- }

// CompareSameType compares as lists.
func (d *deque) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return starlark.CompareDepth(op, starlark.Tuple(d.list()), starlark.Tuple(y.(*deque).list()), depth)
}

// DelItem is del d[i].
func (d *deque) DelItem(key starlark.Value) error {
	n, ok := guest.AsInt(key)
	i, fits := n.Int64()
	if i < 0 {
		i += int64(d.n)
	}
	if !ok || !fits || i < 0 || i >= int64(d.n) {
		return raise("IndexError", "deque index out of range")
	}
	all := d.list()
	d.ring, d.head, d.n = append(all[:i:i], all[i+1:]...), 0, d.n-1
	return nil
}

// Binary is d + other and v in d.
func (d *deque) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch {
	case op == syntax.PLUS && side == starlark.Left:
		o, ok := y.(*deque)
		if !ok {
			return nil, nil
		}
		out := &deque{t: d.t, max: d.max}
		for _, v := range append(d.list(), o.list()...) {
			out.push(v, false)
		}
		return out, nil
	case op == syntax.IN && side == starlark.Right:
		for _, v := range d.list() {
			if eq, err := pylang.Equal(d.t, v, y); err != nil || eq {
				return starlark.Bool(eq), err
			}
		}
		return starlark.False, nil
	}
	return nil, nil
}

// Has is v in d.
func (d *deque) Has(v starlark.Value) (bool, error) {
	x, err := d.Binary(syntax.IN, v, starlark.Right)
	return x == starlark.True, err
}

var dequeDoc = guest.Lazy(`
def append(x, /): ...
def appendleft(x, /): ...
def pop(): ...
def popleft(): ...
def extend(iterable, /): ...
def extendleft(iterable, /): ...
def rotate(n=1, /): ...
def clear(): ...
def copy(): ...
def count(x, /): ...
def index(x, start=0, stop=None, /): ...
def insert(i, x, /): ...
def remove(x, /): ...
def reverse(): ...
`)

func (d *deque) AttrNames() []string {
	names := []string{"maxlen"}
	for _, f := range dequeDoc().Funcs {
		names = append(names, f.Name)
	}
	return names
}

func (d *deque) Attr(name string) (starlark.Value, error) {
	if name == "maxlen" {
		if d.max < 0 {
			return starlark.None, nil
		}
		return starlark.MakeInt(d.max), nil
	}
	f := dequeDoc().Func(name)
	if f == nil {
		return nil, raise("AttributeError", "'collections.deque' object has no attribute '%s'", name)
	}
	return f.Builtin("", func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return d.call(t, name, a) }), nil
}

func (d *deque) call(t *starlark.Thread, name string, a *guest.Args) (starlark.Value, error) {
	switch name {
	case "append", "appendleft":
		d.push(a.V[0], name == "appendleft")
	case "pop", "popleft":
		if d.n == 0 {
			return nil, raise("IndexError", "pop from an empty deque")
		}
		return d.drop(name == "popleft"), nil
	case "extend", "extendleft":
		return starlark.None, d.extend(t, a.V[0], name == "extendleft")
	case "rotate":
		n, err := a.Index(0, 1)
		if err != nil {
			return nil, err
		}
		if d.n > 0 {
			all := d.list()
			n = ((n % d.n) + d.n) % d.n
			for i, v := range all {
				*d.at((i + n) % d.n) = v
			}
		}
	case "clear":
		d.ring, d.head, d.n = nil, 0, 0
	case "copy":
		return &deque{t: d.t, ring: d.list(), n: d.n, max: d.max}, nil
	case "count":
		n := 0
		for _, v := range d.list() {
			eq, err := pylang.Equal(t, v, a.V[0])
			if err != nil {
				return nil, err
			}
			if eq {
				n++
			}
		}
		return starlark.MakeInt(n), nil
	case "index":
		return d.index(t, a)
	case "insert":
		i, err := a.Index(0, 0)
		if err != nil {
			return nil, err
		}
		if d.n == d.max {
			return nil, raise("IndexError", "deque already at its maximum size")
		}
		d.insert(i, a.V[1])
	case "remove":
		all := d.list()
		for i, v := range all {
			eq, err := pylang.Equal(t, v, a.V[0])
			if err != nil {
				return nil, err
			}
			if eq {
				d.ring, d.head, d.n = append(all[:i:i], all[i+1:]...), 0, d.n-1
				return starlark.None, nil
			}
		}
		return nil, raise("ValueError", "deque.remove(x): x not in deque")
	case "reverse":
		all := d.list()
		for i, v := range all {
			*d.at(len(all) - 1 - i) = v
		}
	}
	return starlark.None, nil
}

func (d *deque) insert(i int, v starlark.Value) {
	if i < 0 {
		i = max(0, i+d.n)
	}
	i = min(i, d.n)
	all := d.list()
	ring := append(append(append([]starlark.Value(nil), all[:i]...), v), all[i:]...)
	d.ring, d.head, d.n = ring, 0, len(ring)
}

func (d *deque) index(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	start, err := a.Index(1, 0)
	if err != nil {
		return nil, err
	}
	stop := d.n
	if a.Given(2) {
		if stop, err = a.Index(2, d.n); err != nil {
			return nil, err
		}
	}
	if start < 0 {
		start = max(0, start+d.n)
	}
	if stop < 0 {
		stop += d.n
	}
	for i := start; i < min(stop, d.n); i++ {
		eq, err := pylang.Equal(t, *d.at(i), a.V[0])
		if err != nil {
			return nil, err
		}
		if eq {
			return starlark.MakeInt(i), nil
		}
	}
	r, err := pylang.Repr(t, a.V[0])
	if err != nil {
		return nil, err
	}
	return nil, raise("ValueError", "%s is not in deque", r)
}
