package codeapi

import (
	"encoding/json"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const searchText = `
"""Search the knowledge base.

A search returns a list of hits, best first; see Hit. Filters are an expression such as
'domain = "db" and year >= 2024' or a dict such as {"domain": "db", "year": {"gte": 2024}};
fields are id, source, title, uri, collection, created, updated and whatever the metadata
has. Every function may be called with or without await; calls given to asyncio.gather run
at the same time and come back in order."""

def hybrid_search(query, top_k=10, *, bm25_weight=None, vector_weight=None, filters=None, collection=None, rerank=None, fusion="linear", min_score=0.0, boosts=None, group_by=None, diversity=0.0):
    """Search by words and by meaning, fused into one order.

    query may hold "exact phrases", +must, -not, field:word and prefix*. top_k is 1..1000.
    The weights are shares of 0 and more; without them the router chooses by the kind of
    query. rerank=True lets the cross-encoder have its say, False never, None lets the
    router choose. fusion is linear, rrf, relative_score or dbsf. min_score is 0..1.
    boosts is a list of (filter, factor) with factors of 0.5..2. group_by="document" (or
    source, or a metadata field) keeps the best hit of each. diversity is 0..1."""

def bm25_search(query, top_k=10, *, filters=None, collection=None, min_score=0.0, boosts=None, group_by=None):
    """Search by words alone: exact BM25. Scores are 0..1; lexical_score is BM25."""

def vector_search(query, top_k=10, *, filters=None, collection=None, min_score=0.0, boosts=None, group_by=None):
    """Search by meaning alone. Scores are 0..1; vector_score is the cosine."""

def hybrid_search_streaming(query, batch_size=20, *, max_results=200, bm25_weight=None, vector_weight=None, filters=None, collection=None, rerank=None):
    """The hits of hybrid_search as a list of batches, best first, to work on one by one:
    for batch in search.hybrid_search_streaming(query, batch_size=50): ...
    batch_size is 1..1000, max_results 1..1000."""

def batch_search(queries, top_k=10, *, bm25_weight=None, vector_weight=None, filters=None, collection=None, rerank=None):
    """Ask up to 50 queries at once; returns one list of hits a query, in their order.
    A query may be a dict of hybrid_search's arguments, which win over those given here."""

def fuse(a, b, weights=None, *, method="linear", top_k=None):
    """Make one list of two: each list's scores are scaled to 0..1, weighted and added.
    weights is (share of a, share of b), by default (0.5, 0.5); method is linear or rrf
    (ranks only, k=60). A hit that is in both lists is kept once."""

def union(a, b):
    """Hits that are in a or in b, in this order, each once."""

def intersect(a, b):
    """Hits of a that are also in b."""

def subtract(a, b):
    """Hits of a that are not in b."""

def get_document(id, *, collection=None):
    """The whole document with this document_id (or of this hit): document_id, title, source,
    uri, metadata, text, created, updated, as d["title"] or d.title; truncated where the
    text had to be cut. KeyError when there is none."""

def similar(id, top_k=10, *, collection=None):
    """Chunks nearest in meaning to the chunk with this id (or to this hit), of other
    documents."""
`

var searchDoc = guest.Lazy(searchText)

func (r *run) searchModule() *pylang.Module {
	m := &pylang.Module{
		Name: "search", Doc: searchDoc().Doc,
		Members: searchDoc().Bind("search", map[string]guest.Impl{
			"hybrid_search":           r.hybridSearch,
			"bm25_search":             r.legSearch(MethodLexical),
			"vector_search":           r.legSearch(MethodVector),
			"hybrid_search_streaming": r.streaming,
			"batch_search":            r.batchSearch,
			"fuse":                    fuse,
			"union":                   setAlgebra(func(inB bool) bool { return true }, true),
			"intersect":               setAlgebra(func(inB bool) bool { return inB }, false),
			"subtract":                setAlgebra(func(inB bool) bool { return !inB }, false),
			"get_document":            r.getDocument,
			"similar":                 r.similar,
		}),
	}
	return m
}

// searchOptions are the parameters that searches share, by name.
func (r *run) searchOptions(a *guest.Args) (SearchArgs, error) {
	var s SearchArgs
	var err error
	for i, p := range a.Fn.Fixed() {
		switch p.Name {
		case "query":
			if s.Query, err = queryText(a, i); err != nil {
				return s, err
			}
		case "top_k":
			s.TopK, err = a.Int(i, DefaultTopK, 1, MaxTopK)
		case "bm25_weight":
			s.BM25Weight, err = weight(a, i)
		case "vector_weight":
			s.VectorWeight, err = weight(a, i)
		case "filters":
			s.Filter, err = filterJSON(a.T, a.V[i])
		case "collection":
			s.Collection, err = a.Str(i, "")
		case "rerank":
			if a.Given(i) {
				on := a.Bool(i, false)
				s.Rerank = &on
			}
		case "fusion":
			s.Fusion, err = oneOf(a, i, "linear", "rrf", "relative_score", "dbsf")
		case "min_score":
			s.MinScore, err = a.Float(i, 0, 0, 1)
		case "group_by":
			s.GroupBy, err = a.Str(i, "")
		case "diversity":
			s.Diversity, err = a.Float(i, 0, 0, 1)
		case "boosts":
			s.Boosts, err = boostList(a.T, a.V[i])
		}
		if err != nil {
			return s, err
		}
	}
	if s.BM25Weight != nil && s.VectorWeight != nil && *s.BM25Weight == 0 && *s.VectorWeight == 0 {
		return s, pylang.Raise("ValueError", "bm25_weight and vector_weight are both 0: at least one must count")
	}
	return s, nil
}

func queryText(a *guest.Args, i int) (string, error) {
	q, err := a.Str(i, "")
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(q) == "" {
		return "", pylang.Raise("ValueError", "%s must not be empty", a.Name(i))
	}
	if len(q) > MaxQueryBytes {
		return "", pylang.Raise("ValueError", "%s must be at most %d bytes, got %d", a.Name(i), MaxQueryBytes, len(q))
	}
	return q, nil
}

func weight(a *guest.Args, i int) (*float64, error) {
	if !a.Given(i) {
		return nil, nil
	}
	w, err := a.Float(i, 0, 0, 1e6)
	return &w, err
}

func oneOf(a *guest.Args, i int, names ...string) (string, error) {
	s, err := a.Str(i, names[0])
	if err != nil {
		return "", err
	}
	for _, n := range names {
		if s == n {
			return s, nil
		}
	}
	return "", pylang.Raise("ValueError", "%s must be one of %s, got '%s'", a.Name(i), strings.Join(names, ", "), s)
}

// filterJSON is a filter on its way to the host: text or a tree.
func filterJSON(t *starlark.Thread, v starlark.Value) (json.RawMessage, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	switch x := v.(type) {
	case starlark.String, starlark.IterableMapping, *starlark.List:
		if n := starlark.Len(x); n == 0 {
			return nil, nil
		}
	default:
		return nil, pylang.Raise("TypeError", "filters must be a dict such as {\"domain\": \"db\"} or a text such as 'domain = \"db\"', got %s", guest.Describe(v))
	}
	raw, err := encodeJSON(t, v, "filters", MaxFilterBytes)
	if err != nil {
		return nil, err
	}
	return raw, nil
}

func boostList(t *starlark.Thread, v starlark.Value) ([]Boost, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	items, err := guest.Sequence(t, v, MaxBoosts)
	if err != nil {
		return nil, err
	}
	boosts := make([]Boost, len(items))
	for i, item := range items {
		pair, err := guest.Sequence(t, item, 2)
		if err != nil || len(pair) != 2 {
			return nil, pylang.Raise("ValueError", "boosts[%d] must be (filter, factor), got %s", i, guest.Describe(item))
		}
		factor, ok := guest.AsFloat(pair[1])
		if !ok || !(factor >= 0.5 && factor <= 2) {
			return nil, pylang.Raise("ValueError", "the factor of boosts[%d] must be 0.5..2, got %s", i, guest.Describe(pair[1]))
		}
		when, err := filterJSON(t, pair[0])
		if err != nil {
			return nil, err
		}
		if when == nil {
			return nil, pylang.Raise("ValueError", "boosts[%d] needs a filter", i)
		}
		boosts[i] = Boost{When: when, Factor: factor}
	}
	return boosts, nil
}

func (r *run) hybridSearch(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := r.searchOptions(a)
	if err != nil {
		return nil, err
	}
	return r.ask(MethodHybrid, s, r.hitsOf(MethodHybrid, s.Query))
}

func (r *run) legSearch(method string) guest.Impl {
	return func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		s, err := r.searchOptions(a)
		if err != nil {
			return nil, err
		}
		return r.ask(method, s, r.hitsOf(method, s.Query))
	}
}

