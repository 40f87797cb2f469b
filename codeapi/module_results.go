package codeapi

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
	"github.com/bmcis/bmcis/internal/render"
)

const resultsText = `
"""Make answers small: shorten, print, pack and cite results."""

def summarize(results, max_content_length=200, fields=None):
    """Small dicts with id, title, score, rerank_score where there is one, and preview (the
    text cut at max_content_length characters, 0..100000); fields adds further fields by
    name where a result has them."""

def format_for_agent(results):
    """The results as a numbered list to read: title > heading, score, and the first 200
    characters of the text on one line. "No results found" when there are none."""

def pack(results, max_tokens, *, max_content_length=None):
    """As many results, best first, as fit into max_tokens (o200k): small dicts with id,
    title, source and text. The last text is cut where the budget ends and marked
    truncated. Duplicates are left out. max_content_length cuts each text at so many
    characters."""

def cite(results):
    """One line a result to cite it by: [1] Title > Heading (source, uri)."""

def count_tokens(value):
    """Number of o200k tokens of a text, or of the JSON of any other value."""
`

var resultsDoc = guest.Lazy(resultsText)

func (r *run) resultsModule() *pylang.Module {
	return &pylang.Module{
		Name: "results", Doc: resultsDoc().Doc,
		Members: resultsDoc().Bind("results", map[string]guest.Impl{
			"summarize":        r.summarize,
			"format_for_agent": r.formatForAgent,
			"pack":             r.pack,
			"cite":             r.cite,
			"count_tokens":     r.countTokens,
		}),
	}
}

const maxContentLength = 100_000

func (r *run) summarize(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	length, err := a.Int(1, ContentRunes, 0, maxContentLength)
	if err != nil {
		return nil, err
	}
	var fields []string
	if a.Given(2) {
		if _, isText := a.V[2].(starlark.String); isText {
			return nil, a.WrongType(2, "a list of names")
		}
		err := guest.Each(a.T, a.V[2], func(v starlark.Value) error {
			s, ok := starlark.AsString(v)
			if !ok {
				return a.WrongType(2, "a list of names")
			}
			fields = append(fields, s)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]starlark.Value, len(list))
	for i, v := range list {
		d := starlark.NewDict(4 + len(fields))
		put := func(name string, x starlark.Value) { _ = d.SetKey(starlark.String(name), x) }
		id, err := fieldOf(v, "id")
		if err != nil {
			return nil, err
		}
		put("id", orNone(id))
		title, err := textField(v, "title")
		if err != nil {
			return nil, err
		}
		if title == "" {
			title = "Untitled"
		}
		put("title", starlark.String(title))
		score, _ := scoreField(v, "score", "relevance_score")
		put("score", starlark.Float(score))
		if s, ok := scoreField(v, "rerank_score"); ok {
			put("rerank_score", starlark.Float(s))
		}
		text, err := r.textOf(v, length)
		if err != nil {
			return nil, err
		}
		if text != "" && length > 0 {
			put("preview", starlark.String(render.Cut(text, length)))
		}
		for _, f := range fields {
			x, err := fieldOf(v, f)
			if err != nil {
				return nil, err
			}
			if x == nil {
				if x, err = r.groupKey(v, f); err != nil {
					return nil, err
				}
			}
			if x != nil && x != starlark.None {
				put(f, x)
			}
		}
		out[i] = d
	}
	return starlark.NewList(out), nil
}

// textOf is the first n characters of a result's text or more, from what is at
// hand where that suffices and else from the whole text.
func (r *run) textOf(v starlark.Value, n int) (string, error) {
	if h, ok := v.(*hit); ok {
		if n <= ContentRunes && !h.chunk.known && h.own == nil {
			return h.chunk.Content, nil
		}
		return textField(v, "text")
	}
	if s, err := textField(v, "text"); err != nil || s != "" {
		return s, err
	}
	content, err := textField(v, "content")
	if err != nil {
		return "", err
	}
	if c := r.chunkOf(v); c != nil && (content == "" || content == c.Content) {
		if n <= ContentRunes && !c.known {
			return c.Content, nil
		}
		return c.whole()
	}
	if content == "" {
		return textField(v, "preview")
	}
	return content, nil
}

func (r *run) formatForAgent(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return starlark.String("No results found"), nil
	}
	var b strings.Builder
	for i, v := range list {
		title, headings, err := r.headline(v)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%d. %s\n", i+1, title)
		score, ok := scoreOf(v)
		if ok {
			fmt.Fprintf(&b, "   Score: %.2f\n", score)
		}
		preview, err := r.preview(v, headings)
		if err != nil {
			return nil, err
		}
		if preview != "" {
			fmt.Fprintf(&b, "   %s\n", preview)
		}
		if i < len(list)-1 {
			b.WriteByte('\n')
		}
	}
	return starlark.String(b.String()), nil
}

