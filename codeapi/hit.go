package codeapi

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// hit is one search hit as a program sees it: attributes and keys alike, and a
// program may add its own. Hits are equal when they are of the same chunk, so
// sets of hits and `in` work across searches.
type hit struct {
	chunk  *chunk
	score  float64
	rerank *float64
	// own are the fields that the program has set.
	own    *starlark.Dict
	frozen bool
}

var (
	_ starlark.HasSetField     = (*hit)(nil)
	_ starlark.HasSetKey       = (*hit)(nil)
	_ starlark.IterableMapping = (*hit)(nil)
	_ starlark.Sequence        = (*hit)(nil)
	_ starlark.Container       = (*hit)(nil)
	_ starlark.Comparable      = (*hit)(nil)
)

func newHit(c *chunk) *hit { return &hit{chunk: c, score: c.Score, rerank: c.Hit.RerankScore} }

// with returns a copy that may be given other scores.
func (h *hit) with() *hit {
	n := *h
	n.frozen = false
	if h.own != nil {
		n.own = starlark.NewDict(h.own.Len())
		for _, kv := range h.own.Items() {
			_ = n.own.SetKey(kv[0], kv[1]) // a new dict of hashable keys
		}
	}
	return &n
}

// hitFields are the fields of a hit in the order of keys().
var hitFields = []string{"id", "document_id", "title", "source", "uri", "headings", "content", "text", "metadata",
	"score", "relevance_score", "lexical_score", "vector_score", "rerank_score", "lexical_rank", "vector_rank",
	"start", "end", "created", "updated", "collection"}

// recordFields are those of to_dict: what fits into an answer.
var recordFields = []string{"id", "document_id", "title", "source", "content", "score", "relevance_score"}

func (h *hit) field(name string) (starlark.Value, bool, error) {
	if h.own != nil {
		if v, ok, _ := h.own.Get(starlark.String(name)); ok {
			return v, true, nil
		}
	}
	c := h.chunk
	switch name {
	case "id", "chunk_id":
		return starlark.String(c.ID), true, nil
	case "document_id":
		return starlark.String(c.DocumentID), true, nil
	case "title":
		return starlark.String(c.Title), true, nil
	case "source":
		return starlark.String(c.Source), true, nil
	case "uri":
		return starlark.String(c.URI), true, nil
	case "headings":
		v, err := fromJSON(c.Headings, 0)
		return v, true, err
	case "content":
		return starlark.String(c.Content), true, nil
	case "text":
		s, err := c.whole()
		return starlark.String(s), true, err
	case "metadata":
		v, err := c.metadata()
		return v, true, err
	case "score", "relevance_score":
		return starlark.Float(h.score), true, nil
	case "lexical_score", "bm25_score":
		return optional(c.LexicalScore), true, nil
	case "vector_score":
		return optional(c.VectorScore), true, nil
	case "rerank_score":
		return optional(h.rerank), true, nil
	case "lexical_rank":
		return rank(c.LexicalRank), true, nil
	case "vector_rank":
		return rank(c.VectorRank), true, nil
	case "start":
		return starlark.MakeInt(c.Start), true, nil
	case "end":
		return starlark.MakeInt(c.End), true, nil
	case "created":
		return starlark.String(c.Created), true, nil
	case "updated":
		return starlark.String(c.Updated), true, nil
	case "collection":
		return starlark.String(c.group.collection), true, nil
	}
	return nil, false, nil
}

func optional(f *float64) starlark.Value {
	if f == nil {
		return starlark.None
	}
	return starlark.Float(*f)
}

func rank(n int) starlark.Value {
	if n == 0 {
		return starlark.None
	}
	return starlark.MakeInt(n)
}

// keys are the fields that the hit has, those of the program last.
func (h *hit) keys() []string {
	keys := append([]string(nil), hitFields...)
	return h.ownKeys(keys)
}

func (h *hit) ownKeys(keys []string) []string {
	if h.own == nil {
		return keys
	}
	known := make(map[string]bool, len(keys))
	for _, k := range keys {
		known[k] = true
	}
	for _, k := range h.own.Keys() {
		if s, ok := starlark.AsString(k); ok && !known[s] {
			keys = append(keys, s)
		}
	}
	return keys
}

// record is to_dict: the fields that fit into an answer, and the metadata,
// rerank_score and own fields where there are any.
func (h *hit) record() (*starlark.Dict, error) {
	keys := recordFields
	if len(h.chunk.Metadata) > 0 {
		keys = append(keys[:len(keys):len(keys)], "metadata")
	}
	if h.rerank != nil {
		keys = append(keys[:len(keys):len(keys)], "rerank_score")
	}
	return h.dict(h.ownKeys(keys))
}

