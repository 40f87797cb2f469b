package route

import (
	"strings"
	"unicode"
)

// features are what a query shows without any look at the collection.
type features struct {
	words       []string // without quotes and operators
	identifiers []string // those of words that are names rather than language
	phrases     int      // in quotes, of two words or more
	phraseWords int
	constraints []string // what the syntax demands, in words
	question    bool     // a question word in front or a question mark
	sentence    bool     // ends as a sentence does
	function    int      // words such as the, of, with
	cjk         int      // characters of scripts without spaces
}

// read takes a query apart. It knows the syntax of the lexical leg only as far as it
// tells kinds of queries apart.
func read(query string) features {
	var f features
	trimmed := strings.TrimSpace(query)
	f.question = strings.ContainsAny(trimmed, "?？")
	for _, r := range trimmed {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
			f.cjk++
		}
	}
	for i, part := range strings.Split(trimmed, `"`) {
		// Every second part stands in quotes; the last only if a quote closes it.
		quoted := i%2 == 1 && (strings.Count(trimmed, `"`)%2 == 0 || i < strings.Count(trimmed, `"`))
		fields := strings.Fields(part)
		if quoted {
			f.quoted(fields)
			continue
		}
		for _, w := range fields {
			f.word(w)
		}
	}
	if n := len(f.words); n > 0 {
		f.question = f.question || n > 1 && questionWords[strings.ToLower(f.words[0])]
		f.sentence = n >= 4 && strings.HasSuffix(trimmed, ".")
	}
	return f
}

func (f *features) quoted(words []string) {
	for _, w := range words {
		f.words = append(f.words, w)
		if len(words) == 1 && isIdentifier(w) {
			f.identifiers = append(f.identifiers, w)
		}
	}
	if len(words) > 1 {
		f.phrases++
		f.phraseWords += len(words)
	}
	if len(words) > 0 {
		f.constraints = append(f.constraints, `"`+strings.Join(words, " ")+`"`)
	}
}

func (f *features) word(w string) {
	bare := w
	if len(w) > 1 && (w[0] == '+' || w[0] == '-') && !strings.HasPrefix(w, "--") && !strings.HasPrefix(w, "+-") {
		f.constraints = append(f.constraints, w)
		bare = w[1:]
		if w[0] == '-' {
			return // what must not be there says nothing about what is sought
		}
	}
	if field, rest, ok := strings.Cut(bare, ":"); ok && IsField(field) {
		f.constraints = append(f.constraints, bare)
		bare = rest
	}
	clean := strings.Trim(bare, ",;!?…。？！'“”‘’")
	clean = strings.TrimRight(clean, ".:")
	if strings.IndexFunc(clean, isLetterOrDigit) < 0 {
		return
	}
	f.words = append(f.words, clean)
	if isIdentifier(clean) {
		f.identifiers = append(f.identifiers, clean)
	}
	if functionWords[strings.ToLower(clean)] {
		f.function++
	}
}

// class applies the rules, first match first, and says which one it was.
func (f features) class(p *Plan) Class {
	n, ids := len(f.words), len(f.identifiers)
	switch {
	case n == 0:
		p.because("no words: treated as keywords")
		return Keyword
	case f.phrases > 0 && 2*f.phraseWords >= n:
		p.because("most of the query is a phrase in quotes")
		return Phrase
	case ids == n || ids > 0 && 2*ids >= n && n <= 3 && !f.question && f.function == 0:
		p.because("%s: an identifier, to be found as written", join(quoteAll(f.identifiers)))
		return Identifier
	case ids > 0 && (f.question || n > 3 || f.function > 0):
		p.because("words around %s, which looks like an identifier", join(quoteAll(f.identifiers)))
		return Mixed
	case ids > 0:
		p.because("a few words with %s, which looks like an identifier", join(quoteAll(f.identifiers)))
		return Keyword
	case f.question:
		p.because("it asks a question")
		return Natural
	case f.sentence:
		p.because("it is a sentence")
		return Natural
	case f.cjk >= 10:
		p.because("%d characters of a script without spaces make a sentence", f.cjk)
		return Natural
	case n >= 4 && 4*f.function >= n || n >= 6 && f.function > 0 || n > 8:
		p.because("%d words, %d of them such as the, of, with: natural language", n, f.function)
		return Natural
	}
	p.because("%d words without the grammar of a sentence: keywords", n)
	return Keyword
}

// IsField reports whether field: in front of a word names a field of documents.
func IsField(name string) bool { return searchFields[strings.ToLower(name)] }

// terms are the statistics of the identifiers as whole words.
func (f features) terms(in Input) []Term {
	var found []Term
	for _, id := range f.identifiers {
		id = strings.ToLower(strings.Trim(id, "`()-$@%#"))
		for _, t := range in.Terms {
			if t.Text == id {
				found = append(found, t)
			}
		}
	}
	return found
}

// rare is the identifier that stands in the fewest chunks, when these are few; nil else.
func (f features) rare(in Input) *Term {
	var best *Term
	for _, t := range f.terms(in) {
		if t.DF >= 1 && t.DF <= rareDF && (best == nil || t.DF < best.DF) {
			best = &t
		}
	}
	return best
}

// rareTerms are all identifiers that stand in a few chunks.
func (f features) rareTerms(in Input) []string {
	var found []string
	for _, t := range f.terms(in) {
		if t.DF >= 1 && t.DF <= rareDF {
			found = append(found, t.Text)
		}
	}
	return found
}

// unknown reports that the statistics are there and no chunk holds any identifier.
func (f features) unknown(in Input) bool {
	if in.Documents == 0 || len(in.Terms) == 0 {
		return false
	}
	for _, t := range f.terms(in) {
		if t.DF > 0 {
			return false
		}
	}
	// An identifier that the analysis cut apart has no statistics of its own.
	return len(f.terms(in)) > 0
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func quoteAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		if len(w) > 60 {
			w = strings.ToValidUTF8(w[:60], "") + "…"
		}
		out[i] = `"` + w + `"`
	}
	return out
}

func join(words []string) string {
	if len(words) > 3 {
		words = append(words[:3:3], "…")
	}
	return strings.Join(words, ", ")
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	searchFields  = set("title heading headings body text path")
	questionWords = set("what who whom whose when where why how which can could does do did is are was were should would will may must has have explain describe tell show find compare list")
	functionWords = set("a an the of in on at to for from by with without into about as and or but if that this these those it its is are was were be been being do does did can could should would will may must i we you my our your he she they their there not no than then so such any some all")
)