// hitsOf reads a SearchReply into a list of hits.
func (r *run) hitsOf(method, query string) func(json.RawMessage) (starlark.Value, error) {
	return func(raw json.RawMessage) (starlark.Value, error) {
		var reply SearchReply
		if err := decodeReply(method, raw, &reply); err != nil {
			return nil, err
		}
		return r.hitList(&reply, query), nil
	}
}

func (r *run) hitList(reply *SearchReply, query string) *starlark.List {
	chunks := r.registered(reply, query)
	elems := make([]starlark.Value, len(chunks))
	for i, c := range chunks {
		elems[i] = newHit(c)
	}
	return starlark.NewList(elems)
}

func (r *run) streaming(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := r.searchOptions(a)
	if err != nil {
		return nil, err
	}
	size, err := a.Int(1, 20, 1, MaxTopK)
	if err != nil {
		return nil, err
	}
	if s.TopK, err = a.Int(2, 200, 1, MaxTopK); err != nil {
		return nil, err
	}
	all := r.hitsOf(MethodHybrid, s.Query)
	return r.ask(MethodHybrid, s, func(raw json.RawMessage) (starlark.Value, error) {
		v, err := all(raw)
		if err != nil {
			return nil, err
		}
		list := v.(*starlark.List)
		var batches []starlark.Value
		for i := 0; i < list.Len(); i += size {
			batches = append(batches, list.Slice(i, min(i+size, list.Len()), 1))
		}
		return starlark.NewList(batches), nil
	})
}

