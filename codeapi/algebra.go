package codeapi

import (
	"math"
	"sort"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// maxList bounds the lists of results that one call works on.
const maxList = 100_000

// resultList lists the results given as argument i: hits, or dicts such as
// Hit.to_dict makes.
func resultList(a *guest.Args, i int) ([]starlark.Value, error) {
	if f, ok := a.V[i].(*future); ok {
		v, err := f.force()
		if err != nil {
			return nil, err
		}
		a.V[i] = v
	}
	switch v := a.V[i].(type) {
	case *hit, *starlark.Dict:
		e := a.WrongType(i, "a list of results").(*pylang.Exception)
		e.Hint = "put a single result into brackets: [result]"
		return nil, e
	case starlark.String, starlark.NoneType:
		return nil, a.WrongType(i, "a list of results")
	default:
		list, err := guest.Sequence(a.T, v, maxList)
		if err != nil {
			if starlark.Len(v) < 0 {
				return nil, a.WrongType(i, "a list of results")
			}
			return nil, err
		}
		for j, x := range list {
			switch x.(type) {
			case *hit, starlark.Mapping:
			default:
				e := pylang.Raise("TypeError", "%s[%d] must be a hit or a dict, got %s", a.Name(i), j, guest.Describe(x))
				if _, nested := x.(*starlark.List); nested {
					e.Hint = "this is a list of lists, as batch_search and asyncio.gather give; take one of them, or [h for hits in lists for h in hits]"
				}
				return nil, e
			}
		}
		return list, nil
	}
}

// fieldOf reads a field of a hit or a dict; nil when it is not there or None.
func fieldOf(v starlark.Value, name string) (starlark.Value, error) {
	var x starlark.Value
	var ok bool
	var err error
	switch v := v.(type) {
	case *hit:
		x, ok, err = v.field(name)
	case starlark.Container:
		// Has first: the Get of a defaultdict would add the key.
		if ok, err = v.Has(starlark.String(name)); ok && err == nil {
			if m, isMapping := v.(starlark.Mapping); isMapping {
				x, ok, err = m.Get(starlark.String(name))
			}
		}
	case starlark.Mapping:
		x, ok, err = v.Get(starlark.String(name))
	}
	if err != nil || !ok || x == starlark.None {
		return nil, err
	}
	return x, nil
}

// textField is a field as a string; empty when it is not there or no string.
func textField(v starlark.Value, name string) (string, error) {
	x, err := fieldOf(v, name)
	if err != nil {
		return "", err
	}
	s, _ := starlark.AsString(x)
	return s, nil
}

// scoreField is the number in the first field that has one.
func scoreField(v starlark.Value, names ...string) (float64, bool) {
	for _, n := range names {
		x, err := fieldOf(v, n)
		if err != nil || x == nil {
			continue
		}
		if f, ok := guest.AsFloat(x); ok && !math.IsNaN(f) {
			return f, true
		}
	}
	return 0, false
}

// scoreOf is the score that a result's place follows: the reranker's where it ran.
func scoreOf(v starlark.Value) (float64, bool) {
	return scoreField(v, "rerank_score", "score", "relevance_score")
}

// identity tells results of the same chunk: its id, or failing that its text.
func identity(v starlark.Value) (string, error) {
	if h, ok := v.(*hit); ok {
		return "id\x00" + h.chunk.ID, nil
	}
	for _, name := range []string{"id", "document_id", "text", "content"} {
		s, err := textField(v, name)
		if err != nil {
			return "", err
		}
		if s != "" {
			return name + "\x00" + s, nil
		}
	}
	return "", pylang.Raise("ValueError", "a result without id, document_id, text and content cannot be told from others")
}

// changed returns a copy of a result with some fields set: a hit stays a hit, a
// dict a dict.
func changed(v starlark.Value, fields ...starlark.Tuple) (starlark.Value, error) {
	var to starlark.HasSetKey
	switch v := v.(type) {
	case *hit:
		to = v.with()
	case starlark.IterableMapping:
		d := starlark.NewDict(len(v.Items()) + len(fields))
		for _, kv := range v.Items() {
			if err := d.SetKey(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		to = d
	default:
		return nil, pylang.Raise("TypeError", "a result must be a hit or a dict, got %s", guest.Describe(v))
	}
	for _, kv := range fields {
		if h, ok := to.(*hit); ok && kv[0] == starlark.String("rerank_score") {
			f, _ := guest.AsFloat(kv[1])
			h.rerank = &f
			continue
		}
		if err := to.SetKey(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return to, nil
}

func set(name string, v starlark.Value) starlark.Tuple {
	return starlark.Tuple{starlark.String(name), v}
}

// setAlgebra makes union, intersect and subtract.
func setAlgebra(keepA func(inB bool) bool, addB bool) guest.Impl {
	return func(_ *starlark.Thread, args *guest.Args) (starlark.Value, error) {
		a, err := resultList(args, 0)
		if err != nil {
			return nil, err
		}
		b, err := resultList(args, 1)
		if err != nil {
			return nil, err
		}
		inB := make(map[string]bool, len(b))
		for _, v := range b {
			id, err := identity(v)
			if err != nil {
				return nil, err
			}
			inB[id] = true
		}
		seen := make(map[string]bool, len(a))
		var out []starlark.Value
		add := func(v starlark.Value, keep func(bool) bool) error {
			id, err := identity(v)
			if err != nil {
				return err
			}
			if !seen[id] && keep(inB[id]) {
				seen[id] = true
				out = append(out, v)
			}
			return nil
		}
		for _, v := range a {
			if err := add(v, keepA); err != nil {
				return nil, err
			}
		}
		if addB {
			for _, v := range b {
				if err := add(v, func(bool) bool { return true }); err != nil {
					return nil, err
				}
			}
		}
		return starlark.NewList(out), nil
	}
}

// fuse makes one ranking of two lists of results.
func fuse(_ *starlark.Thread, args *guest.Args) (starlark.Value, error) {
	shares := [2]float64{0.5, 0.5}
	if args.Given(2) {
		w, err := guest.Sequence(args.T, args.V[2], 2)
		if err != nil || len(w) != 2 {
			return nil, pylang.Raise("ValueError", "weights must be two numbers such as (0.4, 0.6), got %s", guest.Describe(args.V[2]))
		}
		for i := range w {
			f, ok := guest.AsFloat(w[i])
			if !ok || !(f >= 0 && f <= 1e6) {
				return nil, pylang.Raise("ValueError", "weights[%d] must be 0 or more, got %s", i, guest.Describe(w[i]))
			}
			shares[i] = f
		}
	}
	sum := shares[0] + shares[1]
	if sum == 0 {
		return nil, pylang.Raise("ValueError", "weights are both 0: at least one must count")
	}
	method, err := oneOf(args, 3, "linear", "rrf")
	if err != nil {
		return nil, err
	}
	limit, err := args.Int(4, maxList, 1, maxList)
	if err != nil {
		return nil, err
	}
	type fused struct {
		v     starlark.Value
		id    string
		score float64
	}
	var order []*fused
	byID := make(map[string]*fused)
	for side := range 2 {
		list, err := resultList(args, side)
		if err != nil {
			return nil, err
		}
		scores := scaled(list, method)
		for i, v := range list {
			id, err := identity(v)
			if err != nil {
				return nil, err
			}
			f := byID[id]
			if f == nil {
				f = &fused{v: v, id: id}
				byID[id] = f
				order = append(order, f)
			} else if h, ok := f.v.(*hit); ok {
				if o, ok := v.(*hit); ok {
					f.v = merged(h, o)
				}
			}
			f.score += shares[side] / sum * scores[i]
		}
	}
	sort.SliceStable(order, func(i, j int) bool {
		if order[i].score != order[j].score {
			return order[i].score > order[j].score
		}
		return order[i].id < order[j].id
	})
	if len(order) > limit {
		order = order[:limit]
	}
	out := make([]starlark.Value, len(order))
	for i, f := range order {
		if out[i], err = changed(f.v, set("score", starlark.Float(f.score))); err != nil {
			return nil, err
		}
		if h, ok := out[i].(*hit); ok {
			h.rerank = nil // of another order
		}
	}
	return starlark.NewList(out), nil
}

// scaled brings a list's scores to 0..1: by lowest and highest score, or by rank.
func scaled(list []starlark.Value, method string) []float64 {
	out := make([]float64, len(list))
	if method == "rrf" {
		for i := range list {
			out[i] = 61 / float64(60+i+1)
		}
		return out
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, v := range list {
		s, ok := scoreOf(v)
		if !ok {
			s = 1 / float64(i+1) // no score: by place
		}
		out[i] = s
		lo, hi = min(lo, s), max(hi, s)
	}
	for i := range out {
		if hi > lo {
			out[i] = (out[i] - lo) / (hi - lo)
		} else {
			out[i] = 1
		}
	}
	return out
}

// merged is a hit that knows what both legs gave to its chunk.
func merged(a, b *hit) *hit {
	c := *a.chunk
	if c.LexicalScore == nil {
		c.LexicalScore, c.LexicalRank = b.chunk.LexicalScore, b.chunk.LexicalRank
	}
	if c.VectorScore == nil {
		c.VectorScore, c.VectorRank = b.chunk.VectorScore, b.chunk.VectorRank
	}
	c.group.chunks = append(c.group.chunks, &c) // its text is fetched with the others
	h := a.with()
	h.chunk = &c
	return h
}
