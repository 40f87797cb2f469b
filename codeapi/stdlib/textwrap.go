package stdlib

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const textwrapText = `
"""Breaking text into lines."""

def wrap(text, width=70, *, initial_indent="", subsequent_indent="", expand_tabs=True, tabsize=8, replace_whitespace=True, fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True, max_lines=None, placeholder=" [...]"):
    """The text as a list of lines of at most width characters."""

def fill(text, width=70, *, initial_indent="", subsequent_indent="", expand_tabs=True, tabsize=8, replace_whitespace=True, fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True, max_lines=None, placeholder=" [...]"):
    """The same as one text."""

def shorten(text, width, *, initial_indent="", subsequent_indent="", expand_tabs=True, tabsize=8, replace_whitespace=True, fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True, placeholder=" [...]"):
    """The text in one line of at most width characters."""

def dedent(text): """Takes away the white space that all lines start with."""
def indent(text, prefix, predicate=None): """Puts prefix before the lines that are not blank."""
`

var textwrapDoc = guest.Lazy(textwrapText)

func makeTextwrap(_ *Env, c *guest.Contract) starlark.StringDict {
	return c.Bind("textwrap", map[string]guest.Impl{
		"wrap": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			lines, err := wrapArgs(a)
			if err != nil {
				return nil, err
			}
			out := make([]starlark.Value, len(lines))
			for i, l := range lines {
				out[i] = starlark.String(l)
			}
			return list(out), nil
		},
		"fill": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			lines, err := wrapArgs(a)
			return text(strings.Join(lines, "\n")), err
		},
		"shorten": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := str(a, 0)
			if err != nil {
				return nil, err
			}
			w, err := newWrapper(a)
			if err != nil {
				return nil, err
			}
			w.maxLines = 1
			lines, err := w.wrap(strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " "))
			return text(strings.Join(lines, "\n")), err
		},
		"dedent": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := str(a, 0)
			return text(dedent(s)), err
		},
		"indent": indent,
	})
}

// wrapper is TextWrapper.
type wrapper struct {
	width, tabSize, maxLines                                          int // maxLines 0: no bound
	initial, subsequent, placeholder                                  string
	expandTabs, replaceSpace, fixEndings, breakLong, drop, hyphenated bool
}

