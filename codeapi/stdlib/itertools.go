package stdlib

import (
	"math"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const itertoolsText = `
"""Iterators as in Python, lazy as there."""

def count(start=0, step=1): """start, start + step, ..."""
def cycle(iterable, /): """The elements again and again."""
def repeat(object, times=None): """object, times over or without end."""
def accumulate(iterable, func=None, *, initial=None): """Running totals, or results of func."""
def chain(*iterables): """One iterable after the other; chain.from_iterable takes them as one."""
def compress(data, selectors): """Elements whose selector is true."""
def dropwhile(predicate, iterable, /): """Elements from the first for which predicate fails."""
def takewhile(predicate, iterable, /): """Elements up to the first for which predicate fails."""
def filterfalse(predicate, iterable, /): """Elements for which predicate fails."""
def groupby(iterable, key=None): """(key, group) of runs of equal keys; sort first to group all."""
def islice(iterable, /, *args): """islice(it, stop) or islice(it, start, stop, step)"""
def pairwise(iterable, /): """Overlapping pairs."""
def starmap(function, iterable, /): """function(*element) of each element."""
def tee(iterable, n=2, /): """n iterators over one."""
def zip_longest(*iterables, fillvalue=None): """zip that fills up the shorter ones."""
def product(*iterables, repeat=1): """Cartesian product."""
def permutations(iterable, r=None): """Ordered selections of r elements."""
def combinations(iterable, r): """Selections of r elements."""
def combinations_with_replacement(iterable, r): """Selections of r elements with repetition."""
def batched(iterable, n): """Tuples of n elements, the last may be shorter."""
`

var itertoolsDoc = guest.Lazy(itertoolsText)

type nextFunc = func() (starlark.Value, bool, error)

func makeItertools(_ *Env, c *guest.Contract) starlark.StringDict {
	m := c.Bind("itertools", map[string]guest.Impl{
		"count": itCount, "cycle": itCycle, "repeat": itRepeat, "accumulate": accumulate, "chain": itChain,
		"compress": compress, "dropwhile": dropwhile, "takewhile": takewhile, "filterfalse": filterfalse,
		"groupby": groupby, "islice": islice, "pairwise": pairwise, "starmap": starmap, "tee": tee,
		"zip_longest": zipLongest, "product": product, "permutations": permutations,
		"combinations":                  selections(false),
		"combinations_with_replacement": selections(true),
		"batched":                       batched,
	})
	m["chain"] = newClass("chain", m["chain"], starlark.StringDict{
		"from_iterable": method("chain.from_iterable", func(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, raise("TypeError", "chain.from_iterable() takes exactly one argument (%d given)", len(args))
			}
			outer, err := patient(t, args[0])
			if err != nil {
				return nil, err
			}
			return pylang.NewIter("itertools.chain", chained(t, outer)), nil
		}),
	})
	return m
}

func iter(name string, next nextFunc) (starlark.Value, error) {
	return pylang.NewIter("itertools."+name, next), nil
}

// patient starts an iteration whose loops can be ended from outside.
func patient(t *starlark.Thread, v starlark.Value) (nextFunc, error) {
	next, err := pylang.Next(t, v)
	if err != nil {
		return nil, err
	}
	return guest.Patient(t, next), nil
}

func itCount(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	n, step := starlark.Value(starlark.MakeInt(0)), starlark.Value(starlark.MakeInt(1))
	if a.V[0] != nil {
		n = a.V[0]
	}
	if a.V[1] != nil {
		step = a.V[1]
	}
	if !isNumber(n) || !isNumber(step) {
		return nil, raise("TypeError", "a number is required")
	}
	first := true
	return iter("count", func() (starlark.Value, bool, error) {
		if !first {
			var err error
			if n, err = pylang.Binary(t, "+", n, step); err != nil {
				return nil, false, err
			}
		}
		first = false
		return n, true, nil
	})
}

func itCycle(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	var seen []starlark.Value
	done, i := false, 0
	return iter("cycle", func() (starlark.Value, bool, error) {
		if !done {
			v, ok, err := next()
			if err != nil {
				return nil, false, err
			}
			if ok {
				if len(seen) > 1<<16 {
					if err := pylang.CheckAlloc(t, int64(len(seen))*32); err != nil {
						return nil, false, err
					}
				}
				seen = append(seen, v)
				return v, true, nil
			}
			done = true
		}
		if len(seen) == 0 {
			return nil, false, nil
		}
		v := seen[i%len(seen)]
		i++
		return v, true, nil
	})
}

