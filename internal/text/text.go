// Package text turns text into the terms that BM25 counts: one analysis, with a
// version, for documents and queries alike. In: a string. Out: terms with their word
// positions and byte offsets. Caller: internal/lexical, for both.
//
// The way of a text: pieces between white space → words (Unicode word boundaries,
// UAX #29) → NFKC and lower case → stop words out → Snowball stems. Beside the words,
// at the same positions, stand the other forms under which people look for them: names
// whole (get_user, os.path.join, CVE-2024-3094, src/main.go), the parts of camelCase
// words (once in a text for each), versions cut short (1.2 for 1.2.3), CJK as pairs. All
// of them count for the length of a document, as BM25 has it: else texts full of
// identifiers would win by the many forms under which they can be found.
package text

import (
	"fmt"
	"slices"
	"sync"
)

// Version names this analysis. It is stored with each segment; terms of another
// version do not match these, so a change here means a reindex.
const Version = 2

// MaxWordBytes is where longer words are cut, in documents and queries alike.
const MaxWordBytes = 128

// Token is one term of a text.
type Token struct {
	Term string
	// Position counts the words of the text from 0, stop words included. Several
	// tokens share one position when a word is indexed in more than one form.
	Position int
	// Start and End are byte offsets into the text.
	Start, End int
}

// Analyzer cuts texts into tokens. It is safe for concurrent use.
type Analyzer struct {
	language string
	stem     stemmer
	stop     map[string]bool
	workers  sync.Pool
}

// New returns the analyzer of a language: one of Languages. Empty means "english".
func New(language string) (*Analyzer, error) {
	if language == "" {
		language = "english"
	}
	stem, ok := stemmers[language]
	if !ok {
		return nil, fmt.Errorf("language %q is not known; use one of %v", language, Languages())
	}
	a := &Analyzer{language: language, stem: stem}
	if language == "english" {
		a.stop = englishStopWords
	}
	a.workers.New = func() any { return &worker{a: a, cache: make(map[string]string, 1024)} }
	return a, nil
}

// Languages are the names that New knows, in order: the Snowball languages, and "none"
// for no stemming and no stop words.
func Languages() []string {
	var names []string
	for name := range stemmers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Language is the name that the analyzer was made with.
func (a *Analyzer) Language() string { return a.language }

// Tokens appends the tokens of s to dst, in order of their positions. Bytes that are
// not UTF-8 separate words.
func (a *Analyzer) Tokens(dst []Token, s string) []Token {
	w := a.workers.Get().(*worker)
	w.dst, w.s, w.pos = dst, s, 0
	w.run()
	dst = w.dst
	w.dst, w.s = nil, ""
	clear(w.seen)
	a.workers.Put(w)
	return dst
}

// Fold is s as words are before stemming: NFKC, lower case. Prefix queries use it.
func Fold(s string) string { return string(fold(nil, s)) }