func (r *run) batchSearch(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	queries, err := guest.Sequence(a.T, a.V[0], MaxBatch)
	if err != nil {
		if _, isText := a.V[0].(starlark.String); !isText && starlark.Len(a.V[0]) <= MaxBatch {
			return nil, a.WrongType(0, "a list of queries")
		}
		return nil, pylang.Raise("ValueError", "queries must be a list of 1..%d queries, got %d", MaxBatch, starlark.Len(a.V[0]))
	}
	if _, isText := a.V[0].(starlark.String); isText {
		return nil, a.WrongType(0, "a list of queries")
	}
	if len(queries) == 0 {
		return new(starlark.List), nil
	}
	shared, err := r.searchOptions(a)
	if err != nil {
		return nil, err
	}
	var args BatchArgs
	for i, q := range queries {
		s := shared
		switch q := q.(type) {
		case starlark.String:
			one, err := hybridFunc().Call(starlark.Tuple{q}, nil)
			if err != nil {
				return nil, err
			}
			one.T = a.T
			if s.Query, err = queryText(one, 0); err != nil {
				return nil, err
			}
		case starlark.IterableMapping:
			var kwargs []starlark.Tuple
			for _, kv := range q.Items() {
				if _, ok := kv[0].(starlark.String); !ok {
					return nil, pylang.Raise("TypeError", "queries[%d]: argument names are strings, got %s", i, guest.Describe(kv[0]))
				}
				kwargs = append(kwargs, kv)
			}
			one, err := hybridFunc().Call(nil, kwargs)
			if err != nil {
				return nil, err
			}
			one.T = a.T
			own, err := r.searchOptions(one)
			if err != nil {
				return nil, err
			}
			s = mergeArgs(shared, own, one)
		default:
			return nil, pylang.Raise("TypeError", "queries[%d] must be a string or a dict of arguments, got %s", i, guest.Describe(q))
		}
		args.Queries = append(args.Queries, s)
	}
	return r.ask(MethodBatch, args, func(raw json.RawMessage) (starlark.Value, error) {
		var reply BatchReply
		if err := decodeReply(MethodBatch, raw, &reply); err != nil {
			return nil, err
		}
		if len(reply.Replies) != len(args.Queries) {
			return nil, pylang.Raise("RuntimeError", "%s: %d answers to %d queries", MethodBatch, len(reply.Replies), len(args.Queries))
		}
		lists := make([]starlark.Value, len(reply.Replies))
		for i, one := range reply.Replies {
			if one.Error != nil {
				e := pylang.Raise("RuntimeError", "queries[%d]: %s", i, one.Error.Message)
				e.Hint = one.Error.Hint
				return nil, e
			}
			if one.SearchReply == nil {
				return nil, pylang.Raise("RuntimeError", "%s: no answer to queries[%d]", MethodBatch, i)
			}
			lists[i] = r.hitList(one.SearchReply, args.Queries[i].Query)
		}
		return starlark.NewList(lists), nil
	})
}