// headline names a result for a reader: its title and, where that says more, the
// heading under which the text stands. headings are all above the text.
func (r *run) headline(v starlark.Value) (line string, headings []string, err error) {
	if line, err = textField(v, "title"); err != nil {
		return "", nil, err
	}
	c := r.chunkOf(v)
	if c != nil && line != "" && line != c.Title {
		return render.Preview(line, 200), nil, nil // the program has named it itself
	}
	own, err := fieldOf(v, "headings")
	if err != nil {
		return "", nil, err
	}
	if l, ok := own.(*starlark.List); !ok && c != nil {
		headings = c.Headings
	} else if ok {
		for i := range l.Len() {
			if s, ok := starlark.AsString(l.Index(i)); ok {
				headings = append(headings, s)
			}
		}
	}
	if line == "" {
		line = "Untitled"
	}
	if n := len(headings); n > 0 && headings[n-1] != "" && headings[n-1] != line {
		line += " > " + headings[n-1]
	}
	return render.Preview(line, 200), headings, nil
}

// preview is the beginning of a result's text on one line, without the headings that
// stand above it already; an ellipsis says that there is more.
func (r *run) preview(v starlark.Value, headings []string) (string, error) {
	text, err := textField(v, "preview")
	if err != nil {
		return "", err
	}
	if text == "" {
		if text, err = r.textOf(v, ContentRunes); err != nil {
			return "", err
		}
	}
	more := false
	if c := r.chunkOf(v); c != nil && strings.HasPrefix(c.Content, render.Cut(text, ContentRunes)) {
		more = !c.Whole && !(c.known && len(text) >= len(c.text)) || c.Whole && len(text) < len(c.Content)
	}
	for {
		first, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
		if !slices.Contains(headings, strings.TrimSpace(strings.TrimLeft(first, "#"))) || strings.TrimSpace(rest) == "" {
			break
		}
		text = rest
	}
	line := render.Preview(text, ContentRunes)
	if more && line != "" && !strings.HasSuffix(line, "…") {
		line += "…"
	}
	return line, nil
}

func (r *run) cite(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	if h, ok := a.V[0].(*hit); ok {
		a.V[0] = starlark.NewList([]starlark.Value{h})
	}
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(list))
	for i, v := range list {
		var where []string
		title, _, err := r.headline(v)
		if err != nil {
			return nil, err
		}
		for _, f := range []string{"source", "uri", "document_id"} {
			x, err := r.groupKey(v, f)
			if err != nil {
				return nil, err
			}
			if s, _ := starlark.AsString(x); s != "" && (len(where) == 0 || f == "uri" && s != where[0]) {
				where = append(where, s)
			}
		}
		lines[i] = fmt.Sprintf("[%d] %s", i+1, title)
		if len(where) > 0 {
			lines[i] += " (" + strings.Join(where, ", ") + ")"
		}
	}
	return stringList(lines), nil
}

// tokens counts the o200k tokens of texts, on the host's side, which has the
// vocabulary.
func (r *run) tokens(texts []string) ([]int, error) {
	var counts []int
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && n < MaxTexts && (n == 0 || size+len(texts[n]) < MaxRequestBytes/3) {
			size += len(texts[n])
			n++
		}
		var reply TokensReply
		if err := r.askNow(MethodTokens, TokensArgs{Texts: texts[:n]}, &reply); err != nil {
			return nil, err
		}
		if len(reply.Counts) != n {
			return nil, pylang.Raise("RuntimeError", "%s: %d counts for %d texts", MethodTokens, len(reply.Counts), n)
		}
		counts = append(counts, reply.Counts...)
		texts = texts[n:]
	}
	return counts, nil
}

