package codeapi

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/internal/pylang"
)

const filteringText = `
"""Keep, regroup and reorder results that a program already has. Results are hits or dicts
made from them; what comes in as a hit comes out as one. The name filter is this module
and Python's filter(function, iterable) in one."""

def filter_by_domain(results, domain):
    """Results whose metadata has this domain (or one of a list of domains)."""

def filter_by_source(results, source):
    """Results from this source (or one of a list of sources)."""

def filter_by_date(results, start=None, end=None, *, field="updated"):
    """Results whose date is not before start and not after end; both are ISO dates or
    datetimes, or values of module datetime; a date as end includes its whole day. field is
    updated or created (when the document was indexed) or a field of the metadata."""

def filter_by_score(results, min_score=0.0, max_score=None, *, by="score"):
    """Results whose score is within the bounds; by names the score, such as
    rerank_score."""

def where(results, condition):
    """Results that meet a condition: 'domain = "db" and year >= 2024', its dict form
    {"domain": "db", "year": {"gte": 2024}}, or a function of one result."""

def boost(results, by, factor=1.5):
    """Multiplies the score of the results that meet a condition (as in where) by factor
    (0.5..2), at most to 1, and orders by score again."""

def dedupe(results, by=None):
    """Keeps the first of equal results: of the same chunk or the same text, or with by
    those with the same value of a field, such as document_id."""

def group_by(results, by):
    """A dict of lists: the results by a field (of theirs or of the metadata) or by a
    function of one result. Groups come in order of their first result."""
`

var filteringDoc = guest.Lazy(filteringText)

func (r *run) filteringModule() *pylang.Module {
	return &pylang.Module{
		Name: "filtering", Doc: filteringDoc().Doc,
		Members: filteringDoc().Bind("filtering", map[string]guest.Impl{
			"filter_by_domain": r.byField("domain"),
			"filter_by_source": r.byField("source"),
			"filter_by_date":   r.filterByDate,
			"filter_by_score":  r.filterByScore,
			"where":            r.where,
			"boost":            r.boost,
			"dedupe":           r.dedupe,
			"group_by":         r.groupBy,
		}),
	}
}

// predicate decides about one result.
type predicate func(t *starlark.Thread, v starlark.Value) (bool, error)

func (r *run) keep(t *starlark.Thread, a *guest.Args, p predicate) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, v := range list {
		ok, err := p(t, v)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, v)
		}
	}
	return starlark.NewList(out), nil
}

// byField makes the filters on one field with one or more wanted values.
func (r *run) byField(field string) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		var wanted []any
		switch v := a.V[1].(type) {
		case starlark.String:
			wanted = []any{string(v)}
		case starlark.Iterable:
			err := guest.Each(a.T, v, func(x starlark.Value) error {
				s, ok := starlark.AsString(x)
				if !ok {
					return a.WrongType(1, "a string or a list of strings")
				}
				wanted = append(wanted, s)
				return nil
			})
			if err != nil {
				return nil, err
			}
		default:
			return nil, a.WrongType(1, "a string or a list of strings")
		}
		if len(wanted) == 0 {
			return new(starlark.List), nil
		}
		return r.keep(t, a, r.matches(filter.In(field, wanted...)))
	}
}

func (r *run) matches(e filter.Expr) predicate {
	return func(t *starlark.Thread, v starlark.Value) (bool, error) {
		d, err := r.documentOf(t, v)
		if err != nil {
			return false, err
		}
		return filter.Match(e, d), nil
	}
}