func (h *hit) dict(keys []string) (*starlark.Dict, error) {
	d := starlark.NewDict(len(keys))
	for _, k := range keys {
		v, ok, err := h.field(k)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, h.noField("KeyError", k)
		}
		if m, isDict := v.(*starlark.Dict); isDict && k == "metadata" {
			v = copyDict(m) // the record is the program's own
		}
		if err := d.SetKey(starlark.String(k), v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func copyDict(d *starlark.Dict) *starlark.Dict {
	n := starlark.NewDict(d.Len())
	for _, kv := range d.Items() {
		_ = n.SetKey(kv[0], kv[1]) // keys of a dict are hashable
	}
	return n
}

// noField is the error for a field that a hit does not have.
func (h *hit) noField(class, name string) error {
	var e *pylang.Exception
	if class == "KeyError" {
		e = pylang.Raise(class, "'%s'", name)
	} else {
		e = pylang.Raise(class, "'Hit' object has no attribute '%s'", name)
	}
	if _, ok := h.chunk.Metadata[name]; ok {
		e.Hint = fmt.Sprintf("'%s' is in the hit's metadata: h.metadata['%s']", name, name)
	} else if near := guest.Nearest(name, append(h.keys(), hitMethods...)); near != "" {
		e.Hint = fmt.Sprintf("did you mean '%s'?", near)
	} else {
		e.Hint = "a hit has " + strings.Join(h.keys(), ", ")
	}
	return e
}

var hitMethods = []string{"get", "keys", "values", "items", "to_dict", "copy", "update"}

// String is repr(hit): short, so that a printed list stays readable.
func (h *hit) String() string {
	return fmt.Sprintf("Hit(id=%s, title=%s, score=%s)", starlark.String(h.chunk.ID), starlark.String(h.chunk.Title), guest.FormatFloat(h.score))
}

func (h *hit) Type() string         { return "Hit" }
func (h *hit) Truth() starlark.Bool { return true }

func (h *hit) Freeze() {
	h.frozen = true
	if h.own != nil {
		h.own.Freeze()
	}
}

func (h *hit) Hash() (uint32, error) {
	return starlark.String(h.chunk.group.collection + "\x00" + h.chunk.ID).Hash()
}

// CompareSameType implements == and != by chunk.
func (h *hit) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	o := other.(*hit)
	same := h.chunk.ID == o.chunk.ID && h.chunk.group.collection == o.chunk.group.collection
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	e := pylang.Raise("TypeError", "'%s' not supported between instances of 'Hit' and 'Hit'", op)
	e.Hint = "order them by a field: sorted(results, key=lambda h: h.score, reverse=True)"
	return false, e
}

// Attr implements h.name.
func (h *hit) Attr(name string) (starlark.Value, error) {
	v, ok, err := h.field(name)
	if ok || err != nil {
		return v, err
	}
	if f, ok := hitMethod()[name]; ok {
		return f(h), nil
	}
	return nil, h.noField("AttributeError", name)
}

func (h *hit) AttrNames() []string { return append(h.keys(), hitMethods...) }

// SetField implements h.name = v.
func (h *hit) SetField(name string, v starlark.Value) error {
	return h.SetKey(starlark.String(name), v)
}

// Get implements h[name].
func (h *hit) Get(key starlark.Value) (starlark.Value, bool, error) {
	name, ok := starlark.AsString(key)
	if !ok {
		return nil, false, pylang.Raise("TypeError", "fields of a hit have names, got %s", guest.Describe(key))
	}
	v, found, err := h.field(name)
	if !found && err == nil {
		return nil, false, h.noField("KeyError", name)
	}
	return v, found, err
}

// SetKey implements h[name] = v.
func (h *hit) SetKey(key, v starlark.Value) error {
	name, ok := starlark.AsString(key)
	if !ok {
		return pylang.Raise("TypeError", "fields of a hit have names, got %s", guest.Describe(key))
	}
	if h.frozen {
		return pylang.Raise("TypeError", "this hit cannot be changed here")
	}
	if name == "relevance_score" {
		name = "score"
	}
	if name == "score" {
		if f, ok := guest.AsFloat(v); ok {
			h.score = f
			return nil
		}
	}
	if h.own == nil {
		h.own = starlark.NewDict(1)
	}
	return h.own.SetKey(starlark.String(name), v)
}

// Has implements name in h.
func (h *hit) Has(key starlark.Value) (bool, error) {
	name, ok := starlark.AsString(key)
	if !ok {
		return false, nil
	}
	for _, k := range h.keys() {
		if k == name {
			return true, nil
		}
	}
	return false, nil
}

func (h *hit) Len() int { return len(h.keys()) }

// Iterate goes over the names of the fields, as over a dict.
func (h *hit) Iterate() starlark.Iterator {
	keys := h.keys()
	names := make(starlark.Tuple, len(keys))
	for i, k := range keys {
		names[i] = starlark.String(k)
	}
	return names.Iterate()
}

// Items are the fields, the whole text included; a text that cannot be fetched is
// left out, as this has no way to fail. The method items() fails instead.
func (h *hit) Items() []starlark.Tuple {
	var items []starlark.Tuple
	for _, k := range h.keys() {
		if v, ok, err := h.field(k); ok && err == nil {
			items = append(items, starlark.Tuple{starlark.String(k), v})
		}
	}
	return items
}

// JSONValue is what json.dumps writes for a hit.
func (h *hit) JSONValue() (starlark.Value, error) { return h.record() }