func newWrapper(a *guest.Args) (*wrapper, error) {
	w := &wrapper{width: 70, tabSize: 8, placeholder: " [...]", expandTabs: true, replaceSpace: true, breakLong: true, drop: true, hyphenated: true}
	for i, p := range a.Fn.Fixed() {
		if a.V[i] == nil {
			continue
		}
		var err error
		switch p.Name {
		case "width":
			w.width, err = a.Index(i, 0)
		case "tabsize":
			w.tabSize, err = a.Index(i, 0)
			w.tabSize = min(w.tabSize, 1000)
		case "max_lines":
			if a.Given(i) {
				w.maxLines, err = a.Index(i, 0)
				if err == nil && w.maxLines <= 0 {
					err = raise("ValueError", "max_lines must be above 0, got %d", w.maxLines)
				}
			}
		case "initial_indent":
			w.initial, err = str(a, i)
		case "subsequent_indent":
			w.subsequent, err = str(a, i)
		case "placeholder":
			w.placeholder, err = str(a, i)
		case "expand_tabs":
			w.expandTabs = a.Bool(i, true)
		case "replace_whitespace":
			w.replaceSpace = a.Bool(i, true)
		case "fix_sentence_endings":
			w.fixEndings = a.Bool(i, false)
		case "break_long_words":
			w.breakLong = a.Bool(i, true)
		case "drop_whitespace":
			w.drop = a.Bool(i, true)
		case "break_on_hyphens":
			w.hyphenated = a.Bool(i, true)
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

func wrapArgs(a *guest.Args) ([]string, error) {
	s, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	w, err := newWrapper(a)
	if err != nil {
		return nil, err
	}
	return w.wrap(s)
}

// asciiSpace are the white space characters of textwrap.
const asciiSpace = "\t\n\x0b\x0c\r "

func isSpaceText(s string) bool { return strings.Trim(s, asciiSpace) == "" }

func (w *wrapper) wrap(s string) ([]string, error) {
	if w.expandTabs {
		s = expandTabs(s, w.tabSize)
	}
	if w.replaceSpace {
		s = strings.Map(func(r rune) rune {
			if r < 128 && strings.ContainsRune(asciiSpace, r) {
				return ' '
			}
			return r
		}, s)
	}
	chunks := w.chunks(s)
	if w.fixEndings {
		for i := 0; i < len(chunks)-1; i++ {
			if chunks[i+1] == " " && sentenceEnd(chunks[i]) {
				chunks[i+1] = "  "
				i++
			}
		}
	}
	if w.width <= 0 {
		return nil, raise("ValueError", "invalid width %d (must be > 0)", w.width)
	}
	if w.maxLines > 0 {
		first := w.subsequent
		if w.maxLines == 1 {
			first = w.initial
		}
		if runes(first)+runes(strings.TrimLeftFunc(w.placeholder, unicode.IsSpace)) > w.width {
			return nil, raise("ValueError", "placeholder too large for max width")
		}
	}
	return w.lines(chunks), nil
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func sentenceEnd(s string) bool {
	s = strings.TrimRight(s, "\"'")
	if len(s) < 2 || strings.IndexByte(".!?", s[len(s)-1]) < 0 {
		return false
	}
	c := s[len(s)-2]
	return c >= 'a' && c <= 'z'
}

func expandTabs(s string, size int) string {
	var b strings.Builder
	col := 0
	for _, r := range s {
		switch r {
		case '\t':
			if size > 0 {
				n := size - col%size
				b.WriteString(strings.Repeat(" ", n))
				col += n
			}
		case '\n', '\r':
			b.WriteRune(r)
			col = 0
		default:
			b.WriteRune(r)
			col++
		}
	}
	return b.String()
}

// chunks splits text into words, parts of hyphenated words, dashes and white
// space: the pieces that lines are made of.
func (w *wrapper) chunks(s string) []string {
	rs := []rune(s)
	space := func(r rune) bool { return r < 128 && strings.ContainsRune(asciiSpace, r) }
	var out []string
	for i := 0; i < len(rs); {
		j := i + 1
		if space(rs[i]) {
			for j < len(rs) && space(rs[j]) {
				j++
			}
		} else if !w.hyphenated {
			for j < len(rs) && !space(rs[j]) {
				j++
			}
		} else {
			j = w.wordEnd(rs, i)
		}
		out = append(out, string(rs[i:j]))
		i = j
	}
	return out
}

func isWord(r rune) bool   { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
func isLetter(r rune) bool { return isWord(r) && !(r >= '0' && r <= '9') && !unicode.IsDigit(r) }

// wordPunct are the characters that may end a word before an em-dash.
func wordPunct(r rune) bool { return isWord(r) || strings.ContainsRune("!\"'&.,?", r) }

// wordEnd is the end of the chunk that starts at i, which is no space: a dash of
// two and more hyphens between words, else a word up to a white space, to a dash
// or behind a hyphen between letters.
func (w *wrapper) wordEnd(rs []rune, i int) int {
	space := func(k int) bool { return rs[k] < 128 && strings.ContainsRune(asciiSpace, rs[k]) }
	dash := func(k int) int { // end of an em-dash at k, between two words
		e := k
		for e < len(rs) && rs[e] == '-' {
			e++
		}
		if e-k >= 2 && k > 0 && wordPunct(rs[k-1]) && e < len(rs) && isWord(rs[e]) {
			return e
		}
		return 0
	}
	if e := dash(i); e > 0 {
		return e
	}
	for j := i; j < len(rs); j++ {
		// What may follow the part rs[i:j+1] of a word:
		k := j + 1
		if k == len(rs) || space(k) {
			return k
		}
		if rs[j] == '-' && j > i && hyphenBreak(rs, i, j) {
			return k
		}
		if rs[k] == '-' && wordPunct(rs[j]) && dash(k) > 0 {
			return k
		}
	}
	return len(rs)
}

// hyphenBreak reports whether a word may be broken behind the hyphen at j: two
// letters stand before it, or a letter, a hyphen and a letter, and a letter, with
// or without another hyphen, follows.
func hyphenBreak(rs []rune, i, j int) bool {
	after := j+1 < len(rs) && isLetter(rs[j+1]) && (j+2 < len(rs) && (isLetter(rs[j+2]) || rs[j+2] == '-' && j+3 < len(rs) && isLetter(rs[j+3])))
	if !after {
		return false
	}
	if j-2 >= i && isLetter(rs[j-1]) && isLetter(rs[j-2]) {
		return true
	}
	return j-3 >= i && isLetter(rs[j-1]) && rs[j-2] == '-' && isLetter(rs[j-3])
}

func (w *wrapper) lines(chunks []string) []string {
	var lines []string
	// The chunks are taken from the end of the reversed list.
	for i, j := 0, len(chunks)-1; i < j; i, j = i+1, j-1 {
		chunks[i], chunks[j] = chunks[j], chunks[i]
	}
	pop := func() { chunks = chunks[:len(chunks)-1] }
	last := func() string { return chunks[len(chunks)-1] }
	for len(chunks) > 0 {
		var cur []string
		n := 0
		indent := w.subsequent
		if len(lines) == 0 {
			indent = w.initial
		}
		width := w.width - runes(indent)
		if w.drop && isSpaceText(last()) && len(lines) > 0 {
			pop()
		}
		for len(chunks) > 0 {
			l := runes(last())
			if n+l > width {
				break
			}
			cur = append(cur, last())
			pop()
			n += l
		}
		if len(chunks) > 0 && runes(last()) > width {
			cur = w.longWord(&chunks, cur, n, width)
			n = 0
			for _, c := range cur {
				n += runes(c)
			}
		}
		if w.drop && len(cur) > 0 && isSpaceText(cur[len(cur)-1]) {
			n -= runes(cur[len(cur)-1])
			cur = cur[:len(cur)-1]
		}
		if len(cur) == 0 {
			continue
		}
		if w.maxLines == 0 || len(lines)+1 < w.maxLines ||
			(len(chunks) == 0 || w.drop && len(chunks) == 1 && isSpaceText(chunks[0])) && n <= width {
			lines = append(lines, indent+strings.Join(cur, ""))
			continue
		}
		return w.cut(lines, cur, n, width, indent)
	}
	return lines
}

// longWord breaks a word that is longer than a line, or puts it alone on one.
func (w *wrapper) longWord(chunks *[]string, cur []string, n, width int) []string {
	room := 1
	if width >= 1 {
		room = width - n
	}
	at := len(*chunks) - 1
	word := []rune((*chunks)[at])
	if w.breakLong {
		end := room
		if w.hyphenated && len(word) > room {
			h := -1
			for k := room - 1; k >= 0; k-- {
				if word[k] == '-' {
					h = k
					break
				}
			}
			if h > 0 {
				for k := 0; k < h; k++ {
					if word[k] != '-' {
						end = h + 1
						break
					}
				}
			}
		}
		end = min(max(end, 0), len(word))
		cur = append(cur, string(word[:end]))
		(*chunks)[at] = string(word[end:])
		return cur
	}
	if len(cur) == 0 {
		cur = append(cur, string(word))
		*chunks = (*chunks)[:at]
	}
	return cur
}

// cut ends the last line with the placeholder.
func (w *wrapper) cut(lines, cur []string, n, width int, indent string) []string {
	for len(cur) > 0 {
		end := cur[len(cur)-1]
		if !isSpaceText(end) && n+runes(w.placeholder) <= width {
			return append(lines, indent+strings.Join(cur, "")+w.placeholder)
		}
		n -= runes(end)
		cur = cur[:len(cur)-1]
	}
	if len(lines) > 0 {
		prev := strings.TrimRightFunc(lines[len(lines)-1], unicode.IsSpace)
		if runes(prev)+runes(w.placeholder) <= w.width {
			lines[len(lines)-1] = prev + w.placeholder
			return lines
		}
	}
	return append(lines, indent+strings.TrimLeftFunc(w.placeholder, unicode.IsSpace))
}

func dedent(s string) string {
	lines := strings.Split(s, "\n")
	margin, found := "", false
	for i, l := range lines {
		rest := strings.TrimLeft(l, " \t")
		if rest == "" {
			lines[i] = ""
			continue
		}
		lead := l[:len(l)-len(rest)]
		switch {
		case !found:
			margin, found = lead, true
		case strings.HasPrefix(lead, margin):
		case strings.HasPrefix(margin, lead):
			margin = lead
		default:
			k := 0
			for k < len(margin) && k < len(lead) && margin[k] == lead[k] {
				k++
			}
			margin = margin[:k]
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, margin)
	}
	return strings.Join(lines, "\n")
}

func indent(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	s, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	prefix, err := str(a, 1)
	if err != nil {
		return nil, err
	}
	if err := pylang.CheckAlloc(t, int64(strings.Count(s, "\n")+1)*int64(len(prefix))+int64(len(s))); err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, l := range splitLines(s) {
		yes := strings.TrimSpace(l) != ""
		if a.Given(2) {
			v, err := pylang.Call(t, a.V[2], starlark.Tuple{text(l)}, nil)
			if err != nil {
				return nil, err
			}
			if yes, err = pylang.Truth(t, v); err != nil {
				return nil, err
			}
		}
		if yes {
			b.WriteString(prefix)
		}
		b.WriteString(l)
	}
	return text(b.String()), nil
}

// splitLines is s.splitlines(keepends=True).
func splitLines(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch r {
		case '\r':
			if i < len(s) && s[i] == '\n' {
				i++
			}
		case '\n', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		default:
			continue
		}
		out = append(out, s[start:i])
		start = i
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