func (r *run) countTokens(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	v := a.V[0]
	if f, ok := v.(*future); ok {
		var err error
		if v, err = f.force(); err != nil {
			return nil, err
		}
	}
	text, ok := starlark.AsString(v)
	if !ok {
		raw, err := encodeJSON(a.T, v, "value", MaxRequestBytes/3)
		if err != nil {
			return nil, err
		}
		text = string(raw)
	}
	if len(text) > MaxRequestBytes/3 {
		return nil, pylang.Raise("ValueError", "value must be at most %d bytes of text, got %d", MaxRequestBytes/3, len(text))
	}
	counts, err := r.tokens([]string{text})
	if err != nil {
		return nil, err
	}
	return starlark.MakeInt(counts[0]), nil
}

func (r *run) pack(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	list, err := resultList(a, 0)
	if err != nil {
		return nil, err
	}
	budget, err := a.Int(1, 0, 1, 1_000_000)
	if err != nil {
		return nil, err
	}
	length, err := a.Int(2, maxContentLength, 1, maxContentLength)
	if err != nil {
		return nil, err
	}
	// What cannot fit is not even read: no entry has fewer than ten tokens.
	if limit := budget/10 + 1; len(list) > limit {
		list = list[:limit]
	}
	seen := make(map[string]bool)
	var entries []*starlark.Dict
	for _, v := range list {
		keys, err := r.sameness(v, "")
		if err != nil {
			return nil, err
		}
		dup := false
		for _, k := range keys {
			dup = dup || seen[k]
			seen[k] = true
		}
		if dup {
			continue
		}
		text, err := r.textOf(v, maxContentLength)
		if err != nil {
			return nil, err
		}
		d := starlark.NewDict(4)
		for _, name := range []string{"id", "title", "source"} {
			x, err := r.groupKey(v, name)
			if err != nil {
				return nil, err
			}
			if x != starlark.None {
				_ = d.SetKey(starlark.String(name), x)
			}
		}
		cut := render.Cut(text, length)
		_ = d.SetKey(starlark.String("text"), starlark.String(cut))
		if len(cut) < len(text) {
			_ = d.SetKey(starlark.String("truncated"), starlark.True)
		}
		entries = append(entries, d)
	}
	return r.packed(a.T, entries, budget)
}

// packed takes entries while their JSON fits; the last one is cut to fit when at
// least a few words of it do.
func (r *run) packed(t *starlark.Thread, entries []*starlark.Dict, budget int) (starlark.Value, error) {
	texts := make([]string, len(entries))
	for i, d := range entries {
		raw, err := encodeJSON(t, d, "results", MaxRequestBytes/3)
		if err != nil {
			return nil, err
		}
		texts[i] = string(raw) + ","
	}
	counts, err := r.tokens(texts)
	if err != nil {
		return nil, err
	}
	left := budget - 2 // the list's brackets
	var out []starlark.Value
	for i, n := range counts {
		if n <= left {
			out = append(out, entries[i])
			left -= n
			continue
		}
		cut, err := r.cutEntry(t, entries[i], left, n)
		if err != nil {
			return nil, err
		}
		if cut != nil {
			out = append(out, cut)
		}
		break
	}
	return starlark.NewList(out), nil
}

const minPackedText = 40 // characters; less is not worth its frame

// cutEntry shortens an entry's text until the entry has at most budget tokens;
// nil when too little would be left.
func (r *run) cutEntry(t *starlark.Thread, d *starlark.Dict, budget, tokens int) (starlark.Value, error) {
	text, err := textField(d, "text")
	if err != nil || budget <= 0 {
		return nil, err
	}
	runes := []rune(text)
	frame := copyDict(d)
	_ = frame.SetKey(starlark.String("truncated"), starlark.True)
	keep := len(runes) * budget / tokens
	for range 8 {
		if keep < minPackedText {
			return nil, nil
		}
		_ = frame.SetKey(starlark.String("text"), starlark.String(string(runes[:keep])+"…"))
		raw, err := encodeJSON(t, frame, "results", MaxRequestBytes/3)
		if err != nil {
			return nil, err
		}
		counts, err := r.tokens([]string{string(raw) + ","})
		if err != nil {
			return nil, err
		}
		if counts[0] <= budget {
			return frame, nil
		}
		keep = min(keep*budget/counts[0], keep-4)
	}
	return nil, nil
}