// documentOf is a result as filters see it. A dict that was made from a hit is
// completed with what its chunk knows; its own fields win.
func (r *run) documentOf(t *starlark.Thread, v starlark.Value) (filter.Document, error) {
	var d filter.Document
	if c := r.chunkOf(v); c != nil {
		d = filter.Document{ID: c.DocumentID, Title: c.Title, Source: c.Source, URI: c.URI,
			Collection: c.group.collection, Metadata: c.Metadata}
		d.Created, _ = time.Parse(time.RFC3339Nano, c.Created)
		d.Updated, _ = time.Parse(time.RFC3339Nano, c.Updated)
		if h, ok := v.(*hit); ok && (h.own == nil && c.meta == nil) {
			return d, nil
		}
	}
	own := v
	if h, ok := v.(*hit); ok {
		own = starlark.NewDict(0)
		if h.own != nil {
			own = h.own
		}
		if m, ok := h.chunk.meta.(*starlark.Dict); ok { // the program may have changed it
			meta, err := toGo(t, m, "metadata")
			if err != nil {
				return d, err
			}
			d.Metadata, _ = meta.(map[string]any)
		}
	}
	m, ok := own.(starlark.IterableMapping)
	if !ok {
		return d, nil
	}
	meta := make(map[string]any, len(d.Metadata))
	for k, x := range d.Metadata {
		meta[k] = x
	}
	for _, kv := range m.Items() {
		key, ok := starlark.AsString(kv[0])
		if !ok {
			continue
		}
		if s, isString := starlark.AsString(kv[1]); isString {
			switch key {
			case "document_id":
				d.ID = s
				continue
			case "id":
				if d.ID == "" {
					d.ID = s
				}
				continue
			case "title":
				d.Title = s
				continue
			case "source":
				d.Source = s
				continue
			case "uri":
				d.URI = s
				continue
			case "collection":
				d.Collection = s
				continue
			case "created", "updated":
				if at, ok := parseTime(s); ok {
					if key == "created" {
						d.Created = at
					} else {
						d.Updated = at
					}
					continue
				}
			}
		}
		x, err := toGo(t, kv[1], key)
		if err != nil {
			continue // not JSON: no filter can ask for it
		}
		if inner, ok := x.(map[string]any); ok && key == "metadata" {
			for k, y := range inner {
				meta[k] = y
			}
			continue
		}
		meta[key] = x
	}
	d.Metadata = meta
	return d, nil
}

// condition reads what where and boost take.
func (r *run) condition(a *guest.Args, i int) (predicate, error) {
	switch v := a.V[i].(type) {
	case starlark.String:
		if strings.TrimSpace(string(v)) == "" {
			return nil, pylang.Raise("ValueError", "%s must not be empty", a.Name(i))
		}
		e, err := filter.Parse(string(v))
		if err != nil {
			return nil, filterError(a.Name(i), err)
		}
		return r.matches(e), nil
	case starlark.IterableMapping, *starlark.List:
		x, err := toGo(a.T, v, a.Name(i))
		if err != nil {
			return nil, err
		}
		m, ok := x.(map[string]any)
		if !ok {
			return nil, a.WrongType(i, "a condition: a text, a dict or a function")
		}
		e, err := filter.FromMap(m)
		if err != nil {
			return nil, filterError(a.Name(i), err)
		}
		return r.matches(e), nil
	case starlark.Callable:
		return func(t *starlark.Thread, x starlark.Value) (bool, error) {
			y, err := starlark.Call(t, v, starlark.Tuple{x}, nil)
			if err != nil {
				return false, err
			}
			return guest.Truth(y), nil
		}, nil
	}
	return nil, a.WrongType(i, "a condition: a text, a dict or a function")
}

func filterError(name string, err error) error {
	e := pylang.Raise("ValueError", "%s: %v", name, err)
	var fe *filter.Error
	if errors.As(err, &fe) {
		e.Message = fmt.Sprintf("%s: %s", name, fe.Msg)
		if fe.Offset >= 0 {
			e.Message = fmt.Sprintf("%s, character %d: %s", name, fe.Offset+1, fe.Msg)
		}
		e.Hint = fe.Hint
	}
	return e
}

func (r *run) where(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	p, err := r.condition(a, 1)
	if err != nil {
		return nil, err
	}
	return r.keep(t, a, p)
}

