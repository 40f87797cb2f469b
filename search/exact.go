package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/rank"
	"github.com/bmcis/bmcis/internal/route"
)

const (
	// exactShare is how near a chunk's BM25 score must be to the best for it to count as
	// an exact match of an identifier or a phrase.
	exactShare = 0.9
	// leastGuarded is the page on which exact matches stay when the caller's is smaller.
	leastGuarded = 3
	// nameWindow is how many of the best candidates are read to see whether they hold a
	// name. It does not depend on the page, so that pages fit together.
	nameWindow = 100
)

// exactMatches are the chunks that neither fusion nor a reranker may push off the page:
// what matches an identifier or a phrase best, and what holds a rare identifier of a
// longer query.
func (q *query) exactMatches(ctx context.Context, fused []rank.Fused) (map[int64]bool, error) {
	if q.route.Class == route.Identifier || q.route.Class == route.Phrase {
		return rank.Exact(fused, exactShare), nil
	}
	if len(q.route.Rare) == 0 || q.legs.lexical == nil || q.route.Mode != route.Hybrid {
		return nil, nil
	}
	exact := map[int64]bool{}
	for _, term := range q.route.Rare {
		ask := q.lexical(int(q.rareDF(term)))
		ask.Text, ask.Plain = term, true
		found, err := q.engine.lex.Search(ctx, ask)
		if err != nil {
			q.degrade("lexical", fmt.Sprintf("look up %q: %v", term, err))
			continue
		}
		for _, h := range found.Hits {
			if _, ok := q.fused[h.Chunk]; ok {
				exact[h.Chunk] = true
			}
		}
	}
	return exact, nil
}

// rareDF is how many chunks hold the term.
func (q *query) rareDF(term string) int64 {
	for _, t := range q.input.Terms {
		if t.Text == term {
			return max(1, t.DF)
		}
	}
	return 1
}

// leadWithName puts first what a query for a name is after: chunks whose title and
// heading are the name and nothing else (for strings.Builder the section "type Builder"
// of strings, before texts that only mention it and have it in full), then those that
// hold it as written. The analysis of words knows no --format and no /etc, and sees
// 2.1.4 in 2.1.40.
func (q *query) leadWithName() {
	name := q.route.Name
	parts := nameParts(name)
	if len(parts) == 0 || q.legs.lexical == nil {
		return
	}
	defines, holds := map[int64]bool{}, map[int64]bool{}
	for _, r := range q.read[:min(len(q.read), nameWindow)] {
		switch {
		case definesName(r.chunk, parts):
			defines[r.item.ID] = true
		case holdsName(r.chunk.Text, name) || holdsName(r.chunk.Title, name) || holdsName(strings.Join(r.chunk.Headings, "\n"), name):
			holds[r.item.ID] = true
		}
	}
	for _, first := range []map[int64]bool{holds, defines} {
		q.reorder(rank.Lead(q.items(), func(id int64) bool { return first[id] }))
		q.order = rank.Lead(q.order, func(id int64) bool { return first[id] })
	}
	if n := len(defines); n > 0 {
		q.because("%d chunks whose title and heading are %q come first", n, name)
	}
	if n := len(holds); n > 0 {
		q.because("%d chunks that hold %q as written come before the others", n, name)
	}
	if q.exact == nil {
		q.exact = map[int64]bool{}
	}
	for _, r := range q.read[:min(len(q.read), leastGuarded)] {
		if defines[r.item.ID] || holds[r.item.ID] {
			q.exact[r.item.ID] = true
		}
	}
}

func (q *query) because(format string, args ...any) {
	q.results.Plan.Reasons = append(q.results.Plan.Reasons, fmt.Sprintf(format, args...))
}

// holdsName reports whether a text has the name, in whatever case, and not as a part of a
// longer one.
func holdsName(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		i += at
		if apart(text[:i], name) && apartAfter(name, text[i+len(name):]) {
			return true
		}
		at = i + 1
	}
}

// apart reports whether a name may begin after this text.
func apart(before, name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(before)
	if !wordRune(first) {
		return true
	}
	if last == '.' && unicode.IsDigit(first) { // 3.2.1.4 does not hold 2.1.4
		prev, _ := utf8.DecodeLastRuneInString(before[:len(before)-1])
		return !unicode.IsDigit(prev)
	}
	return !wordRune(last)
}

// apartAfter reports whether a name may end before this text.
func apartAfter(name, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(name)
	next, n := utf8.DecodeRuneInString(after)
	if !wordRune(last) {
		return true
	}
	if next == '.' && unicode.IsDigit(last) {
		digit, _ := utf8.DecodeRuneInString(after[n:])
		return !unicode.IsDigit(digit)
	}
	return !wordRune(next)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// definesName reports whether the chunk's last heading (its title, where it has none), or
// a heading within its text, is the last part of the name and nothing more, while the
// other parts stand in title and headings.
func definesName(c catalog.Chunk, parts []string) bool {
	path := append([]string{c.Title}, c.Headings...)
	if headingDefines(path[len(path)-1], path[:len(path)-1], parts) {
		return true
	}
	for line := range strings.SplitSeq(c.Text, "\n") { // small sections share a chunk
		if strings.HasPrefix(line, "#") && headingDefines(line, path, parts) {
			return true
		}
	}
	return false
}

func headingDefines(heading string, path, parts []string) bool {
	last := nameParts(heading)
	if !slices.Contains(last, parts[len(parts)-1]) {
		return false
	}
	above := nameParts(strings.Join(path, " "))
	for _, p := range parts {
		if !slices.Contains(last, p) && !slices.Contains(above, p) {
			return false
		}
	}
	for _, w := range last {
		if !slices.Contains(parts, w) && !kindWords[w] {
			return false
		}
	}
	return true
}

// nameParts are the words of a name or heading, in lower case: letters, digits and
// underscores that stand together.
func nameParts(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}

// kindWords are what headings of reference pages say beside a name.
var kindWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("func function method type class struct interface enum trait module package const constant var variable property attribute macro command option setting parameter error def fn the") {
		m[w] = true
	}
	return m
}()