func hybridFunc() *guest.Func { return searchDoc().Func("hybrid_search") }

// mergeArgs lays the arguments that one query gives over the shared ones.
func mergeArgs(shared, own SearchArgs, given *guest.Args) SearchArgs {
	out := own
	for i, p := range given.Fn.Fixed() {
		if given.V[i] != nil {
			continue
		}
		switch p.Name {
		case "top_k":
			out.TopK = shared.TopK
		case "bm25_weight":
			out.BM25Weight = shared.BM25Weight
		case "vector_weight":
			out.VectorWeight = shared.VectorWeight
		case "filters":
			out.Filter = shared.Filter
		case "collection":
			out.Collection = shared.Collection
		case "rerank":
			out.Rerank = shared.Rerank
		}
	}
	return out
}

func (r *run) getDocument(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	args, err := documentArgs(a)
	if err != nil {
		return nil, err
	}
	return r.ask(MethodDocument, args, func(raw json.RawMessage) (starlark.Value, error) {
		var d *Document
		if err := decodeReply(MethodDocument, raw, &d); err != nil {
			return nil, err
		}
		if d == nil {
			e := pylang.Raise("KeyError", "no document '%s'", args.ID)
			e.Hint = "documents have the ids that hits give as document_id"
			return nil, e
		}
		v, err := fromJSON(documentFields(d), 0)
		if err != nil {
			return nil, err
		}
		return &record{fields: v.(*starlark.Dict), name: "Document", thread: r.thread}, nil
	})
}

func documentArgs(a *guest.Args) (DocumentArgs, error) {
	var args DocumentArgs
	var err error
	if args.Collection, err = a.Str(1, ""); err != nil {
		return args, err
	}
	args.ID, args.Collection, err = idOf(a, "document_id", args.Collection)
	return args, err
}

// idOf is the first argument as an id: the id itself, or the field of a hit or a dict,
// with the hit's collection where none is given.
func idOf(a *guest.Args, field, collection string) (id, in string, err error) {
	v, isMapping := a.V[0].(starlark.Mapping)
	if !isMapping {
		id, err = a.Str(0, "")
		return id, collection, err
	}
	if h, ok := v.(*hit); ok && collection == "" {
		collection = h.chunk.group.collection
	}
	x, _, err := v.Get(starlark.String(field))
	if err != nil {
		return "", "", err
	}
	s, ok := x.(starlark.String)
	if !ok {
		return "", "", a.WrongType(0, "an id or a hit with "+field)
	}
	return string(s), collection, nil
}

func documentFields(d *Document) object {
	meta := d.Metadata
	if meta == nil {
		meta = map[string]any{}
	}
	o := object{{"document_id", d.ID}, {"title", d.Title}, {"source", d.Source}, {"uri", d.URI}, {"metadata", meta},
		{"text", d.Text}, {"created", d.Created}, {"updated", d.Updated}}
	if d.Truncated {
		o = append(o, member{"truncated", true})
	}
	return o
}

func (r *run) similar(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var args SimilarArgs
	var err error
	if args.TopK, err = a.Int(1, DefaultTopK, 1, MaxTopK); err != nil {
		return nil, err
	}
	if args.Collection, err = a.Str(2, ""); err != nil {
		return nil, err
	}
	query := ""
	if h, ok := a.V[0].(*hit); ok {
		query = h.chunk.group.query
	}
	if args.ID, args.Collection, err = idOf(a, "id", args.Collection); err != nil {
		return nil, err
	}
	return r.ask(MethodSimilar, args, r.hitsOf(MethodSimilar, query))
}