func (r *run) filterByScore(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	lo, hi, by, err := scoreBounds(a)
	if err != nil {
		return nil, err
	}
	return r.keep(t, a, func(_ *starlark.Thread, v starlark.Value) (bool, error) {
		s, ok := scoreField(v, by)
		if !ok && by == "score" {
			s, ok = scoreField(v, "relevance_score", "rerank_score")
		}
		return ok && s >= lo && s <= hi, nil
	})
}

func scoreBounds(a *guest.Args) (lo, hi float64, by string, err error) {
	if lo, err = a.Float(1, 0, -1e300, 1e300); err != nil {
		return
	}
	if hi, err = a.Float(2, 1e300, -1e300, 1e300); err != nil {
		return
	}
	by, err = a.Str(3, "score")
	return
}

func (r *run) filterByDate(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	start, err := timeArg(a, 1, false)
	if err != nil {
		return nil, err
	}
	end, err := timeArg(a, 2, true)
	if err != nil {
		return nil, err
	}
	if start.IsZero() && end.IsZero() {
		return nil, pylang.Raise("ValueError", "filter_by_date() needs start, end or both")
	}
	field, err := a.Str(3, "updated")
	if err != nil {
		return nil, err
	}
	return r.keep(t, a, func(t *starlark.Thread, v starlark.Value) (bool, error) {
		d, err := r.documentOf(t, v)
		if err != nil {
			return false, err
		}
		var at time.Time
		switch field {
		case "updated":
			at = d.Updated
		case "created":
			at = d.Created
		default:
			s, _ := d.Metadata[strings.TrimPrefix(field, "metadata.")].(string)
			at, _ = parseTime(s)
		}
		if at.IsZero() {
			return false, nil
		}
		return (start.IsZero() || !at.Before(start)) && (end.IsZero() || at.Before(end)), nil
	})
}

// timeArg reads a date or datetime. For an end it returns the first moment
// behind it: a date includes its day, a datetime itself.
func timeArg(a *guest.Args, i int, end bool) (time.Time, error) {
	if !a.Given(i) {
		return time.Time{}, nil
	}
	s, ok := starlark.AsString(a.V[i])
	if !ok {
		f, has := a.V[i].(starlark.HasAttrs)
		if !has {
			return time.Time{}, a.WrongType(i, "a date")
		}
		iso, err := f.Attr("isoformat")
		call, ok := iso.(*starlark.Builtin)
		if err != nil || !ok {
			return time.Time{}, a.WrongType(i, "a date")
		}
		v, err := call.CallInternal(new(starlark.Thread), nil, nil)
		if err != nil {
			return time.Time{}, a.WrongType(i, "a date")
		}
		s, _ = starlark.AsString(v)
	}
	t, ok := parseTime(s)
	if !ok {
		return time.Time{}, pylang.Raise("ValueError", "%s must be a date such as 2024-05-31 or 2024-05-31T12:00:00, got '%s'", a.Name(i), s)
	}
	if end {
		if len(s) <= len("2006-01-02") {
			return t.AddDate(0, 0, 1), nil
		}
		return t.Add(1), nil
	}
	return t, nil
}