func itRepeat(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	left := math.MaxInt
	if a.Given(1) {
		n, err := a.Index(1, 0)
		if err != nil {
			return nil, err
		}
		left = n
	}
	return iter("repeat", func() (starlark.Value, bool, error) {
		if left <= 0 {
			return nil, false, nil
		}
		left--
		return a.V[0], true, nil
	})
}

func accumulate(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	var total starlark.Value
	pending := a.Given(2)
	if pending {
		total = a.V[2]
	}
	return iter("accumulate", func() (starlark.Value, bool, error) {
		if pending {
			pending = false
			return total, true, nil
		}
		v, ok, err := next()
		if err != nil || !ok {
			return nil, false, err
		}
		switch {
		case total == nil:
			total = v
		case a.Given(1):
			total, err = pylang.Call(t, a.V[1], starlark.Tuple{total, v}, nil)
		default:
			total, err = pylang.Binary(t, "+", total, v)
		}
		return total, err == nil, err
	})
}

func itChain(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	i := 0
	return iter("chain", chained(t, func() (starlark.Value, bool, error) {
		if i == len(a.Rest) {
			return nil, false, nil
		}
		i++
		return a.Rest[i-1], true, nil
	}))
}

func chained(t *starlark.Thread, outer nextFunc) nextFunc {
	var inner nextFunc
	return func() (starlark.Value, bool, error) {
		for {
			if inner != nil {
				v, ok, err := inner()
				if err != nil || ok {
					return v, ok, err
				}
				inner = nil
			}
			v, ok, err := outer()
			if err != nil || !ok {
				return nil, false, err
			}
			if inner, err = patient(t, v); err != nil {
				return nil, false, err
			}
		}
	}
}

func compress(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	sel, err := patient(t, a.V[1])
	if err != nil {
		return nil, err
	}
	return iter("compress", func() (starlark.Value, bool, error) {
		for {
			v, ok, err := next()
			if err != nil || !ok {
				return nil, false, err
			}
			s, ok, err := sel()
			if err != nil || !ok {
				return nil, false, err
			}
			if yes, err := pylang.Truth(t, s); err != nil || yes {
				return v, err == nil, err
			}
		}
	})
}

// judged makes the iterators that ask a predicate about each element.
func judged(t *starlark.Thread, a *guest.Args, name string, step func(v starlark.Value, yes bool) (emit, stop bool)) (starlark.Value, error) {
	next, err := patient(t, a.V[1])
	if err != nil {
		return nil, err
	}
	return iter(name, func() (starlark.Value, bool, error) {
		for {
			v, ok, err := next()
			if err != nil || !ok {
				return nil, false, err
			}
			verdict := v
			if a.V[0] != starlark.None {
				if verdict, err = pylang.Call(t, a.V[0], starlark.Tuple{v}, nil); err != nil {
					return nil, false, err
				}
			}
			yes, err := pylang.Truth(t, verdict)
			if err != nil {
				return nil, false, err
			}
			emit, stop := step(v, yes)
			if stop {
				return nil, false, nil
			}
			if emit {
				return v, true, nil
			}
		}
	})
}

func dropwhile(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[1])
	if err != nil {
		return nil, err
	}
	dropping := true
	return iter("dropwhile", func() (starlark.Value, bool, error) {
		for {
			v, ok, err := next()
			if err != nil || !ok || !dropping {
				return v, ok, err
			}
			verdict, err := pylang.Call(t, a.V[0], starlark.Tuple{v}, nil)
			if err != nil {
				return nil, false, err
			}
			if dropping, err = pylang.Truth(t, verdict); err != nil || !dropping {
				return v, err == nil, err
			}
		}
	})
}

func takewhile(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	return judged(t, a, "takewhile", func(_ starlark.Value, yes bool) (bool, bool) { return yes, !yes })
}

func filterfalse(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	return judged(t, a, "filterfalse", func(_ starlark.Value, yes bool) (bool, bool) { return !yes, false })
}

func groupby(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	var curKey, curVal starlark.Value // the element read but not given out
	group := 0                        // number of the group that is being given out
	started, ended := false, false
	step := func() (bool, error) {
		v, ok, err := next()
		if err != nil || !ok {
			ended = true
			curVal = nil
			return false, err
		}
		k := v
		if a.Given(1) {
			if k, err = pylang.Call(t, a.V[1], starlark.Tuple{v}, nil); err != nil {
				return false, err
			}
		}
		curKey, curVal = k, v
		return true, nil
	}
	var target starlark.Value
	return iter("groupby", func() (starlark.Value, bool, error) {
		group++
		for {
			if ended {
				return nil, false, nil
			}
			if !started {
				started = true
			} else if eq, err := pylang.Equal(t, curKey, target); err != nil {
				return nil, false, err
			} else if !eq {
				break
			}
			ok, err := step()
			if err != nil || !ok {
				return nil, false, err
			}
			if target == nil {
				break
			}
		}
		target = curKey
		mine, key := group, curKey
		members := pylang.NewIter("itertools._grouper", func() (starlark.Value, bool, error) {
			if mine != group || curVal == nil {
				return nil, false, nil
			}
			if eq, err := pylang.Equal(t, curKey, key); err != nil || !eq {
				return nil, false, err
			}
			v := curVal
			if _, err := step(); err != nil {
				return nil, false, err
			}
			return v, true, nil
		})
		return starlark.Tuple{key, members}, true, nil
	})
}

