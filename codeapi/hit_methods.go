package codeapi

import (
	"sync"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
)

const hitText = `
"""One search hit: a chunk of a document that answers a query.

Fields, as h.score, h["score"] or h.get("score") alike:
id (of the chunk), document_id, title, source, uri, headings (list), metadata (dict),
content (text cut at 200 characters), text (whole, fetched when used),
score = relevance_score (0..1, what the order follows), lexical_score (BM25),
vector_score (cosine), rerank_score (after rerank), lexical_rank, vector_rank (from 1),
start, end (byte offsets in the document), created, updated (ISO 8601), collection.
A score or rank that no stage has given is None. A program may set fields of its own.
Hits of the same chunk are equal and may be put into sets."""

def get(key, default=None):
    """The field, or default when the hit has no such field."""

def keys():
    """Names of the fields."""

def values():
    """The fields' values."""

def items():
    """(name, value) of each field."""

def to_dict(full=False):
    """A dict for answers: id, document_id, title, source, content, score,
    relevance_score; metadata and rerank_score where there are any; fields the program has
    set. With full=True every field, the whole text included. reranking and filtering take
    such dicts in place of hits and still see the whole text."""

def copy():
    """Another hit of the same chunk, to change without changing this one."""

def update(fields):
    """Sets fields from a dict."""
`

var hitDoc = guest.Lazy(hitText)

// hitMethod makes the methods of a hit by name.
var hitMethod = sync.OnceValue(func() map[string]func(*hit) starlark.Value {
	impls := map[string]func(*hit, *guest.Args) (starlark.Value, error){
		"get": func(h *hit, a *guest.Args) (starlark.Value, error) {
			name, ok := starlark.AsString(a.V[0])
			if !ok {
				return a.Or(1), nil
			}
			v, found, err := h.field(name)
			if err != nil {
				return nil, err
			}
			// A score that no stage has given counts as missing, so that
			// h.get("rerank_score", 0) does what it says.
			if !found || v == starlark.None {
				return a.Or(1), nil
			}
			return v, nil
		},
		"keys": func(h *hit, _ *guest.Args) (starlark.Value, error) { return stringList(h.keys()), nil },
		"values": func(h *hit, _ *guest.Args) (starlark.Value, error) {
			d, err := h.dict(h.keys())
			if err != nil {
				return nil, err
			}
			var values []starlark.Value
			for _, kv := range d.Items() {
				values = append(values, kv[1])
			}
			return starlark.NewList(values), nil
		},
		"items": func(h *hit, _ *guest.Args) (starlark.Value, error) {
			d, err := h.dict(h.keys())
			if err != nil {
				return nil, err
			}
			items := d.Items()
			elems := make([]starlark.Value, len(items))
			for i, kv := range items {
				elems[i] = kv
			}
			return starlark.NewList(elems), nil
		},
		"to_dict": func(h *hit, a *guest.Args) (starlark.Value, error) {
			if a.Bool(0, false) {
				return h.dict(h.keys())
			}
			return h.record()
		},
		"copy": func(h *hit, _ *guest.Args) (starlark.Value, error) { return h.with(), nil },
		"update": func(h *hit, a *guest.Args) (starlark.Value, error) {
			m, ok := a.V[0].(starlark.IterableMapping)
			if !ok {
				return nil, a.WrongType(0, "a dict")
			}
			for _, kv := range m.Items() {
				if err := h.SetKey(kv[0], kv[1]); err != nil {
					return nil, err
				}
			}
			return starlark.None, nil
		},
	}
	methods := make(map[string]func(*hit) starlark.Value, len(impls))
	for _, f := range hitDoc().Funcs {
		impl := impls[f.Name]
		methods[f.Name] = func(h *hit) starlark.Value {
			return f.Builtin("", func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) { return impl(h, a) })
		}
	}
	return methods
})

func stringList(ss []string) *starlark.List {
	elems := make([]starlark.Value, len(ss))
	for i, s := range ss {
		elems[i] = starlark.String(s)
	}
	return starlark.NewList(elems)
}