func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func (r *run) boost(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	p, err := r.condition(a, 1)
	if err != nil {
		return nil, err
	}
	factor, err := a.Float(2, 1.5, 0.5, 2)
	if err != nil {
		return nil, err
	}
	type scored struct {
		v     starlark.Value
		score float64
	}
	out := make([]scored, len(list))
	for i, v := range list {
		s, ok := scoreField(v, "score", "relevance_score")
		if !ok {
			return nil, pylang.Raise("ValueError", "results[%d] has no score to boost", i)
		}
		yes, err := p(t, v)
		if err != nil {
			return nil, err
		}
		if yes {
			s = min(1, s*factor)
			if v, err = changed(v, set("score", starlark.Float(s))); err != nil {
				return nil, err
			}
		}
		out[i] = scored{v, s}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	elems := make([]starlark.Value, len(out))
	for i, o := range out {
		elems[i] = o.v
	}
	return starlark.NewList(elems), nil
}

func (r *run) dedupe(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	by, err := a.Str(1, "")
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var out []starlark.Value
	for _, v := range list {
		keys, err := r.sameness(v, by)
		if err != nil {
			return nil, err
		}
		dup := false
		for _, k := range keys {
			dup = dup || seen[k]
		}
		for _, k := range keys {
			seen[k] = true
		}
		if !dup {
			out = append(out, v)
		}
	}
	return starlark.NewList(out), nil
}

// sameness lists what makes a result equal to another; none of it: it is unique.
func (r *run) sameness(v starlark.Value, by string) ([]string, error) {
	if by != "" {
		x, err := r.groupKey(v, by)
		if err != nil || x == starlark.None {
			return nil, err
		}
		return []string{x.Type() + x.String()}, nil
	}
	var keys []string
	id, err := textField(v, "id")
	if err != nil {
		return nil, err
	}
	if id != "" {
		keys = append(keys, "id\x00"+id)
	}
	text, err := textField(v, "content") // of a hit: without fetching the text
	if err != nil {
		return nil, err
	}
	if text == "" {
		if text, err = textField(v, "text"); err != nil {
			return nil, err
		}
	}
	if c := r.chunkOf(v); c != nil && text != "" {
		text += fmt.Sprintf("\x00%d", c.End-c.Start)
	}
	if text != "" {
		keys = append(keys, "text\x00"+strings.Join(strings.Fields(text), " "))
	}
	return keys, nil
}

// groupKey is a field of a result or of its metadata; None when it has none.
func (r *run) groupKey(v starlark.Value, by string) (starlark.Value, error) {
	if by == "document" {
		by = "document_id"
	}
	x, err := fieldOf(v, by)
	if err != nil || x != nil {
		return orNone(x), err
	}
	meta, err := fieldOf(v, "metadata")
	if err != nil {
		return nil, err
	}
	if meta == nil {
		if c := r.chunkOf(v); c != nil {
			if x, err := fieldOf(newHit(c), by); err != nil || x != nil {
				return orNone(x), err
			}
			if meta, err = c.metadata(); err != nil {
				return nil, err
			}
		}
	}
	for _, part := range strings.Split(strings.TrimPrefix(by, "metadata."), ".") {
		if meta == nil {
			return starlark.None, nil
		}
		if meta, err = fieldOf(meta, part); err != nil {
			return nil, err
		}
	}
	return orNone(meta), nil
}

func orNone(v starlark.Value) starlark.Value {
	if v == nil {
		return starlark.None
	}
	return v
}

func (r *run) groupBy(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	var key func(v starlark.Value) (starlark.Value, error)
	switch by := a.V[1].(type) {
	case starlark.String:
		key = func(v starlark.Value) (starlark.Value, error) { return r.groupKey(v, string(by)) }
	case starlark.Callable:
		key = func(v starlark.Value) (starlark.Value, error) { return starlark.Call(t, by, starlark.Tuple{v}, nil) }
	default:
		return nil, a.WrongType(1, "a field's name or a function")
	}
	groups := new(starlark.Dict)
	for _, v := range list {
		k, err := key(v)
		if err != nil {
			return nil, err
		}
		if l, ok := k.(*starlark.List); ok { // such as a list of tags
			elems, err := guest.Sequence(t, l, maxList)
			if err != nil {
				return nil, err
			}
			k = starlark.Tuple(elems) // one group for equal lists
		}
		g, ok, err := groups.Get(k)
		if err != nil {
			return nil, pylang.Raise("TypeError", "results cannot be grouped by a %s", guest.TypeName(k))
		}
		if !ok {
			g = new(starlark.List)
			if err := groups.SetKey(k, g); err != nil {
				return nil, err
			}
		}
		if err := g.(*starlark.List).Append(v); err != nil {
			return nil, err
		}
	}
	return groups, nil
}