func islice(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if len(a.Rest) < 1 || len(a.Rest) > 3 {
		return nil, raise("TypeError", "islice expected at least 2 arguments, got %d", len(a.Rest)+1)
	}
	bound := func(i, def int, what string) (int, error) {
		if i >= len(a.Rest) || a.Rest[i] == starlark.None {
			return def, nil
		}
		n, ok := guest.AsInt(a.Rest[i])
		v, fits := n.Int64()
		if !ok || !fits || v < 0 {
			return 0, raise("ValueError", "%s must be None or an integer: 0 <= x <= sys.maxsize.", what)
		}
		return int(v), nil
	}
	start, stop, step := 0, math.MaxInt, 1
	var err error
	if len(a.Rest) == 1 {
		stop, err = bound(0, math.MaxInt, "Stop argument for islice()")
	} else {
		if start, err = bound(0, 0, "Indices for islice()"); err == nil {
			stop, err = bound(1, math.MaxInt, "Stop argument for islice()")
		}
		if err == nil {
			if step, err = bound(2, 1, "Step for islice()"); err == nil && step == 0 {
				err = raise("ValueError", "Step for islice() must be a positive integer or None.")
			}
		}
	}
	if err != nil {
		return nil, err
	}
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	i, want := 0, start
	return iter("islice", func() (starlark.Value, bool, error) {
		if want >= stop {
			for ; i < stop && stop != math.MaxInt; i++ { // use up as far as Python does
				if _, ok, err := next(); err != nil || !ok {
					return nil, false, err
				}
			}
			return nil, false, nil
		}
		for {
			v, ok, err := next()
			if err != nil || !ok {
				return nil, false, err
			}
			i++
			if i-1 == want {
				want += step
				if want < 0 {
					want = math.MaxInt
				}
				return v, true, nil
			}
		}
	})
}

func pairwise(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	var prev starlark.Value
	return iter("pairwise", func() (starlark.Value, bool, error) {
		if prev == nil {
			v, ok, err := next()
			if err != nil || !ok {
				return nil, false, err
			}
			prev = v
		}
		v, ok, err := next()
		if err != nil || !ok {
			return nil, false, err
		}
		pair := starlark.Tuple{prev, v}
		prev = v
		return pair, true, nil
	})
}

func starmap(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	next, err := patient(t, a.V[1])
	if err != nil {
		return nil, err
	}
	return iter("starmap", func() (starlark.Value, bool, error) {
		v, ok, err := next()
		if err != nil || !ok {
			return nil, false, err
		}
		args, err := elements(t, v)
		if err != nil {
			return nil, false, err
		}
		v, err = pylang.Call(t, a.V[0], args, nil)
		return v, err == nil, err
	})
}

func tee(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	n, err := a.Index(1, 2)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > 1000 {
		return nil, raise("ValueError", "n must be 0..1000, got %d", n)
	}
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	var read []starlark.Value
	ended := false
	out := make(starlark.Tuple, n)
	for j := range out {
		i := 0
		out[j] = pylang.NewIter("itertools._tee", func() (starlark.Value, bool, error) {
			if i == len(read) {
				if ended {
					return nil, false, nil
				}
				v, ok, err := next()
				if err != nil || !ok {
					ended = true
					return nil, false, err
				}
				read = append(read, v)
			}
			i++
			return read[i-1], true, nil
		})
	}
	return out, nil
}

func zipLongest(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	nexts := make([]nextFunc, len(a.Rest))
	for i, v := range a.Rest {
		next, err := patient(t, v)
		if err != nil {
			return nil, err
		}
		nexts[i] = next
	}
	fill := a.Or(0)
	left := len(nexts)
	return iter("zip_longest", func() (starlark.Value, bool, error) {
		if left == 0 {
			return nil, false, nil
		}
		row := make(starlark.Tuple, len(nexts))
		for i, next := range nexts {
			row[i] = fill
			if next == nil {
				continue
			}
			v, ok, err := next()
			if err != nil {
				return nil, false, err
			}
			if ok {
				row[i] = v
				continue
			}
			nexts[i] = nil
			if left--; left == 0 {
				return nil, false, nil
			}
		}
		return row, true, nil
	})
}

// pools lists each iterable.
func pools(t *starlark.Thread, vs []starlark.Value) ([][]starlark.Value, error) {
	out := make([][]starlark.Value, len(vs))
	for i, v := range vs {
		p, err := elements(t, v)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

func product(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	times, err := a.Index(0, 1)
	if err != nil {
		return nil, err
	}
	if times < 0 {
		return nil, raise("ValueError", "repeat argument cannot be negative")
	}
	if times*max(1, len(a.Rest)) > 100_000 {
		return nil, raise("OverflowError", "repeat argument too large")
	}
	once, err := pools(t, a.Rest)
	if err != nil {
		return nil, err
	}
	var ps [][]starlark.Value
	empty := false
	for range times {
		ps = append(ps, once...)
	}
	for _, p := range ps {
		empty = empty || len(p) == 0
	}
	at := make([]int, len(ps))
	done := empty
	return iter("product", func() (starlark.Value, bool, error) {
		if done {
			return nil, false, nil
		}
		row := make(starlark.Tuple, len(ps))
		for i, p := range ps {
			row[i] = p[at[i]]
		}
		done = true
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < len(ps[i]) {
				done = false
				break
			}
			at[i] = 0
		}
		return row, true, nil
	})
}

func permutations(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	pool, err := elements(t, a.V[0])
	if err != nil {
		return nil, err
	}
	n := len(pool)
	r := n
	if a.Given(1) {
		if r, err = a.Index(1, n); err != nil {
			return nil, err
		}
		if r < 0 {
			return nil, raise("ValueError", "r must be non-negative")
		}
	}
	if r > n {
		return iter("permutations", func() (starlark.Value, bool, error) { return nil, false, nil })
	}
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	cycles := make([]int, r)
	for i := range cycles {
		cycles[i] = n - i
	}
	started, done := false, false
	return iter("permutations", func() (starlark.Value, bool, error) {
		if done {
			return nil, false, nil
		}
		if started {
			done = true
			for i := r - 1; i >= 0; i-- {
				cycles[i]--
				if cycles[i] == 0 {
					first := idx[i]
					copy(idx[i:], idx[i+1:])
					idx[n-1] = first
					cycles[i] = n - i
					continue
				}
				j := n - cycles[i]
				idx[i], idx[j] = idx[j], idx[i]
				done = false
				break
			}
			if done {
				return nil, false, nil
			}
		}
		started = true
		return pick(pool, idx[:r]), true, nil
	})
}

func pick(pool []starlark.Value, idx []int) starlark.Tuple {
	out := make(starlark.Tuple, len(idx))
	for i, j := range idx {
		out[i] = pool[j]
	}
	return out
}

func selections(again bool) guest.Impl {
	name := "combinations"
	if again {
		name = "combinations_with_replacement"
	}
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		pool, err := elements(t, a.V[0])
		if err != nil {
			return nil, err
		}
		r, err := a.Index(1, 0)
		if err != nil {
			return nil, err
		}
		if r < 0 {
			return nil, raise("ValueError", "r must be non-negative")
		}
		n := len(pool)
		if !again && r > n || again && n == 0 && r > 0 || r > 1<<20 {
			return iter(name, func() (starlark.Value, bool, error) { return nil, false, nil })
		}
		idx := make([]int, r)
		if !again {
			for i := range idx {
				idx[i] = i
			}
		}
		started, done := false, false
		return iter(name, func() (starlark.Value, bool, error) {
			if done {
				return nil, false, nil
			}
			if started {
				i := r - 1
				for ; i >= 0; i-- {
					if again && idx[i] != n-1 || !again && idx[i] != i+n-r {
						break
					}
				}
				if i < 0 {
					done = true
					return nil, false, nil
				}
				idx[i]++
				for j := i + 1; j < r; j++ {
					idx[j] = idx[j-1]
					if !again {
						idx[j]++
					}
				}
			}
			started = true
			return pick(pool, idx), true, nil
		})
	}
}

func batched(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	n, err := a.Index(1, 0)
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, raise("ValueError", "n must be at least one")
	}
	next, err := patient(t, a.V[0])
	if err != nil {
		return nil, err
	}
	return iter("batched", func() (starlark.Value, bool, error) {
		var row starlark.Tuple
		for len(row) < n {
			v, ok, err := next()
			if err != nil {
				return nil, false, err
			}
			if !ok {
				break
			}
			row = append(row, v)
		}
		return row, len(row) > 0, nil
	})
}
